"""Ids of others: as they are where a suite allows it, told apart where it does not."""

import re

from passfloor.importers.ids import original, suite_ids
from passfloor.models.names import folded, id_problem


def test_numbers_are_their_digits():
    assert suite_ids([3, 10, -1]) == ["3", "10", "-1"]


def test_a_text_of_digits_keeps_its_quotes_where_the_number_occurs_too():
    assert suite_ids([3, "3", "4"]) == ["3", '"3"', "4"]


def test_ids_that_break_the_rules_get_a_digest():
    names = ["", " a", "x" * 201, "a\nb", "e\u0301", "\ud835", 10**300]
    ids = suite_ids(names)
    assert all(re.fullmatch("#[0-9a-f]{12}", each) for each in ids)
    assert len(set(ids)) == len(names)


def test_ids_that_differ_in_case_alone_all_get_a_digest_whatever_their_order():
    first, second = suite_ids(["A", "a"]), suite_ids(["a", "A"])
    assert first == second[::-1]
    assert all(each.startswith("#") for each in first)


def test_an_id_that_looks_like_a_digest_cannot_pose_as_one():
    (digested,) = suite_ids([""])
    ids = suite_ids(["", digested])
    assert len({folded(each) for each in ids}) == 2


def test_every_id_is_one_that_a_suite_takes():
    names = [1, "1", '"1"', "b", "B", "#0123456789ab", "ß", "ss"]
    ids = suite_ids(names)
    assert not any(map(id_problem, ids))
    assert len({folded(each) for each in ids}) == len(names)


def test_the_original_is_kept_as_text_that_any_json_holds():
    assert original("\ud835") == "\\ud835"
    assert original(7) == "7"
    assert original("x" * 2000) == "x" * 1000 + "..."
