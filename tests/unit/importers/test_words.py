import pytest

from passfloor.importers.words import counted, listed


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 attempts are"), (1, "1 attempt is"), (2, "2 attempts are")]
)
def test_one_of_a_thing_is_told_in_the_singular(number: int, words: str) -> None:
    assert counted(number, "attempt is", "attempts are") == words


def test_names_are_listed_in_one_line_of_ascii() -> None:
    assert listed(["b\n", "a"]) == r"a, b\n"
    assert listed([f"{n:02}" for n in range(10)]).endswith(" and 2 more")
