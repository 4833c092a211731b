"""Where attempts part."""

import pytest

from passfloor.canonical import canonical
from passfloor.report.envelope.partings import contrast, parting


def found(*attempts):
    events = [[{"seq": seq, **event} for seq, event in enumerate(attempt)] for attempt in attempts]
    return parting(events, [[canonical(event) for event in attempt] for attempt in events])


def start(**more):
    return {"kind": "task.started", **more}


def said(text, **more):
    return {"kind": "model.output", "sample": text, **more}


def test_attempts_that_are_all_alike_do_not_part():
    assert found([start(), said("a")], [start(), said("a")]) is None
    assert found([start()]) is None


def test_times_are_no_difference():
    assert found([start(ts=1.0), said("a")], [start(ts=2.0, elapsed_s=3), said("a")]) is None


def test_of_a_recorded_answer_counts_what_it_says_and_not_its_bytes():
    one, same = ({"said": {"text": "a"}, "text": f'{{"id": "{name}"}}'} for name in ("x", "y"))
    assert found([said(one)], [said(same)]) is None
    other = {"said": {"text": "b"}, "text": "z"}
    assert found([said(one)], [said(other)]).detail == "sample.said.text ('a' != 'b')"


def test_the_first_step_at_which_any_attempt_differs_from_the_first_is_named():
    part = found(
        [start(), said("a"), said("b")], [start(), said("a"), said("c")], [start(), said("x"), said("b")]
    )
    assert (part.step, part.left, part.right, part.kind) == (1, 0, 2, "model.output")
    assert part.detail == "sample ('a' != 'x')"


def test_of_two_that_part_at_the_same_step_the_earlier_attempt_is_named():
    assert found([said("a")], [said("b")], [said("c")]).right == 1


@pytest.mark.parametrize(("longer", "only"), [(0, "attempt 0"), (1, "attempt 1")])
def test_an_attempt_that_goes_on_parts_where_the_other_ended(longer, only):
    attempts = [[start()], [start()]]
    attempts[longer] = [start(), said("more")]
    part = found(*attempts)
    assert (part.step, part.kind, part.detail) == (1, "model.output", f"(only in {only})")


def test_numbers_that_are_one_in_json_are_no_difference_and_true_is_not_1():
    assert found([said(1)], [said(1.0)]) is None
    assert found([said(1)], [said(True)]).detail == "sample (1 != true)"


def test_answers_are_held_against_each_other_line_by_line():
    seen = contrast(2, {"output": "one\ntwo\nthree"}, 5, {"output": "one\ntwice\nthree"})
    assert (seen.left, seen.right, seen.place, seen.line, seen.column) == (2, 5, "output", 2, 3)
    assert (seen.left_line, seen.right_line, seen.shared) == ("two", "twice", 2)


def test_the_first_text_that_differs_is_named():
    seen = contrast(0, {"a.txt": "x", "b.txt": "y"}, 1, {"a.txt": "x", "b.txt": "z"})
    assert seen.place == "b.txt"


def test_the_same_answers_have_no_contrast():
    assert contrast(0, {"output": "x"}, 1, {"output": "x"}) is None


def test_a_missing_file_and_a_missing_line_are_nothing():
    assert contrast(0, {"a.txt": "x"}, 1, {"a.txt": None}).right_line is None
    assert contrast(0, {"output": "x"}, 1, {"output": "x\ny"}).left_line is None
    empty = contrast(0, {"a.txt": ""}, 1, {"a.txt": None})
    assert (empty.line, empty.left_line, empty.right_line) == (1, "", None)


def test_long_lines_are_shown_from_a_little_before_the_difference():
    seen = contrast(0, {"output": "x" * 500 + "a" + "y" * 500}, 1, {"output": "x" * 500 + "b"})
    assert seen.column == 501
    assert seen.left_line == "..." + "x" * 24 + "a" + "y" * 95 + "..."
    assert seen.right_line == "..." + "x" * 24 + "b"
    assert seen.left_line[seen.shared] == "a"
