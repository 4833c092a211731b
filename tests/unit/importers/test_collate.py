"""From records to attempts: planned attempts are the n, whatever the log holds of them."""

import json
from fractions import Fraction

import pytest

from passfloor.errors import ImportRefused
from passfloor.importers import collate as collating
from passfloor.importers.collate import collate
from passfloor.importers.collated import OUTCOMES
from passfloor.importers.interface import Asked, Log, Record, Subject
from passfloor.importers.spool import RecordSpool

RULE = {"outcome": "o", "score": "s", "error": "e"}


def record(task, index, outcome="passed", *, order=(), cached=False, score=None, error=None):
    text = json.dumps({"o": outcome, "s": score, "e": error})
    return Record(task, index, text, f"row {task}/{index}/{order}", order, cached)


def collated(records, *, tasks=(), planned=None, attempts=None, **asked):
    log = Log("rows", "suite", Subject(), RULE, tuple(tasks), planned, lambda: list(records))
    with RecordSpool() as spool:
        found = collate(log, Asked(**asked), spool, attempts=attempts)
        texts = {
            (task.id, index): spool.text(number)
            for task in found.tasks
            for index, number in enumerate(task.records)
            if number >= 0
        }
    return found, texts


def codes(found):
    return {task.id: [OUTCOMES[code] for code in task.codes] for task in found.tasks}


def kinds(found):
    return [note.code for note in found.notes]


def test_what_is_missing_stays_in_n_and_is_named():
    found, _ = collated([record("a", 0), record("a", 2, "wrong")], tasks=["b", "a"], planned=3)
    assert codes(found) == {"b": ["missing"] * 3, "a": ["passed", "missing", "wrong"]}
    assert [(task.counted.n, task.counted.passed, task.counted.errored) for task in found.tasks] == [
        (3, 0, 3),
        (3, 1, 1),
    ]
    (note,) = found.notes
    assert note.code == "missing"
    assert "4 of 6 planned attempts are not in the log, of tasks b, a" in note.text


def test_where_nobody_says_how_many_were_planned_the_most_seen_counts_and_it_is_said():
    found, _ = collated([record("a", 0), record("a", 1), record("b", 0)])
    assert codes(found) == {"a": ["passed", "passed"], "b": ["passed", "missing"]}
    assert kinds(found) == ["missing"]
    found, _ = collated([record("a", 0), record("b", 0)])
    assert kinds(found) == ["not_told"]


def test_the_user_may_say_how_many_were_planned():
    found, _ = collated([record("a", 0)], attempts=3, planned=1)
    assert codes(found) == {"a": ["passed", "missing", "missing"]}
    with pytest.raises(ImportRefused, match="--attempts 1: a task has 2 attempts in the log"):
        collated([record("a", 0), record("a", 1)], attempts=1)


def test_tasks_may_be_planned_with_numbers_of_their_own():
    found, _ = collated([record("a", 0), record("b", 0)], planned={"a": 1, "b": 2})
    assert codes(found) == {"a": ["passed"], "b": ["passed", "missing"]}
    assert found.sizes == {1: 1, 2: 1}


def test_attempts_beyond_the_plan_count_and_are_told():
    found, _ = collated([record("a", 0), record("a", 1)], planned=1)
    assert codes(found) == {"a": ["passed", "passed"]}
    assert kinds(found) == ["unplanned"]


def test_a_doubled_attempt_is_refused_with_both_places():
    with pytest.raises(ImportRefused) as caught:
        collated([record("a", 0), record("b", 0), record("a", 0, "wrong", order=(1,))])
    assert "row a/0/(), and row a/0/(1,)" in str(caught.value)


@pytest.mark.parametrize(("keep", "outcome"), [("first", "passed"), ("last", "wrong")])
def test_a_doubled_attempt_is_decided_by_keep(keep, outcome):
    found, texts = collated([record("a", 0), record("a", 0, "wrong")], keep=keep)
    assert codes(found) == {"a": [outcome]}
    assert f'"{outcome}"' in texts["a", 0]
    assert "duplicates" in kinds(found)


def test_attempts_without_a_number_are_numbered_in_their_order():
    rows = [record("a", None, "wrong", order=(2,)), record("a", None, "passed", order=(1,))]
    assert codes(collated(rows)[0]) == {"a": ["passed", "wrong"]}


def test_what_cannot_be_put_in_order_stays_as_it_came():
    rows = [record("a", None, "wrong", order=("x",)), record("a", None, "passed", order=(1,))]
    assert codes(collated(rows)[0]) == {"a": ["wrong", "passed"]}


def test_attempts_with_and_without_a_number_do_not_mix():
    with pytest.raises(ImportRefused, match="has no number, row a/1/\\(\\) has one"):
        collated([record("a", 1), record("a", None)])


def test_a_number_and_its_text_are_two_tasks():
    found, _ = collated([record(3, 0), record("3", 0)])
    assert list(codes(found)) == ["3", '"3"']
    assert "renamed" in kinds(found)


