"""How much of the disagreement between attempts is the judge's own, from judging attempts more than once."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError


@dataclass(frozen=True)
class Disagreement:
    """Two probabilities, each of two judgements that differ, estimated without bias.

    Attributes:
        judge: of two judgements of one attempt, 0 to 1: the judge's noise.
        between: of one judgement each of two attempts of one task, 0 to 1; None where no task has two.
    """

    judge: Fraction
    between: Fraction | None

    @property
    def share(self) -> Fraction | None:
        """Which part of the disagreement between attempts the judge alone explains, 0 to 1; None of none.

        Attempts that did not differ at all, judged by the same judge, would disagree as often as two
        judgements of one of them: what there is beyond is the attempts' own.
        """
        if not self.between:
            return None
        return min(self.judge / self.between, Fraction(1))


def disagreement(tasks: Iterable[Sequence[Sequence[Hashable]]]) -> Disagreement:
    """Estimate both over tasks, each weighing the same.

    Args:
        tasks: a task's attempts, an attempt's judgements: at least two each, in any words.

    Raises:
        UsageError: there are no tasks, a task has no attempt, or an attempt fewer than two judgements.
    """
    noise: list[Fraction] = []
    apart: list[Fraction] = []
    for attempts in tasks:
        if not attempts or any(len(judgements) < 2 for judgements in attempts):
            raise UsageError(
                "the noise of a judge shows in two judgements of an attempt at least; judge again"
            )
        noise.append(sum(map(_within, attempts), Fraction()) / len(attempts))
        if len(attempts) > 1:
            apart.append(_between(attempts))
    if not noise:
        raise UsageError("the noise of a judge is undefined over no tasks; name at least one")
    return Disagreement(
        sum(noise, Fraction()) / len(noise), sum(apart, Fraction()) / len(apart) if apart else None
    )


def _within(judgements: Sequence[Hashable]) -> Fraction:
    """Pairs of judgements that differ, among all pairs of one attempt's."""
    n = len(judgements)
    alike = sum(times * (times - 1) for times in Counter(judgements).values())
    return 1 - Fraction(alike, n * (n - 1))


def _between(attempts: Sequence[Sequence[Hashable]]) -> Fraction:
    """The mean, over pairs of different attempts, of the pairs of their judgements that differ."""
    shares: list[dict[Hashable, Fraction]] = [
        {word: Fraction(times, len(judgements)) for word, times in Counter(judgements).items()}
        for judgements in attempts
    ]
    alike = Fraction()
    for word in {word for share in shares for word in share}:
        column = [share.get(word, Fraction()) for share in shares]
        # Over ordered pairs i != j: the square of the sum less the sum of the squares.
        alike += sum(column) ** 2 - sum(value * value for value in column)
    n = len(attempts)
    return 1 - alike / (n * (n - 1))
