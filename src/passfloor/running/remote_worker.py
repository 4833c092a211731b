"""On a worker of a cluster: runs an attempt and takes the secrets out; nothing is kept or judged here."""

import asyncio
import contextlib
import pickle
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.interface import AttemptAdapter, AttemptSpec
from passfloor.canonical import digest
from passfloor.errors import EnvironmentFault, PassfloorError
from passfloor.executors.dask import dumps
from passfloor.models.suite import Task
from passfloor.running.completion import one_line, scrubbed
from passfloor.running.facts import environment_facts
from passfloor.running.worker import called
from passfloor.scrubbing import Scrubber
from passfloor.workspaces.groups import end_all
from passfloor.workspaces.strays import end_strays

_ENDING_S = 3.0
_AGAIN_S = 0.05


@dataclass(frozen=True)
class Crew:
    """What every worker of a run gets; pickled parts stay so until they are needed.

    Attributes:
        token: The run's name on the cluster.
        adapter: The pickled adapter; of an adapter object, as it is at its first attempt.
        scrubber: The pickled scrubber.
        digest: What ``digest(adapter.identity())`` must give; None for an adapter object.
        private: Whether its workers work for this run alone.
    """

    token: str
    adapter: bytes = field(repr=False)
    scrubber: bytes = field(repr=False)
    digest: str | None
    private: bool


@dataclass(frozen=True)
class Answer:
    """What came of an attempt.

    Attributes:
        receipt: The run receipt, without secrets; None where there is none.
        fault: Name of an error class and its message, where there is none.
        notes: What the adapter noted meanwhile.
        state: The pickled adapter object, as it is after its call.
    """

    receipt: dict[str, Any] | None = None
    fault: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()
    state: bytes | None = field(default=None, repr=False)


@dataclass
class _Here:
    """A run on this worker."""

    adapter: AnyAdapter
    scrubber: Scrubber
    under_way: set[str] = field(default_factory=set)
    stopped: bool = False


_runs: dict[str, _Here] = {}
_lock = threading.Lock()


async def ready(crew: Crew) -> str | None:
    """Look whether attempts can be made here; None, or why not and what to do.

    Of an agent that is named by its files it is the same one: they are compared.
    """
    return await asyncio.to_thread(_problem, crew)


def attempt(crew: Crew, unit: bytes) -> Answer:
    """Run one attempt; ``unit`` is the pickled task, ``AttemptSpec`` and scheduler's configuration."""
    try:
        here = _here(crew)
        task, spec, config = pickle.loads(unit)  # noqa: S301  # of the run that this worker works for
        with _under_way(here, spec.attempt_id):
            return _attempted(here, task, spec, config)
    except PassfloorError as error:
        return Answer(fault=(type(error).__name__, str(error)))
    except Exception as error:
        return Answer(fault=(EnvironmentFault.__name__, f"a worker of the cluster failed: {one_line(error)}"))


def call(crew: Crew, state: bytes, unit: bytes) -> Answer:
    """Call an adapter object once: ``unit`` is the pickled task, index and scheduler's configuration."""
    try:
        scrubber = _here(crew).scrubber
        adapter = pickle.loads(state)  # noqa: S301  # of the run that this worker works for
        task, index, config = pickle.loads(unit)  # noqa: S301
        given = called(adapter, task, config)
        receipt, fault = _without_secrets(given, task, index, scrubber)
        return Answer(receipt=receipt, fault=fault, state=dumps(adapter))
    except PassfloorError as error:
        return Answer(fault=(type(error).__name__, str(error)))
    except Exception as error:
        return Answer(fault=(EnvironmentFault.__name__, f"a worker of the cluster failed: {one_line(error)}"))


def facts() -> dict[str, Any]:
    """What this worker runs on."""
    return environment_facts(1)


async def discard(crew: Crew, attempt_id: str) -> None:
    """End and remove what a worker that died here left of an attempt."""
    remove = getattr(_here(crew).adapter, "discard", None)
    if remove is not None:
        with contextlib.suppress(PassfloorError):
            await asyncio.to_thread(remove, attempt_id)


async def stop(crew: Crew) -> None:
    """Begin nothing of the run any more, and end what is under way."""
    here = _here(crew)
    here.stopped = True
    deadline = time.monotonic() + _ENDING_S
    while True:
        await asyncio.to_thread(_end, here, crew.private)
        # Again: an attempt may have been about to start something. A mere call cannot be ended.
        if not here.under_way or not hasattr(here.adapter, "discard") or time.monotonic() > deadline:
            return
        await asyncio.sleep(_AGAIN_S)


async def put_away(token: str) -> None:
    """Forget the run, and end what its adapter keeps ready."""
    with _lock:
        here = _runs.pop(token, None)
    close = getattr(here.adapter, "close", None) if here is not None else None
    if close is not None:
        await asyncio.to_thread(close)


def _here(crew: Crew) -> _Here:
    with _lock:
        if crew.token not in _runs:
            loaded = pickle.loads(crew.adapter), pickle.loads(crew.scrubber)  # noqa: S301  # see above
            _runs[crew.token] = _Here(*loaded)
        return _runs[crew.token]


def _problem(crew: Crew) -> str | None:
    try:
        adapter = _here(crew).adapter
        if crew.digest is None or not isinstance(adapter, AttemptAdapter):
            return None
        adapter.check()
        if digest(adapter.identity()) != crew.digest:
            return "the files of the agent differ from those of this machine; put the same ones there"
    except PassfloorError as error:
        return str(error)
    except Exception as error:
        return f"the agent cannot be loaded there ({one_line(error)}); install there what is installed here"
    return None


def _attempted(here: _Here, task: Task, spec: AttemptSpec, config: Mapping[str, Any]) -> Answer:
    assert isinstance(here.adapter, AttemptAdapter)  # noqa: S101  # others are called
    given = here.adapter.run_attempt(task, spec, config)
    receipt, fault = _without_secrets(given, task, spec.index, here.scrubber)
    notes: list[str] = getattr(here.adapter, "notes", [])
    with _lock:
        noted = tuple(notes)
        del notes[: len(noted)]
    return Answer(receipt=receipt, fault=fault, notes=noted)


def _without_secrets(
    given: Any, task: Task, index: int, scrubber: Scrubber
) -> tuple[dict[str, Any] | None, tuple[str, str] | None]:
    try:
        return scrubbed(given, task, index, scrubber), None
    except PassfloorError as error:
        return None, (type(error).__name__, scrubber.scrub_text(str(error))[0])


@contextlib.contextmanager
def _under_way(here: _Here, attempt_id: str) -> Iterator[None]:
    with _lock:
        here.under_way.add(attempt_id)
    try:
        if here.stopped:
            raise EnvironmentFault("stopped")
        yield
    finally:
        with _lock:
            here.under_way.discard(attempt_id)


def _end(here: _Here, private: bool) -> None:
    if private:
        end_all()
    else:
        # Others may have agents of their own on this worker.
        with _lock:
            ids = list(here.under_way)
        for attempt_id in ids:
            end_strays(attempt_id)
    if interrupt := getattr(here.adapter, "interrupt", None):
        interrupt()