def test_cancelled_and_errored_attempts_are_apart_and_both_count_as_errored():
    found, _ = collated([record("a", 0, "cancelled"), record("a", 1, "error", error="boom"), record("a", 2)])
    (task,) = found.tasks
    assert (task.count("cancelled"), task.count("errored"), task.counted.errored) == (1, 1, 2)
    assert found.first_error == "cancelled"


def test_a_verdict_beside_an_error_word_wins_and_is_counted():
    found, _ = collated([record("a", 0, "passed", error="timed out")])
    assert codes(found) == {"a": ["passed"]}
    assert found.beside == 1
    assert "error_beside" in kinds(found)


def test_replayed_attempts_are_flagged():
    found, _ = collated([record("a", 0, cached=True)])
    assert found.cached == 1
    assert "cached" in kinds(found)


def test_retries_until_success_are_recognised():
    rows = [record("a", 0, "wrong"), record("a", 1), record("b", 0), record("c", 0, "wrong")]
    rows += [record("c", 1, "wrong"), record("c", 2)]
    found, _ = collated(rows)
    assert "retries" in kinds(found)
    honest = [record(task, index, "wrong" if index else "passed") for task in "ab" for index in range(3)]
    assert "retries" not in kinds(collated(honest)[0])


def test_a_stopped_run_in_which_nothing_passed_is_none_of_retries():
    found, _ = collated([record("a", 0, "wrong"), record("b", 0, "wrong")], planned=2)
    assert kinds(found) == ["missing"]


def test_tasks_that_only_the_universe_names_are_missing_whoever_wrote_the_log(tmp_path):
    names = tmp_path / "all.txt"
    names.write_text("3\na\nc\n")
    found, _ = collated([record("a", 0), record("a", 1), record(3, 0)], universe=names)
    assert codes(found) == {"a": ["passed", "passed"], "3": ["passed", "missing"], "c": ["missing"] * 2}


def test_secrets_are_taken_out_before_a_record_is_read_or_kept():
    key = "sk-" + "a1B2" * 8
    found, texts = collated([record("a", 0, error=f"key {key}")])
    assert key not in texts["a", 0]
    assert "scrubbed" in kinds(found)


def test_scores_are_kept_exactly():
    found, _ = collated([record("a", 0, score=0.65)])
    assert found.tasks[0].scores == {0: Fraction(13, 20)}


@pytest.mark.parametrize(
    ("records", "options", "words"),
    [
        ([], {}, "no attempts"),
        ([], {"tasks": ["a"]}, "holds no attempt of any"),
        ([record("a", 100)], {}, "is not from 0 to 99"),
        ([record("a", -1)], {}, "is not from 0 to 99"),
        ([record("a", 0)], {"planned": 101}, "at most 100 attempts"),
        ([record("a", 0, "great")], {}, "row a/0/\\(\\): 'great' is no verdict"),
        ([record("x" * 200_000, 0)], {}, "has 200000 characters"),
        ([record(number, 0) for number in range(101)], {}, "more than 100 tasks"),
        ([record("a", None)] * 101, {}, "task 'a' has 101 attempts"),
        ([record(number, 99) for number in range(60)], {}, "split the log"),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(records, options, words, monkeypatch):
    monkeypatch.setattr(collating, "MAX_TASKS", 100)
    monkeypatch.setattr(collating, "MAX_ATTEMPTS", 100)
    monkeypatch.setattr(collating, "MAX_TOTAL", 5_000)
    with pytest.raises(ImportRefused, match=words) as caught:
        collated(records, **options)
    assert "\n" not in str(caught.value)


def test_of_two_records_of_one_attempt_only_the_kept_one_is_told_of():
    rows = [record("a", 0, error="slow", cached=True), record("a", 0)]
    found, _ = collated(rows, keep="last")
    assert (found.cached, found.beside, found.twice) == (0, 0, 1)
    found, _ = collated(rows, keep="first")
    assert (found.cached, found.beside, found.twice) == (1, 1, 1)


def test_the_first_error_is_the_first_of_the_log():
    rows = [record("b", 0, "error", error="late"), record("a", 0, "error", error="early")]
    assert collated(rows, tasks=["a", "b"])[0].first_error == "late"
    assert collated([record("a", 0)])[0].first_error == ""


def test_tasks_of_the_universe_were_to_be_tried_as_often_as_any(tmp_path):
    names = tmp_path / "all.txt"
    names.write_text("a\nz\n")
    found, _ = collated([record("a", 0), record("b", 0)], planned={"a": 3}, universe=names)
    assert {task.id: task.n for task in found.tasks} == {"a": 3, "b": 1, "z": 3}
    assert collated([record("a", 0)], planned=2, universe=names)[0].sizes == {2: 2}


def test_one_attempt_is_told_of_in_the_singular():
    rows = [record("a", 0, error="slow", cached=True), record("a", 0), record("a", 2)]
    found, _ = collated(rows, keep="first", planned=3)
    told = {note.code: note.text for note in found.notes}
    assert told["duplicates"].startswith("1 attempt is there twice")
    assert told["missing"].startswith("1 of 3 planned attempts is not in the log, of task a")
    assert told["cached"].startswith("1 attempt was replayed")
    assert told["error_beside"].startswith("1 attempt has a verdict")
