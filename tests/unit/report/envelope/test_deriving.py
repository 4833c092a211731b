"""The envelope: every number and sentence of a report."""

from fractions import Fraction

import pytest

from passfloor.errors import UsageError
from passfloor.report.envelope import Reading, of_rows, read_rows
from passfloor.report.envelope.records import AttemptRecord, TaskRecord
from passfloor.report.envelope.words import KINDS


def codes(remarks):
    return [remark.code for remark in remarks]


def row_of(envelope, name):
    return next(row for row in envelope.tasks if row.task_id == name)


def test_figures_are_those_that_were_sealed(sealed, enveloped):
    run = sealed()
    envelope = enveloped(run)
    assert float(envelope.at.floor) == run[2].pass_caret_k
    assert float(envelope.at.ceiling) == run[2].pass_at_1
    assert envelope.counts == run[2].counts
    assert (envelope.source.mark, envelope.source.status) == ("TEST-GRADE", "MATCH")


def test_another_k_moves_the_figures_and_k_above_n_is_refused(sealed, enveloped):
    run = sealed()
    envelope = enveloped(run, k=4)
    assert envelope.at.floor == Fraction(1, 3)
    assert envelope.curve[1] == enveloped(run).at
    with pytest.raises(UsageError, match=r"k=5 > n=4"):
        enveloped(run, k=5)


def test_rows_need_a_k(from_counts):
    with pytest.raises(UsageError, match="-k K"):
        from_counts({"a": "p"}, k=None)


def test_floor_rate_and_ceiling_are_in_order_along_the_curve(from_counts):
    envelope = from_counts({"a": "ppwp", "b": "wwpw", "c": "pppp"}, k=2)
    for point in envelope.curve:
        assert point.floor <= envelope.success_rate <= point.ceiling
        assert point.floor_interval.low <= point.floor <= point.floor_interval.high
    assert envelope.curve[0].width == 0
    assert envelope.batch == envelope.success_rate**2


def test_never_passing_tasks_are_told_apart_by_what_they_answered(sealed, enveloped):
    script = {
        "same": ["no", "no", "no", "errored"],
        "one": ["no", "errored", "errored", "errored"],
        "flaky": ["yes", "no", "no", "no"],
        "always": ["a", "b", "c", "d"],
    }
    envelope = enveloped(sealed(script))
    assert [row.kind for row in envelope.tasks] == ["never_same", "never", "flaky", "always"]
    assert [row.pile for row in envelope.tasks] == ["never", "never", "flaky", "always"]
    assert envelope.piles == {"always": 1, "flaky": 1, "never_same": 1, "never_scattered": 0, "never": 1}
    assert set(envelope.piles) == set(KINDS)


def test_different_wrong_answers_are_scattered():
    records = [AttemptRecord(i, "wrong", answer) for i, answer in enumerate(["x", "y", "x", None])]
    (row,) = of_rows([TaskRecord("a", 0, records)], Reading(k=1), "x").tasks
    assert (row.kind, row.distinct_answers, row.modal_share) == ("never_scattered", 2, Fraction(2, 3))


def test_rows_cannot_tell_why_a_task_never_passed(from_counts):
    row = row_of(from_counts({"a": "ww"}), "a")
    assert (row.kind, row.distinct_answers, row.modal_share) == ("never", None, None)


def test_the_worst_come_first_and_of_equals_the_one_that_errored(from_counts):
    envelope = from_counts({"ok": "pp", "wrong": "ww", "errored": "we", "so": "pw"})
    assert [row.task_id for row in envelope.worst_first] == ["errored", "wrong", "so", "ok"]
    assert [row.task_id for row in envelope.of_pile("never")] == ["errored", "wrong"]


def test_a_task_has_its_own_bounds(from_counts):
    envelope = from_counts({"a": "p" * 10, "b": "w" * 10}, k=2)
    clean, never = envelope.tasks
    assert clean.ruled_out == pytest.approx(0.2589, abs=1e-4)
    assert clean.rate_interval == pytest.approx((0.6915, 1.0), abs=1e-4)
    assert never.ruled_out is None
    assert clean.all_passed
    assert not never.all_passed


