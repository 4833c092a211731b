from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported.verdicts import decimal as read_back
from passfloor.importers.interface import Asked
from passfloor.importers.rules import decimal, rule


@pytest.mark.parametrize("text", ["0", "1", "0.65", "-3.5", "100", "0.000001", "12345678901234567890.5"])
def test_a_threshold_is_sealed_as_the_decimal_that_it_is(text: str) -> None:
    assert decimal(Fraction(text)) == text
    assert read_back(decimal(Fraction(text))) == Fraction(text)


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(1, 10**41), Fraction(10**40)])
def test_a_threshold_without_a_short_decimal_is_refused(value: Fraction) -> None:
    with pytest.raises(ImportRefused, match="has no short decimal form"):
        decimal(value)


def test_a_flag_that_means_nothing_for_a_format_is_refused() -> None:
    asked = Asked(scorer="s", threshold=Fraction(1, 2))
    assert rule(asked, "X", "--scorer", "--threshold") == {"scorer": "s", "threshold": "0.5"}
    with pytest.raises(ImportRefused, match="--scorer means nothing for X"):
        rule(asked, "X", "--threshold")
    with pytest.raises(ImportRefused, match="--threshold means nothing for X"):
        rule(asked, "X", "--scorer")
    with pytest.raises(ImportRefused, match="--pass-values means nothing for X"):
        rule(Asked(pass_values=("A",)), "X")
    with pytest.raises(ImportRefused, match="--agent means nothing for X"):
        rule(Asked(agent="a"), "X")
    with pytest.raises(ImportRefused, match="--task-column means nothing for X"):
        rule(Asked(columns={"task": "id"}), "X", "--scorer", "--threshold", "--agent")
    assert rule(Asked(), "X") == {}
    assert rule(Asked(agent="a"), "X", "--agent") == {}
