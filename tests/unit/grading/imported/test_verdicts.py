"""Small pieces that every format's reader uses."""

from fractions import Fraction
from importlib import import_module

import pytest

from passfloor.grading.imported import READERS, Unreadable, read_record
from passfloor.grading.imported.verdicts import decimal, number, text, unit
from passfloor.importers.registry import names


def test_numbers_are_exact_and_booleans_are_none():
    assert number(Fraction(1, 3)) == Fraction(1, 3)
    assert number(2) == 2
    assert number(True) is number("2") is number(None) is number(0.5) is None


def test_decimal_text_is_read_by_its_digits():
    assert decimal("0.65") == Fraction(13, 20)
    assert decimal("-2") == -2
    assert decimal("1e5") is decimal("1/3") is decimal(" 1") is decimal(1) is None


def test_a_share_lies_between_nothing_and_all():
    assert unit(Fraction(1)) == 1
    assert unit(Fraction(3, 2)) is unit(Fraction(-1)) is unit(None) is None


def test_a_text_that_is_empty_is_none():
    assert text("") is text(3) is None
    assert text("x") == "x"


@pytest.mark.parametrize(("name", "module"), READERS.items())
def test_every_reader_bears_its_importers_name(name, module):
    with pytest.raises(Unreadable):
        read_record(name, {}, "null")
    assert name == import_module(f"passfloor.grading.imported.{module}").NAME


def test_there_is_a_reader_for_every_importer():
    assert set(READERS) == set(names())
