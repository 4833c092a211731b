import pytest

from passfloor.importers.retries import until_success


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
