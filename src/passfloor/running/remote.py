"""Adapters whose attempts are made by the workers of a cluster; to a run they are like any other."""

import contextlib
import copy
import pickle
from collections.abc import Iterator, Mapping
from typing import Any, Self, cast

from passfloor import errors
from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.framing import frame, kept_answer, output_sample
from passfloor.adapters.interface import AttemptAdapter, AttemptSpec, ReplayAdapter, is_attempt_adapter
from passfloor.canonical import digest
from passfloor.errors import EnvironmentFault, PassfloorError, UsageError
from passfloor.executors.dask import Cluster, WorkerLostError, dumps
from passfloor.models.receipt import Environment
from passfloor.models.suite import Task
from passfloor.running import remote_worker
from passfloor.running.completion import one_line
from passfloor.running.facts import environment_facts
from passfloor.running.remote_worker import Answer, Crew
from passfloor.running.worker import died
from passfloor.scrubbing import Scrubber


@contextlib.contextmanager
def spread(adapter: AnyAdapter, cluster: Cluster, scrubber: Scrubber) -> Iterator[AnyAdapter]:
    """An adapter that is used like ``adapter``, and runs on the cluster; nothing stays there afterwards.

    Attempts are judged, kept and sealed where the run is. One whose worker dies is errored, and is not begun
    again.

    Raises:
        UsageError: The adapter cannot be sent, or records model calls; or a worker cannot run it, or would
            run another agent.
        EnvironmentFault: There is no worker.
    """
    require_unrecorded(adapter)
    crew = _crew(adapter, cluster, scrubber)
    try:
        cluster.open((remote_worker.ready, (crew,)))
        if is_attempt_adapter(adapter):
            yield RemoteAttempts(adapter, cluster, crew)
        else:
            yield RemoteObject(cast("ReplayAdapter", adapter), cluster, crew)
    finally:
        cluster.broadcast(remote_worker.put_away, crew.token)


def require_unrecorded(adapter: AnyAdapter) -> None:
    """Refuse an adapter whose model calls are to be recorded: workers elsewhere do not reach the proxy here.

    Raises:
        UsageError: it is one.
    """
    if getattr(adapter, "recording", None) is not None:
        raise UsageError(
            "--record has no meaning for attempts on a cluster: model calls are recorded by a proxy that "
            "listens on this machine alone; leave --record out, or --executor dask and --cluster"
        )


def place(concurrency: int, workers: int) -> Environment:
    """The receipt's entry for a stage that runs on ``workers`` worker processes of this machine."""
    facts = environment_facts(concurrency)
    return _environment(facts["platform"], facts["limits"], concurrency, workers)


def place_of(cluster: Cluster, concurrency: int) -> Environment:
    """The receipt's entry for a stage that runs on a cluster: what all of its workers have in common.

    Raises:
        EnvironmentFault: No worker answers.
    """
    found = cluster.broadcast(remote_worker.facts).values()
    answers = [facts for facts in found if isinstance(facts, dict)]
    if not answers:
        raise EnvironmentFault(f"no worker of the cluster at {cluster.place} answers; look at it, then go on")
    platforms = sorted({facts["platform"] for facts in answers})
    first, *others = (facts["limits"] for facts in answers)
    common = {name: value for name, value in first.items() if all(o.get(name) == value for o in others)}
    return _environment("; ".join(platforms), common, concurrency, len(answers))


def _environment(platform: str, limits: Mapping[str, Any], concurrency: int, workers: int) -> Environment:
    limits = {**limits, "executor": "dask", "workers": workers}
    return Environment.model_validate({"platform": platform, "limits": limits, "concurrency": concurrency})


def _crew(adapter: AnyAdapter, cluster: Cluster, scrubber: Scrubber) -> Crew:
    return Crew(
        token=cluster.token,
        adapter=pickled(adapter),
        scrubber=pickle.dumps(scrubber),
        digest=digest(adapter.identity()) if is_attempt_adapter(adapter) else None,
        private=cluster.private,
    )


def pickled(adapter: AnyAdapter) -> bytes:
    """The adapter as it is sent.

    Raises:
        UsageError: It cannot be pickled.
    """
    try:
        data = dumps(adapter)
        pickle.loads(data)  # noqa: S301  # our own
    except Exception as error:
        raise UsageError(
            f"adapter {type(adapter).__qualname__} cannot be pickled, so no worker can be given it "
            f"({one_line(error)}); leave out of its state what cannot, or run it with --executor local"
        ) from error
    return data


