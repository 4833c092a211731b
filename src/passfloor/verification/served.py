"""Which model a provider said that it served. It is the provider's word: no receipt shows more."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Answer = tuple[str | None, str | None]
"""The model and the ``system_fingerprint`` that a reply named, each None where it named none."""


@dataclass(frozen=True)
class Served:
    """What was served in one attempt.

    Attributes:
        task_id: The task.
        attempt: The attempt's index.
        answers: For each model that was asked for (None where a request named none), what replies named, in
            the order in which it first came.
    """

    task_id: str
    attempt: int
    answers: Mapping[str | None, tuple[Answer, ...]]

    @property
    def models(self) -> list[str]:
        """The models that replies named, sorted."""
        return sorted({model for told in self.answers.values() for model, _ in told if model is not None})

    @property
    def fingerprints(self) -> list[str]:
        """The fingerprints that replies named, sorted."""
        found = {mark for told in self.answers.values() for _, mark in told if mark is not None}
        return sorted(found)


@dataclass(frozen=True)
class ChangedModel:
    """The first place where something else was served than at first, for one model that was asked for.

    Attributes:
        asked: The model that requests named; None where they named none.
        first: What was served at first in the run.
        then: What was served instead.
        task_id: Where that came first.
        attempt: The attempt's index.
    """

    asked: str | None
    first: Answer
    then: Answer
    task_id: str
    attempt: int


def changed_models(served: Iterable[Served]) -> tuple[ChangedModel, ...]:
    """Each answer that differs from the first one to the same name, once, in order of the attempts.

    A reply that names no model, or no fingerprint, does not differ by that.
    """
    first: dict[str | None, Answer] = {}
    known: set[tuple[str | None, Answer]] = set()
    found = []
    for attempt in served:
        for asked, answers in attempt.answers.items():
            for answer in answers:
                at_first = first.setdefault(asked, answer)
                if _differ(answer, at_first) and (asked, answer) not in known:
                    known.add((asked, answer))
                    found.append(ChangedModel(asked, at_first, answer, attempt.task_id, attempt.attempt))
                first[asked] = at_first[0] or answer[0], at_first[1] or answer[1]
    return tuple(found)


def _differ(one: Answer, other: Answer) -> bool:
    return any(a != b for a, b in zip(one, other, strict=True) if a is not None and b is not None)
