"""The rule for attempts whose model calls were recorded: nothing differs before an answer did."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from passfloor import blobs
from passfloor.canonical import canonical, digest
from passfloor.errors import UsageError
from passfloor.projection.acts import Act, acts_of
from passfloor.projection.difference import common_length, first_difference
from passfloor.projection.identical import AttemptView, Coordination, Divergence

_MANY = 32


def compare_causally(attempts: Sequence[AttemptView]) -> Coordination:
    """Judge the attempts of one task, in index order.

    For every ordered pair of attempts a, b, where b is not errored: whatever a did before it first heard
    something that b never heard, b did too, as often. The hash is that of ``{"rule": "causal", "attempts":
    [...]}`` with the SHA-256 of each attempt's sorted ``[digest of what it did, times]``.

    Raises:
        UsageError: there are no attempts.
        JsonError: an event or a further member has no canonical form.
    """
    if not attempts:
        raise UsageError("coordination is undefined over no attempts; record at least one")
    histories = [acts_of(view.events, view.attempt_id, view.counted, view.acts) for view in attempts]
    holders = _Holders(histories)
    finished = sum(1 << index for index, view in enumerate(attempts) if not view.errored)
    compared = 0
    for index, history in enumerate(histories):
        alike = finished & ~(1 << index)
        for act, had in holders.of(history):
            if not alike:
                break
            if act.heard:
                alike &= had
            elif missing := alike & ~had:
                other = _lowest(missing)
                return Coordination(False, None, _named(attempts, histories, index, other, act))
            else:
                compared += not act.framed
    hashed = digest({"rule": "causal", "attempts": [_attempt_digest(history) for history in histories]})
    return Coordination(True, hashed, None, acts=compared)


class _Holders:
    """Which attempts have an act, and how often: a set of attempts as the bits of an integer.

    All pairs are walked at once, so that the cost grows with the events and not with the pairs.
    """

    def __init__(self, histories: Sequence[Sequence[Act]]) -> None:
        self._attempts: dict[tuple[str, int], list[int]] = defaultdict(list)
        self._bits: dict[tuple[str, int], int] = {}
        for index, history in enumerate(histories):
            for _, key in _numbered(history):
                self._attempts[key].append(index)

    def of(self, history: Sequence[Act]) -> Iterator[tuple[Act, int]]:
        """Each act, in order, with the attempts that have it at least as often as it has come by then."""
        for act, key in _numbered(history):
            yield act, self._having(key)

    def _having(self, key: tuple[str, int]) -> int:
        if key in self._bits:
            return self._bits[key]
        attempts = self._attempts[key]
        bits = sum(1 << index for index in attempts)
        if len(attempts) >= _MANY:
            # What few have is asked for by few, and would cost more to keep.
            self._bits[key] = bits
        return bits


def _numbered(history: Sequence[Act]) -> Iterator[tuple[Act, tuple[str, int]]]:
    """Each act with its digest and how often that has come by then."""
    seen: Counter[str] = Counter()
    for act in history:
        seen[act.digest] += 1
        yield act, (act.digest, seen[act.digest])


def _attempt_digest(history: Sequence[Act]) -> str:
    did = Counter(act.digest for act in history if not act.heard)
    return digest([[name, times] for name, times in sorted(did.items())])


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _named(
    attempts: Sequence[AttemptView], histories: Sequence[Sequence[Act]], a: int, b: int, act: Act
) -> Divergence:
    sides = f"attempt {a}", f"attempt {b}"
    name, text = difference_of(act, Told(attempts[a], histories[a]), Told(attempts[b], histories[b]), sides)
    return Divergence(a, b, name, text)


@dataclass(frozen=True)
class Told:
    """An attempt, and what of it is compared."""

    view: AttemptView
    history: Sequence[Act]


def difference_of(act: Act, own: Told, other: Told, sides: tuple[str, str]) -> tuple[str, str]:
    """Where something that was done differs from what was done in its place by another.

    Args:
        act: what only one of them did, or did more often.
        own: whose it is.
        other: who did not do it.
        sides: what the two are called.

    Returns:
        The path, by the position in ``own``, and the path with both values; printable ASCII.
    """
    path = "" if act.position < 0 else f"events[{act.position}]"
    form = _shown_form(own.view, act)
    others = [_shown_form(other.view, each) for each in unmatched(other.history, own.history)]
    others = [each for each in others if _alike(form) == _alike(each)]
    if not others:
        where = path or "the run receipt's further members"
        return path, f"{where} (only in {sides[0]})"
    front = canonical(form)
    closest = max(others, key=lambda each: common_length(front, canonical(each)))
    found = first_difference(form, closest, path, sides)
    # Equal but for its place among the events of its lane, or done less often.
    name, text = found or (path, f"(only in {sides[0]}, at this place)")
    return name, f"{name} {text}"


def unmatched(history: Sequence[Act], other: Sequence[Act]) -> Iterator[Act]:
    """What was done, in order, and not in the other history, or not as often."""
    theirs = Counter(act.digest for act in other)
    for act, (name, times) in _numbered(history):
        if not act.heard and times > theirs[name]:
            yield act


def _shown_form(view: AttemptView, act: Act) -> dict[str, Any]:
    """What counts of an act, by the names it has in its event, large values in their place."""
    event = {"lane": act.form[1], **act.form[-1]}
    return dict(blobs.expand([event], view.blobs)[0])


def _alike(counted: dict[str, Any]) -> tuple[Any, ...]:
    """Kind, lane and path: what two acts share where one stands for the other."""
    return tuple(canonical(counted.get(name)) for name in ("kind", "lane", "path"))
