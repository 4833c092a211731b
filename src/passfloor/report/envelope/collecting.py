"""From judged task results to records: told one by one, and nothing of an event is kept."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from passfloor import blobs
from passfloor.grading import Evidence, evidence_of
from passfloor.models.plan import ADAPTER_OBJECTS, IMPORTED
from passfloor.report.envelope import answers
from passfloor.report.envelope.partings import contrast, parting
from passfloor.report.envelope.records import AttemptRecord, Collected, Failure, TaskRecord
from passfloor.verification.inputs import VerifiedTask

_MOST_MODELS = 20


class Collector:
    """What verification tells of each task (``Inputs.observe``), boiled down."""

    def __init__(self) -> None:
        """Nothing is collected yet."""
        self.collected = Collected()

    def observe(self, verified: VerifiedTask) -> None:
        """Take one task result."""
        reading = _Reading(verified)
        self.collected.tasks.append(reading.record())
        for model in reading.models():
            if len(self.collected.served) < _MOST_MODELS:
                self.collected.served.add(model)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What attempts share that answered and failed alike."""

    text: str
    failures: tuple[Failure, ...]


class _Reading:
    """One task result while it is read."""

    def __init__(self, verified: VerifiedTask) -> None:
        self._verified = verified
        self._attempts: Sequence[Mapping[str, Any]] = verified.result["attempts"]
        self._events = [attempt["receipt"]["events"] for attempt in self._attempts]
        self._by_object = verified.head.subject.adapter in ADAPTER_OBJECTS
        # What stands in place of an answer is the source's whole record, and no two of them are alike.
        self._imported = verified.head.subject.adapter.startswith(IMPORTED)
        self._answers: dict[tuple[Hashable, ...], _Answer] = {}
        self._texts: dict[str, tuple[int, Mapping[str, answers.Text]]] = {}

    def record(self) -> TaskRecord:
        """The task's record."""
        task = self._verified.task
        records = [self._attempt(attempt, events) for attempt, events in self._pairs()]
        passed, wrong = self._texts.get("passed"), self._texts.get("wrong")
        return TaskRecord(
            task_id=task.id,
            position=self._verified.position,
            attempts=records,
            category=task.category,
            tags=tuple(task.tags),
            cluster=task.cluster,
            parting=parting(self._events, self._verified.forms),
            contrast=contrast(*passed, *wrong) if passed and wrong else None,
        )

    def models(self) -> Iterator[str]:
        """The models that recorded answers say they come from."""
        for events in self._events:
            for sample in answers.samples(events):
                if isinstance(sample, Mapping):
                    said = sample.get("said")
                    model = said.get("model") if isinstance(said, Mapping) else sample.get("model")
                    if isinstance(model, str) and model:
                        yield answers.capped(model, 200)

    def _pairs(self) -> Iterator[tuple[Mapping[str, Any], Sequence[Mapping[str, Any]]]]:
        return zip(self._attempts, self._events, strict=True)

    def _attempt(self, attempt: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> AttemptRecord:
        index, outcome, error = attempt["index"], attempt["outcome"], attempt["error"]
        label, answer = None, _Answer("", ())
        if outcome != "errored" and not self._imported:
            label, answer = self._answer(attempt, blobs.expand(events, self._verified.head.blobs))
        return AttemptRecord(
            index=index,
            outcome=outcome,
            answer=label,
            text=answer.text,
            error="" if error is None else answers.capped(f"{error['type']}, {error['detail']}"),
            failures=answer.failures,
            path=_path(events),
            seconds=_seconds(events),
            tokens=_tokens(events),
        )

    def _answer(self, attempt: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> tuple[str, _Answer]:
        task, evidence = self._verified.task, evidence_of(self._verified.task, events)
        label, texts = self._read(evidence, events)
        outcome = attempt["outcome"]
        self._texts.setdefault(outcome, (attempt["index"], texts))
        # Assertions on the exit status and on tool calls may fail differently over one and the same answer.
        key = label, str(attempt["harness_output"]), evidence.exit_code, evidence.tool_calls
        known = self._answers.get(key)
        if known is None:
            shown = next((text for text in texts.values() if text is not None), "")
            failed = answers.failures(task, evidence, attempt["harness_output"])
            known = _Answer(answers.capped(shown), tuple(failed))
            self._answers[key] = known
        return label, known

    def _read(
        self, evidence: Evidence, events: Sequence[Mapping[str, Any]]
    ) -> tuple[str, Mapping[str, answers.Text]]:
        """The answer's label and its texts; the scorer of an adapter object may have read any sample."""
        if not self._by_object:
            texts = answers.texts_read(self._verified.task, evidence)
            return answers.label(list(texts.values())), texts
        sampled = answers.samples(events)
        names = [f"sample {position}" if position else answers.OUTPUT for position in range(len(sampled))]
        return answers.label(sampled), dict(zip(names, map(answers.as_text, sampled), strict=True))


def _path(events: Sequence[Mapping[str, Any]]) -> str | None:
    """A digest of the tools called, in order; None where no call is recorded."""
    tools = [event.get("tool") for event in events if event.get("kind") == "tool.call"]
    return answers.label(tools) if tools else None


def _seconds(events: Sequence[Mapping[str, Any]]) -> Fraction | None:
    """The span of ``ts`` over the events, else the sum of ``elapsed_s``."""
    stamps = [stamp for event in events if (stamp := _number(event.get("ts"))) is not None]
    if len(stamps) > 1:
        return max(stamps) - min(stamps)
    spans = [span for event in events if (span := _number(event.get("elapsed_s"))) is not None]
    return sum(spans, Fraction(0)) if spans else None


def _tokens(events: Sequence[Mapping[str, Any]]) -> int | None:
    """Tokens by the ``usage`` of recorded answers, as the common dialects spell it."""
    found = []
    for sample in answers.samples(events):
        said = sample.get("said", sample) if isinstance(sample, Mapping) else None
        usage = said.get("usage") if isinstance(said, Mapping) else None
        if isinstance(usage, Mapping):
            parts = [usage.get(name) for name in _TOKEN_PARTS]
            counts = [part for part in parts if type(part) is int and part >= 0]
            if counts:
                found.append(sum(counts))
    return sum(found) if found else None


_TOKEN_PARTS = ("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens")


def _number(value: object) -> Fraction | None:
    return Fraction(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
