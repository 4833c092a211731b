"""Replay: a recorded attempt made again, its model calls answered with what was recorded and by nobody else.

What the agent was told is thereby the same, to the byte. What it does must be the same, as often; in which
order is its own affair, where one thing does not depend on the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from passfloor.adapters.describe import AnyAdapter
from passfloor.canonical import canonical
from passfloor.checking.again import plan_of, recorded_receipt, specify
from passfloor.checking.outcome import AttemptCheck
from passfloor.errors import EnvironmentFault
from passfloor.models.receipt import ReceiptHead
from passfloor.projection import (
    ASKED,
    ERRORED_KIND,
    TIMING,
    Act,
    AttemptView,
    Told,
    acts_of,
    difference_of,
    further_members,
    unmatched,
)
from passfloor.recording.attempts import Recording
from passfloor.recording.replayer import REPLAY_KEYS, Exchanged, Recorded, Replayer
from passfloor.running.worker import TaskBlock
from passfloor.scrubbing import Scrubber
from passfloor.verification.inputs import VerifiedTask

_CLOSING = ("agent.", "task.completed")
_SIDES = "the recording", "the replay"
_UNCOUNTED = TIMING | {"seq", "call"}
_CUT_SHORT = frozenset({"timeout", "signal", "worker", "spawn"})


class Replays:
    """Replays attempts of one receipt. May be used from several threads, with attempts of their own."""

    def __init__(self, head: ReceiptHead, adapter: AnyAdapter, scrubber: Scrubber) -> None:
        """Prepare; nothing runs yet.

        Args:
            head: The receipt's members but its task results.
            adapter: Made by the same flags as the recorded one; it records to us from here on.
            scrubber: The run's.

        Raises:
            UsageError: recording is not installed.
        """
        self._head = head
        self._plan = plan_of(head)
        self._adapter = adapter
        self._scrubber = scrubber
        self._sources: dict[str, Replayer] = {}
        self._recording = Recording(
            self._sources.__getitem__,
            scrubber=scrubber,
            identity_fields=head.identity_fields,
            keys=REPLAY_KEYS,
        )
        adapter.record(self._recording)  # type: ignore[union-attr]  # whoever can record has it

    @classmethod
    @contextmanager
    def open(cls, head: ReceiptHead, adapter: AnyAdapter, scrubber: Scrubber) -> Iterator[Self]:
        """Replay for as long as the context lasts; raises as the class does."""
        replays = cls(head, adapter, scrubber)
        try:
            yield replays
        finally:
            replays._recording.close()

    def attempt(self, verified: VerifiedTask, index: int) -> AttemptCheck:
        """Replay one attempt, and again with answers exchanged where nobody knows who got which."""
        before = recorded_receipt(verified, index)
        recorded = Recorded.of(before["events"])
        try:
            first, raced = self._once(verified, index, recorded, Exchanged())
            found = first
            for way in recorded.exchanges(recorded.raced | raced) if _is_divergence(first) else ():
                found, _ = self._once(verified, index, recorded, way)
                if found.held:
                    break
        except EnvironmentFault as fault:
            return _undecided(verified, index, f"no replay could be made: {fault}")
        if found.held or first.undecided:
            return _told(verified, index, found if found.held else first)
        if any(recorded.differ(name) for name in recorded.raced | raced):
            return _undecided(
                verified,
                index,
                f"one request got different answers while the calls overlapped, and none of the ways to hand "
                f"them out that were tried fits ({first.detail}): name lanes, by the header x-passfloor-lane",
            )
        return _told(verified, index, first)

    def _once(
        self, verified: VerifiedTask, index: int, recorded: Recorded, way: Exchanged
    ) -> "tuple[Outcome, frozenset[str]]":
        """One replay, and the requests of which several were open at once."""
        spec = specify(self._head, verified, index)
        replayer = self._sources[spec.attempt_id] = Replayer(recorded, self._scrubber, way)
        try:
            block = TaskBlock(self._adapter, verified.task, self._plan, self._scrubber)
            receipt, moved = block.run(spec)
        finally:
            del self._sources[spec.attempt_id]
        before = recorded_receipt(verified, index)
        outcome = judge(_view(before, self._head.blobs), _view(receipt, moved), lacking=recorded.lacking)
        return outcome, frozenset(replayer.raced)


@dataclass(frozen=True)
class Outcome:
    """What one replay gave.

    Attributes:
        held: The same was done.
        same: Byte for byte.
        path: Where it was not.
        detail: That, in words, or why nothing can be told, or how far it was reproduced.
        undecided: Nothing can be told.
    """

    held: bool
    same: bool
    path: str | None = None
    detail: str = ""
    undecided: bool = False


def _is_divergence(outcome: Outcome) -> bool:
    return not outcome.held and not outcome.undecided


def _told(verified: VerifiedTask, index: int, outcome: Outcome) -> AttemptCheck:
    return AttemptCheck(
        task_id=verified.task.id,
        attempt=index,
        coordination_identical=outcome.held,
        byte_identical=outcome.same,
        divergent_field=outcome.path,
        detail=outcome.detail,
        inconclusive=outcome.undecided,
    )


def _undecided(verified: VerifiedTask, index: int, why: str) -> AttemptCheck:
    return _told(verified, index, Outcome(held=False, same=False, detail=why, undecided=True))


def _view(receipt: Mapping[str, Any], blobs: Mapping[str, Any]) -> AttemptView:
    return AttemptView(
        receipt["events"], further_members(receipt), attempt_id=receipt["attempt_id"], blobs=blobs
    )


def judge(before: AttemptView, now: AttemptView, *, lacking: str) -> Outcome:
    """Compare what was done: all of it, and as often.

    Args:
        before: As recorded.
        now: As replayed.
        lacking: Why what was recorded cannot be told as it was; empty where it can.
    """
    old, new = (Told(view, acts_of(view.events, view.attempt_id, view.counted)) for view in (before, now))
    same = _timeless(before) == _timeless(now)
    missing = min(unmatched(old.history, new.history), key=_closes, default=None)
    further = None if before.errored else min(unmatched(new.history, old.history), key=_closes, default=None)
    if missing is not None and not (further is not None and _closes(missing) > _closes(further)):
        path, detail = _difference(missing, old, new, recorded=True)
        why = lacking or _excuse(missing, old, new)
    elif further is not None:
        path, detail = _difference(further, new, old, recorded=False)
        why = lacking or _excuse(further, new, old)
    else:
        error = _error(before)
        said = f"reproduced as far as it went: recorded as errored ({error['type']})" if error else ""
        return Outcome(held=True, same=same, detail=said)
    if not why and further is None and (error := _error(now)) and error["type"] in _CUT_SHORT:
        why = (
            f"the replay errored ({error['type']}: {error['detail']}) before the recorded attempt ended: "
            "check again, with a longer --timeout where time was short"
        )
    if why:
        return Outcome(held=False, same=False, detail=f"{why} ({detail})", undecided=True)
    return Outcome(held=False, same=False, path=path, detail=detail)


def _closes(act: Act) -> bool:
    """Whether it stands at the end: an agent whose further question is refused may end without it."""
    return str(act.form[0]).startswith(_CLOSING)


def _difference(act: Act, own: Told, other: Told, *, recorded: bool) -> tuple[str, str]:
    """The path and the words for what was done in the one alone; ``recorded``: in the recording."""
    sides = _SIDES if recorded else _SIDES[::-1]
    path, detail = difference_of(act, own, other, sides)
    if "only in" in detail and act.form[0] == ASKED:
        detail += ": recorded, not asked for" if recorded else ": not recorded"
    return path, detail


def _excuse(act: Act, own: Told, other: Told) -> str:
    """Why a difference proves nothing; empty where it does.

    What an agent declares in its own journal is not told it again: once that differs, so may all else.
    """
    heard = {each.digest for each in other.history if each.heard}
    for each in own.history:
        if each is act:
            return ""
        if each.heard and each.asked is None and each.digest not in heard:
            return "the agent drew another sample of its own than it declared in the recording"
    return ""


def _error(view: AttemptView) -> Mapping[str, Any] | None:
    last = view.events[-1]
    error = last.get("error") if last["kind"] == ERRORED_KIND else None
    return error if isinstance(error, Mapping) else None


def _timeless(view: AttemptView) -> tuple[bytes, Sequence[bytes]]:
    """The events but for timing, order and the numbers of calls, and the further members that count."""
    kept = [
        canonical({name: value for name, value in event.items() if name not in _UNCOUNTED})
        for event in view.events
    ]
    return canonical(view.counted), sorted(kept)
