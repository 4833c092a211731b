from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.grading.imported.verdicts import decimal as read_back
from passfloor.importers.choices import chosen, decimal, listed, rule
from passfloor.importers.interface import Asked
from passfloor.importers.retries import until_success


def test_one_agent_alone_needs_no_choice() -> None:
    assert chosen(None, {"a": ()}, "agents") == "a"


def test_of_several_agents_one_must_be_named_by_a_name_that_is_its_own() -> None:
    names = {"a/m": ("a", "m"), "b/m": ("b", "m")}
    with pytest.raises(ImportRefused, match=r"2 agents in one log \(a/m, b/m\): choose one with --agent"):
        chosen(None, names, "agents")
    assert chosen("b/m", names, "agents") == chosen("b", names, "agents") == "b/m"
    with pytest.raises(ImportRefused, match="'m' is 2 of the agents"):
        chosen("m", names, "agents")
    with pytest.raises(ImportRefused, match="'x' is none of the agents"):
        chosen("x", {"a": ()}, "agents")


def test_names_are_listed_in_one_line_of_ascii() -> None:
    assert listed(["b\n", "a"]) == r"a, b\n"
    assert listed([f"{n:02}" for n in range(10)]).endswith(" and 2 more")


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
    assert rule(asked, "X", scorer=True, threshold=True) == {"scorer": "s", "threshold": "0.5"}
    with pytest.raises(ImportRefused, match="--scorer means nothing for X"):
        rule(asked, "X", threshold=True)
    with pytest.raises(ImportRefused, match="--threshold means nothing for X"):
        rule(asked, "X", scorer=True)
    with pytest.raises(ImportRefused, match="--pass-values means nothing for X"):
        rule(Asked(pass_values=("A",)), "X")
    with pytest.raises(ImportRefused, match="--agent means nothing for X"):
        rule(Asked(agent="a"), "X")
    with pytest.raises(ImportRefused, match="--task-column means nothing for X"):
        rule(Asked(columns={"task": "id"}), "X", scorer=True, threshold=True, agent=True)
    assert rule(Asked(), "X") == {}
    assert rule(Asked(agent="a"), "X", agent=True) == {}


@pytest.mark.parametrize(
    ("groups", "retried"),
    [
        ([[False, True], [True]], True),
        ([[False, False, False], [False, True], [True]], True),
        ([[True], [True]], False),
        ([[False, True], [False, True]], False),
        ([[True, True], [True]], False),
        ([[False, True], [False]], False),
        ([], False),
        ([[], [True]], False),
        ([[True]], False),
    ],
)
def test_retries_until_success_are_told_by_who_has_fewer(groups: list[list[bool]], retried: bool) -> None:
    assert until_success(groups) is retried


@pytest.mark.parametrize(
    ("groups", "retried"),
    [
        ([[False, True], [False, True]], True),
        ([[True], [True]], False),
        ([[False], [False]], False),
        ([[False, True]], False),
    ],
)
def test_retries_are_told_by_who_has_fewer_than_were_planned(groups: list[list[bool]], retried: bool) -> None:
    assert until_success(groups, 3) is retried
