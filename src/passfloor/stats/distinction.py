"""How many attempts it takes to tell one rate from another."""

from dataclasses import dataclass
from fractions import Fraction

from passfloor.errors import UsageError
from passfloor.stats.binomial import upper_tail
from passfloor.stats.checks import Rate, at_least_one, inner_rate, rate


@dataclass(frozen=True)
class Distinction:
    """How well n attempts of one task tell a higher rate from a lower one.

    Attributes:
        n: attempts.
        threshold: call it the higher rate from so many passes on; the one with the smallest ``error``.
        missed: the chance that the higher rate is taken for the lower one.
        mistaken: the chance that the lower rate is taken for the higher one.
    """

    n: int
    threshold: int
    missed: float
    mistaken: float

    @property
    def error(self) -> float:
        """The larger of both chances; one half is no better than a coin."""
        return max(self.missed, self.mistaken)


def tell_apart(n: int, high: Rate, low: Rate) -> Distinction:
    """How well n attempts of one task tell the rate ``high`` from the rate ``low``, by the best threshold.

    Five attempts tell "usually" from "rarely" (0.9 from 0.1: wrong 0.9% of the time); they do not tell 0.95
    from 0.9.

    Raises:
        UsageError: n below 1, a rate outside 0 to 1, or high not above low.
    """
    at_least_one("n", n)
    above, below = rate("high", high), rate("low", low)
    if above <= below:
        raise UsageError(f"high={high} is not above low={low}; give the higher rate first")
    least, most = 1, n
    # The first threshold at which missing is at least as likely as mistaking, or the one before it, is best.
    while least < most:
        middle = (least + most) // 2
        asked = _distinction(n, middle, above, below)
        least, most = (least, middle) if asked.missed >= asked.mistaken else (middle + 1, most)
    options = [_distinction(n, threshold, above, below) for threshold in {max(1, least - 1), least}]
    return min(options, key=lambda option: (option.error, option.threshold))


def attempts_to_tell(
    high: Rate, low: Rate, error: Rate = Fraction(1, 20), most: int = 10_000
) -> Distinction | None:
    """The fewest attempts with which both mistakes of ``tell_apart`` are at most ``error``.

    None when ``most`` attempts do not do it.

    Raises:
        UsageError: as ``tell_apart``; ``error`` has to lie strictly between 0 and 1, and ``most`` be 1 or
            more.
    """
    allowed = float(inner_rate("error", error))
    at_least_one("most", most)
    tried = (tell_apart(n, high, low) for n in range(1, most + 1))
    return next((distinction for distinction in tried if distinction.error <= allowed), None)


def _distinction(n: int, threshold: int, high: Fraction, low: Fraction) -> Distinction:
    missed = upper_tail(n, n - threshold + 1, float(1 - high))
    return Distinction(n=n, threshold=threshold, missed=missed, mistaken=upper_tail(n, threshold, float(low)))
