"""From sealed events to what is compared under the causal rule: one digest for each act and each answer."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from passfloor.canonical import canonical, digest
from passfloor.projection.project import owed_events, project_event
from passfloor.projection.vocabulary import (
    ANSWER,
    ASKED,
    ERRORED_KIND,
    FRAMING,
    PLACING,
    SAMPLE,
    TOOL_CALL,
    TOOL_RESULT,
)


@dataclass(frozen=True, slots=True)
class Act:
    """One event, or what of it is compared.

    Attributes:
        position: Of the event in its attempt; -1 for further members of the run receipt.
        digest: SHA-256 in hex of ``form``.
        heard: An answer; all else is something the attempt did.
        form: What is hashed.
        asked: Of an answer to a recorded request: the digest of the request.
        lane: The lane it stands in.
        framed: It is the harness's own mark at the beginning or the end.
    """

    position: int
    digest: str
    heard: bool
    form: Sequence[Any]
    asked: str | None = None
    lane: str = ""
    framed: bool = False


class ActReader:
    """Reads the well-formed events of one attempt, in order, blobs replaced by references.

    An event's digest depends on earlier events alone, so that it is known as soon as the event is.
    """

    def __init__(self) -> None:
        self._asked: dict[Any, tuple[str, str, Any]] = {}
        self._times: Counter[str] = Counter()
        self._places: Counter[str] = Counter()
        self._samples: Counter[str] = Counter()
        self._tools: dict[tuple[str, bytes], int] = {}

    def read(self, event: Mapping[str, Any]) -> list[Act]:
        """The acts in the next event: one as a rule; two for an answer that says more than its sample."""
        kind = event["kind"]
        if kind == ERRORED_KIND:
            return []
        if kind == ASKED:
            return [self._request(event)]
        if kind != ANSWER:
            return [self._other(event)]
        heard = self._answer(event)
        further = project_event(event).keys() - PLACING
        # Only the sample is the model's: what else stands there is coordination.
        return [self._other(event), heard] if further else [heard]

    def _request(self, event: Mapping[str, Any]) -> Act:
        lane = event.get("lane", "")
        form = [ASKED, lane, _counted(event, "seq", "call", "lane")]
        name = digest(form)
        times = self._times[name]
        self._times[name] += 1
        # In the common lane nobody knows which of several equal requests an answer belongs to. A lane with a
        # name does one thing after another: its first and its second try are told apart.
        reference: Any = name if lane == "" else [name, times]
        self._asked[canonical(event.get("call"))] = (name, _lane(lane), reference)
        return Act(event["seq"], name, heard=False, form=form, lane=_lane(lane))

    def _answer(self, event: Mapping[str, Any]) -> Act:
        sample = event[SAMPLE]
        asked = self._asked.get(canonical(event["call"])) if "call" in event else None
        if asked is not None and isinstance(sample, Mapping):
            name, lane, reference = asked
            form = ["answer", reference, sample.get("status"), sample.get("said")]
            if sample.get("complete") is not True:
                # An agent sees that an answer broke off, and may act on it.
                form.append("incomplete")
            return Act(event["seq"], digest(form), heard=True, form=form, asked=name, lane=lane)
        lane = event.get("lane", "")
        place = self._samples[_lane(lane)]
        self._samples[_lane(lane)] += 1
        form = ["answer", [lane, place], None, sample]
        return Act(event["seq"], digest(form), heard=True, form=form, lane=_lane(lane))

    def _other(self, event: Mapping[str, Any]) -> Act:
        kind, lane = event["kind"], event.get("lane", "")
        key = _lane(lane)
        joined = (key, canonical(event["id"])) if "id" in event else None
        dropped: tuple[str, ...] = ("seq", "lane", "call") if kind == ANSWER else ("seq", "lane")
        if kind == TOOL_RESULT and joined in self._tools:
            place = self._tools[joined]
            dropped += ("id",)
        else:
            place = self._places[key]
            self._places[key] += 1
            if kind == TOOL_CALL and joined is not None:
                self._tools[joined] = place
                dropped += ("id",)
        form = [kind, lane, place, _counted(event, *dropped)]
        return Act(event["seq"], digest(form), False, form, lane=key, framed=kind.startswith(FRAMING))


def acts_of(
    events: Sequence[Mapping[str, Any]],
    attempt_id: str,
    extra: Mapping[str, Any] | None = None,
    read: Sequence[Act] | None = None,
) -> list[Act]:
    """What one attempt heard and did, in order.

    The events that close an errored attempt do not count: it owes nothing past its end. Answers of which
    nobody can tell who got which are given a form of their own.

    Args:
        events: well-formed, in order.
        attempt_id: the attempt's id.
        extra: further members of the run receipt that count; they stand as one act before all others.
        read: what an ``ActReader`` read of all ``events``, where that is at hand.
    """
    if read is None:
        reader = ActReader()
        read = [act for event in events for act in reader.read(event)]
    owed = owed_events(events)
    acts = [act for act in read if act.position < owed]
    if extra:
        form = ["", "", 0, dict(extra)]
        acts.insert(0, Act(-1, digest(form), heard=False, form=form, framed=True))
    raced = _raced(acts)
    return [_private(act, attempt_id) if act.asked in raced else act for act in acts]


def _raced(acts: Sequence[Act]) -> set[str]:
    """The requests of the common lane that got different answers."""
    answers: dict[str, set[str]] = defaultdict(set)
    for act in acts:
        if act.asked is not None and act.lane == "":
            answers[act.asked].add(act.digest)
    return {asked for asked, found in answers.items() if len(found) > 1}


def _private(act: Act, attempt_id: str) -> Act:
    form = [*act.form, attempt_id]
    return replace(act, form=form, digest=digest(form))


def _counted(event: Mapping[str, Any], *dropped: str) -> dict[str, Any]:
    return {name: value for name, value in project_event(event).items() if name not in dropped}


def _lane(lane: Any) -> str:
    """The name of a lane; a value that is no text has one that no text has."""
    return lane if isinstance(lane, str) else f"\0{canonical(lane).decode()}"