class RemoteAttempts:
    """Stands in for an adapter of named attempts."""

    def __init__(self, adapter: AttemptAdapter, cluster: Cluster, crew: Crew) -> None:
        """Made by ``spread``."""
        self.key = adapter.key
        self._adapter = adapter
        self._cluster = cluster
        self._crew = crew
        self._interrupted = False

    def run_attempt(
        self, task: Task, attempt: AttemptSpec, scheduler_config: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Have a worker run the attempt; raises as the adapter itself does there."""
        unit = pickle.dumps((task, attempt, dict(scheduler_config)))
        try:
            answer: Answer = self._cluster.call(remote_worker.attempt, self._crew, unit)
        except WorkerLostError as lost:
            self.discard(attempt.attempt_id)
            error = {"type": "worker", "detail": str(lost)}
            silent = output_sample(kept_answer(""), kept_answer(""))
            return {"events": frame(task, attempt.seed, [], silent, {}, error)}
        except BaseException as error:
            if not isinstance(error, Exception):
                self.interrupt()
            raise
        notes = getattr(self._adapter, "notes", None)
        if isinstance(notes, list):
            notes.extend(answer.notes)
        return _receipt(answer)

    def score_task(self, task: Task, receipt: Mapping[str, Any]) -> tuple[bool, float | None, dict[str, Any]]:
        """Judge here, as the adapter does."""
        return self._adapter.score_task(task, receipt)

    def identity(self) -> dict[str, Any]:
        """That of the adapter."""
        return self._adapter.identity()

    def options(self) -> dict[str, Any]:
        """Those of the adapter."""
        return self._adapter.options()

    def check(self) -> None:
        """Nothing: every worker was looked at when it was taken in."""

    def discard(self, attempt_id: str) -> None:
        """End and remove what is left of an attempt, here and where a worker can be asked to."""
        remove = getattr(self._adapter, "discard", None)
        if remove is None:
            return
        if not self._cluster.private:
            self._cluster.broadcast(remote_worker.discard, self._crew, attempt_id)
        remove(attempt_id)

    def interrupt(self) -> None:
        """End all attempts under way, on all workers; may be called from another thread, and again."""
        if not self._interrupted:
            self._interrupted = True
            self._cluster.broadcast(remote_worker.stop, self._crew)
        self._cluster.stop()


class RemoteObject:
    """Stands in for an adapter object, whose call i is attempt i.

    It goes to a worker with every call and comes back changed by it. What a call changed whose worker died is
    lost: that attempt is errored, and the next call is made of the object as it was before. Nothing is called
    for nothing.
    """

    def __init__(self, adapter: ReplayAdapter, cluster: Cluster, crew: Crew) -> None:
        """Made by ``spread``."""
        self._adapter = adapter
        self._cluster = cluster
        self._crew = crew
        self._calls = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self)(copy.deepcopy(self._adapter, memo), self._cluster, self._crew)
        made._calls = self._calls
        return made

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have a worker call ``run_task``; what it raises there is the attempt's to report."""
        unit = pickle.dumps((task, self._calls, dict(scheduler_config)))
        self._calls += 1
        try:
            answer: Answer = self._cluster.call(remote_worker.call, self._crew, pickled(self._adapter), unit)
        except WorkerLostError as lost:
            return died(str(lost))
        if answer.state is not None:
            self._adapter = pickle.loads(answer.state)  # noqa: S301  # of a worker of ours
        return _receipt(answer)

    def score_task(self, task: Task, receipt: Mapping[str, Any]) -> tuple[bool, float | None, dict[str, Any]]:
        """Judge here, as the object does after its call."""
        return self._adapter.score_task(task, receipt)

    def interrupt(self) -> None:
        """Let go of all calls; one that runs is ended with its worker, where that is ours."""
        self._cluster.stop()


def _receipt(answer: Answer) -> dict[str, Any]:
    if answer.receipt is not None:
        return answer.receipt
    name, message = answer.fault or ("", "")
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, PassfloorError):
        raise kind(message)
    raise EnvironmentFault(message)
