"""The tasks of the page: which comes first, which attempts stand together, what is left out."""

from dataclasses import replace

import pytest

from passfloor.report.envelope import AttemptRecord, Failure
from passfloor.report.html.tasks import MOST_ANSWERS, MOST_IN_STRIP, MOST_OPEN, runs, task_parts


def with_attempts(envelope, *attempts):
    row = replace(envelope.tasks[0], attempts=attempts, n=len(attempts))
    return replace(envelope, tasks=(row,))


def test_the_flaky_pile_comes_first_and_is_open_what_always_passed_comes_last(from_counts):
    parts = task_parts(from_counts({"always": "pp", "never": "ww", "flaky": "pw"}))
    assert [(part.row.task_id, part.opened) for part in parts] == [
        ("flaky", True),
        ("never", False),
        ("always", False),
    ]


def test_only_the_first_flaky_tasks_are_open(from_counts):
    parts = task_parts(from_counts({f"t{i}": "pw" for i in range(MOST_OPEN + 2)}))
    assert [part.opened for part in parts] == [True] * MOST_OPEN + [False] * 2


def test_attempts_that_came_to_the_same_stand_together(from_counts):
    wrong = Failure("output_equals", '"yes"', '"no"')
    (part,) = task_parts(
        with_attempts(
            from_counts({"t": "pw"}),
            AttemptRecord(0, "errored", error="exit, status 3"),
            AttemptRecord(1, "wrong", "b", "no\n", failures=(wrong,)),
            AttemptRecord(2, "wrong", "b", "no\n", failures=(wrong,)),
            AttemptRecord(3, "passed", "a", "yes\nor\n"),
        )
    )
    assert [(each.outcome, each.indexes, each.lines, each.error) for each in part.answers] == [
        ("passed", "3", ("yes", "or"), ""),
        ("wrong", "1, 2", ("no",), ""),
        ("errored", "0", (), "exit, status 3"),
    ]
    assert part.answers[0].glance == "yes \u21b5 or"
    assert part.strip == (("errored", 1), ("wrong", 2), ("passed", 1))


def test_rows_without_texts_have_nothing_to_open(from_counts):
    (part,) = task_parts(from_counts({"t": "ppw"}))
    assert [each.expands for each in part.answers] == [False, False]


def test_time_and_tokens_are_told_where_they_are_known(from_counts):
    attempt = AttemptRecord(0, "passed", "a", "x", seconds=3, tokens=7)
    (part,) = task_parts(with_attempts(from_counts({"t": "p"}), attempt))
    assert part.answers[0].costs == ("attempt 0: 3.00 s, 7 tokens",)


def test_more_answers_than_are_shown_are_counted(from_counts):
    attempts = [AttemptRecord(i, "wrong", str(i), str(i)) for i in range(MOST_ANSWERS + 3)]
    (part,) = task_parts(with_attempts(from_counts({"t": "w"}), *attempts))
    assert (len(part.answers), part.unshown) == (MOST_ANSWERS, 3)


def test_a_long_strip_says_how_many_it_leaves_out(from_counts):
    (part,) = task_parts(from_counts({"t": "p" * (MOST_IN_STRIP + 5)}))
    assert (part.strip, part.beyond) == ((("passed", MOST_IN_STRIP),), 5)


def test_texts_beyond_the_budget_are_left_out_and_marked(from_counts):
    attempts = [AttemptRecord(0, "passed", "a", "12345"), AttemptRecord(1, "wrong", "b", "6")]
    (part,) = task_parts(with_attempts(from_counts({"t": "w"}), *attempts), most_text=5)
    assert [(each.lines, each.left_out) for each in part.answers] == [(("12345",), False), ((), True)]


@pytest.mark.parametrize(
    ("indexes", "wanted"), [([], ""), ([4], "4"), ([0, 1], "0, 1"), ([0, 1, 2, 3, 7], "0 to 3, 7")]
)
def test_indexes_are_told_as_runs(indexes, wanted):
    assert runs(indexes) == wanted
