"""What a callable agent is given and may give back. Light to import: every attempt imports it afresh."""

import inspect
import json
import os
import sys
import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Result:
    """What a callable may return in place of its answer alone.

    Attributes:
        output: The answer.
        events: Journal lines, written after those of ``Attempt.emit``; each needs a ``kind``.
    """

    output: str
    events: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class FunctionTask:
    """The task as the agent may know it: without its assertions.

    Attributes:
        files: Relative POSIX path -> SHA-256 in hex of the starting file in the workspace.
    """

    id: str
    description: str
    steps: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    category: str | None = None
    timeout_s: float | None = None
    tags: tuple[str, ...] = ()
    cluster: str | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "FunctionTask":
        """The task of a JSON document whose lists become tuples."""
        members: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in document.items()
        }
        return cls(**members)


@dataclass(frozen=True)
class FunctionAttempt:
    """Which attempt it is, and what the callable may say and ask during it.

    Attributes:
        workspace: The working directory: fresh, with the task's starting files.
        seed: 53 bits that differ from attempt to attempt and are the same whenever this one is repeated.
        run_seed: The run's seed, the same in every attempt.
        attempt_id: 64 lower-case hex digits, never shared by two attempts.
        index: Position among the attempts of its task, from 0.
        journal: The file ``emit`` appends to.
        recorded: Model calls are recorded.
        recall: In a replay, where to ask what was recorded; empty else.
    """

    workspace: Path
    seed: int
    run_seed: int
    attempt_id: str
    index: int
    journal: Path
    recorded: bool = False
    recall: str = ""

    def emit(self, kind: str, **members: Any) -> None:
        """Append a journal line; it is coordination, which has to be the same in every attempt.

        Raises:
            TypeError: A member is no JSON value.
            ValueError: A number is not finite.
        """
        append_lines(self.journal, [{"kind": kind, **members}])

    def sample(self, draw: Callable[[], T], *, lane: str = "") -> T:
        """What ``draw()`` returns: a place where the agent leaves something to chance.

        Where model calls are recorded so is this, as something the agent was told. A coroutine is recorded
        once it is awaited.

        Args:
            draw: Returns a JSON value, or a coroutine of one.
            lane: Which of several things done side by side this belongs to.

        Raises:
            TypeError: It returned no JSON value, where that is recorded.
            ValueError: A number is not finite, where that is recorded.
        """
        if not self.recorded:
            return draw()

        def write(known: Any) -> None:
            self._write("model.output", lane, sample=known)

        told: T = (
            _once_recalled(draw, lambda: recalled(self.recall, {"lane": lane}), write)
            if self.recall
            else _once_known(draw(), write)
        )
        return told

    def model(self, request: Any, call: Callable[[], T], *, lane: str = "") -> T:
        """What ``call()`` returns: a model asked by other means than the base URLs in the environment.

        Args:
            request: All that the answer depends on, a JSON value: it is coordination.
            call: Returns a JSON value, or a coroutine of one.
            lane: Which of several things done side by side this belongs to.

        Raises:
            TypeError: The request or the answer is no JSON value, where that is recorded.
            ValueError: A number is not finite, where that is recorded.
        """
        if not self.recorded:
            return call()
        ref = uuid.uuid4().hex
        self._write("model.request", lane, ref=ref, dialect="other", method="CALL", path="", request=request)

        def answered(known: Any) -> None:
            sample = {"status": 200, "text": json.dumps(known, allow_nan=False), "complete": True}
            self._write("model.output", "", ref=ref, sample=sample)

        told: T = (
            _once_recalled(call, lambda: recalled(self.recall, {"ref": ref}), answered)
            if self.recall
            else _once_known(call(), answered)
        )
        return told

    def _write(self, kind: str, lane: str, **members: Any) -> None:
        append_lines(self.journal, [{"kind": kind, **({"lane": lane} if lane else {}), **members}])


def _once_known(value: Any, tell: Callable[[Any], None]) -> Any:
    """The value, told; where it can be awaited, one that is told when it was."""
    if not hasattr(value, "__await__"):
        tell(value)
        return value

    async def awaited() -> Any:
        known = await value
        tell(known)
        return known

    return awaited()


def _once_recalled(call: Callable[[], Any], recall: Callable[[], Any], tell: Callable[[Any], None]) -> Any:
    """What was recorded, in place of a call that is not made; to be awaited where the call's would be."""

    def known() -> Any:
        value = recall()
        tell(value)
        return value

    async def awaited() -> Any:
        return known()

    if inspect.iscoroutinefunction(call):
        return awaited()
    return known() if _running_loop() is None else _either(known())


def _running_loop() -> Any:
    """The event loop that runs in this thread; None where none does, or nobody ever imported any."""
    asyncio = sys.modules.get("asyncio")
    return None if asyncio is None else asyncio._get_running_loop()


class _Awaited:
    """A value that may be awaited as well: nobody can tell whether a plain callable was to return that."""

    def __await__(self) -> Generator[None, None, Any]:
        yield from ()
        return self


def _either(value: Any) -> Any:
    kinds = (str, int, float, list, dict)
    if type(value) not in kinds:
        return value
    return type(type(value).__name__, (_Awaited, type(value)), {})(value)


def recalled(address: str, asked: Mapping[str, Any]) -> Any:
    """Ask the harness what was recorded.

    Args:
        address: Where.
        asked: What for.

    Raises:
        LookupError: It was not recorded, or not as often.
    """
    import http.client
    from urllib.parse import urlsplit

    where = urlsplit(address)
    connection = http.client.HTTPConnection(where.hostname or "", where.port)
    try:
        connection.request("POST", where.path, json.dumps(asked).encode())
        reply = connection.getresponse()
        found = json.loads(reply.read())
    finally:
        connection.close()
    if reply.status != 200:
        raise LookupError("passfloor: nothing was recorded of this, or nothing is left of it")
    return found


def append_lines(journal: Path, events: Sequence[Mapping[str, Any]]) -> None:
    """Append events to a journal in one write, so that lines of several threads do not mix."""
    if not events:
        return
    text = "".join(f"{json.dumps(dict(event), allow_nan=False)}\n" for event in events)
    opened = os.open(journal, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
    with open(opened, "ab", buffering=0) as file:  # noqa: PTH123  # a descriptor, not a path
        file.write(text.encode())