def test_errored_attempts_could_all_have_passed(from_counts):
    best = from_counts({"a": "peee", "b": "eeew"}, k=4).if_passed
    assert (best.success_rate, best.ceiling, best.floor) == (Fraction(7, 8), 1, Fraction(1, 2))
    assert from_counts({"a": "pw"}).if_passed is None


@pytest.mark.parametrize(
    ("tasks", "k", "code"),
    [
        ({"a": "pe"}, 1, "errored"),
        ({"a": "pw"}, 1, "few_tasks"),
        ({"a": "pw"}, 2, "k_is_n"),
        ({f"t{i}": "wwwwwppppp" for i in range(5)}, 2, "trend"),
    ],
)
def test_what_weakens_the_reading_is_said(from_counts, tasks, k, code):
    assert code in codes(from_counts(tasks, k=k).warnings)


def test_a_suite_that_gives_no_cause_has_no_warning(from_counts):
    tasks = {f"t{i}": "pwpp" if i % 2 else "ppwp" for i in range(20)}
    assert from_counts(tasks, k=2).warnings == ()
    one = {f"t{i}": "p" for i in range(20)}
    assert codes(from_counts(one, k=1).warnings) == []


def test_a_trend_names_its_direction(from_counts):
    rising = from_counts({f"t{i}": "wwwwwppppp" for i in range(5)}, k=2)
    falling = from_counts({f"t{i}": "pppppwwwww" for i in range(5)}, k=2)
    texts = [next(each.text for each in env.warnings if each.code == "trend") for env in (rising, falling)]
    assert texts[0].startswith("later attempts pass more often")
    assert texts[1].startswith("later attempts pass less often")


def test_one_output_in_all_attempts_of_every_task_is_said(sealed, enveloped):
    alike = sealed({"a": ["yes"] * 3, "b": ["no"] * 3})
    assert "identical_outputs" in codes(enveloped(alike).warnings)
    differing = sealed({"a": ["yes"] * 3, "b": ["no", "yes", "no"]})
    assert "identical_outputs" not in codes(enveloped(differing).warnings)
    single = sealed({"a": ["yes"]}, k=1)
    assert "identical_outputs" not in codes(enveloped(single, k=1).warnings)


def test_the_first_error_is_told(sealed, enveloped):
    warning = next(each for each in enveloped(sealed()).warnings if each.code == "errored")
    assert "2 of 12 attempts errored (the first: exit, exit status 3)" in warning.text


def test_each_pile_that_is_not_empty_has_its_advice(sealed, enveloped, from_counts):
    assert codes(enveloped(sealed()).advice) == ["flaky", "never", "never_same", "always"]
    assert codes(from_counts({"a": "pp"}).advice) == ["always"]
    assert (
        "2 clean attempts of a task exclude only failure rates above 77.6%"
        in from_counts({"a": "pp"}).advice[0].text
    )


def test_a_receipt_that_is_refused_says_what_decides(sealed, enveloped):
    envelope = enveloped(sealed(), lambda document: document.update(pass_caret_k=0.9))
    assert (envelope.source.verified, envelope.source.status) == (False, "FABRICATED_FLOOR")
    assert envelope.source.problem.startswith("FABRICATED_FLOOR/pass_caret_k")


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document["task_results"].pop(),
        lambda document: document["task_results"][0]["attempts"].pop(),
        lambda document: document.pop("k"),
    ],
)
def test_what_lacks_attempts_cannot_be_reported_on_at_all(sealed, enveloped, edit):
    with pytest.raises(UsageError, match="does not hold n attempts of every task"):
        enveloped(sealed(), edit)


def test_equal_rows_give_equal_envelopes(from_counts):
    assert from_counts({"a": "pw", "b": "pp"}) == from_counts({"a": "pw", "b": "pp"})
    assert of_rows(read_rows([b'{"task":"a","attempt":0,"outcome":"passed"}']), Reading(k=1), "x").n == 1
