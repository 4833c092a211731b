"""What one pass over the samples of an Inspect log tells: which there are, and who scored them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.inspect import score_value
from passfloor.importers.inspect.samples import Sample
from passfloor.importers.interface import TaskName
from passfloor.importers.words import listed

MAX_SCORERS = 1000
"""Most scorers, and most parts of their scores, in one log."""


@dataclass
class Survey:
    """Counts over all samples of one log.

    Attributes:
        seen: (id, epoch) of each sample, in order, without repetition.
        scored: Sound samples (without an error, not invalidated) that a scorer gave a value, by scorer and by
            the parts of its values (None: a plain value).
        sound: How many sound samples there are.
        invalidated: Samples that somebody marked as not valid.
        retried: Samples that were run again after an error.
        edited: Samples of which a score was changed afterwards.
    """

    seen: dict[tuple[TaskName, int], None] = field(default_factory=dict)
    scored: dict[str, Counter[str | None]] = field(default_factory=dict)
    sound: int = 0
    invalidated: int = 0
    retried: int = 0
    edited: int = 0

    @property
    def epochs(self) -> int:
        """The highest epoch that occurs; 0 where none does."""
        return max((epoch for _, epoch in self.seen), default=0)

    def unscored(self, rule: Mapping[str, Any]) -> int:
        """How many sound samples the chosen scorer gave no value."""
        counts = self.scored.get(str(rule.get("scorer")), Counter())
        return self.sound - counts[rule.get("part")]


def survey(samples: Iterable[Sample]) -> Survey:
    """Count.

    Raises:
        ImportRefused: there are too many scorers.
    """
    counts = Survey()
    for each in samples:
        counts.seen[each.id, each.epoch] = None
        invalid = bool(each.value.get("invalidation"))
        sound = not invalid and not each.value.get("error")
        counts.sound += sound
        counts.invalidated += invalid
        counts.retried += bool(each.value.get("retries"))
        scores = each.value.get("scores")
        if isinstance(scores, dict):
            counts.edited += any(
                isinstance(score, dict) and score.get("history") for score in scores.values()
            )
            _count(counts.scored, each.value, sound=sound)
    return counts


def choose(
    counts: Mapping[str, Counter[str | None]], asked: str | None, known: Iterable[str]
) -> dict[str, Any]:
    """The members ``scorer`` and ``part`` of the rule.

    Args:
        counts: As ``Survey.scored``.
        asked: ``SCORER``, ``SCORER.PART`` or, where one scorer alone has it, ``PART``; None: there is one.
        known: Scorers that the header names, for a log of which no sample was scored.

    Raises:
        ImportRefused: there is none, or several and none was chosen, or what was asked for is none of them.
    """
    choices = _choices(counts) or {name: {"scorer": name} for name in known}
    if not choices:
        raise ImportRefused("no sample of the log has a score, so it gives no verdicts; score it first")
    if asked is None:
        if len(choices) > 1:
            raise ImportRefused(f"{len(choices)} scores ({listed(choices)}): choose one with --scorer")
        return dict(next(iter(choices.values())))
    alike = [rule for name, rule in choices.items() if asked in (name, rule.get("part"))]
    exact = choices.get(asked)
    if exact is None and len(alike) != 1:
        raise ImportRefused(f"--scorer {asked[:80]!a} is none of the log's scores ({listed(choices)})")
    return dict(exact or alike[0])


def _choices(counts: Mapping[str, Counter[str | None]]) -> dict[str, dict[str, Any]]:
    choices: dict[str, dict[str, Any]] = {}
    for scorer, parts in counts.items():
        for part in parts or (None,):
            if part is None:
                choices[scorer] = {"scorer": scorer}
            else:
                choices[f"{scorer}.{part}"] = {"scorer": scorer, "part": part}
    return choices


def _count(counts: dict[str, Counter[str | None]], value: Mapping[str, Any], *, sound: bool) -> None:
    for scorer in value["scores"]:
        found = score_value(value, {"scorer": scorer})
        parts = counts.setdefault(scorer, Counter())
        for part, one in found.items() if isinstance(found, dict) else [(None, found)]:
            # A value that is not there may be of either kind: it names no part.
            if one not in (None, "NaN"):
                parts[part] += sound
        if len(counts) > MAX_SCORERS or len(parts) > MAX_SCORERS:
            raise ImportRefused(f"the log has more than {MAX_SCORERS} scorers; give one of fewer")
