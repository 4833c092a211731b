"""Words are found in a text from the front, the longest where several begin, however many there are."""

import pytest

from passfloor.projection.finder import WordFinder


def marked(text, *words):
    finder = WordFinder()
    for word in words:
        finder.add(word)
    return finder.replaced(text, lambda word: f"<{word}>")


FEW = ("call_one", "call_one_more", "é-call", "one_m")
LONG = "x" * (1 << 17)
MANY = (*FEW, LONG, *(f"{number:05}" * 2000 for number in range(20)))


@pytest.mark.parametrize("words", [FEW, FEW[::-1], MANY, MANY[::-1]])
@pytest.mark.parametrize("padding", ["", "é" * 3000])
def test_the_longest_word_at_the_first_place_is_taken_and_the_search_goes_on_behind_it(words, padding):
    text = f"{padding}ü call_one, call_one_more; call_one_m: é-call call_oné-callone_m {padding}"
    expected = (
        f"{padding}ü <call_one>, <call_one_more>; <call_one>_m: <é-call> call_on<é-call><one_m> {padding}"
    )
    assert marked(text, *words) == expected


@pytest.mark.parametrize("text", ["", "nothing of the kind", "call_on" * 1000])
def test_a_text_without_a_word_stays_as_it_is(text):
    assert marked(text, *FEW) == text
    assert marked(text) == text


def test_one_word_is_found_again_and_again():
    assert marked("abab-ab", "ab") == "<ab><ab>-<ab>"


def test_a_word_that_is_added_later_is_found_from_then_on():
    finder = WordFinder()
    for word in ("first", "second", "third"):
        finder.add(word)
        assert finder.replaced("first second third", str.upper).split()[-1] == (
            "THIRD" if word == "third" else "third"
        )
    assert finder.replaced("first second third", str.upper) == "FIRST SECOND THIRD"


def test_words_of_different_parts_that_lie_over_one_another_are_taken_from_the_front():
    """The filling makes a part of its own of every word before and after it."""
    filling = (LONG, LONG[1:])
    words = ("abcd", filling[0], "cdef", filling[1], "efgh")
    assert marked("abcdefgh cdefgh efgh", *words) == "<abcd><efgh> <cdef>gh <efgh>"
    assert marked("abcdefgh", "abcd", filling[0], "cdef", "efgh") == "<abcd><efgh>"
    assert marked("abcdef", "abc", filling[0], "abcd") == "<abcd>ef"
    assert marked("cdefgh abcdefgh", "abcd", "efgh", filling[0], "cdef", "zz") == "<cdef>gh <abcd><efgh>"


def test_words_of_any_length_and_number_are_found():
    words = [f"{number:06}" * 10 for number in range(20_000)]
    assert marked(f"see {words[0]}{words[-1]}.", *words) == f"see <{words[0]}><{words[-1]}>."
    giant = "y" * 3_000_000
    assert marked(f"see {giant}.", giant, "z") == marked(f"see {giant}.", "z", giant) == f"see <{giant}>."
