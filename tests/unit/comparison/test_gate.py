"""What opens a gate, what shuts it, and what leaves it undecided."""

from fractions import Fraction

import pytest

from passfloor.comparison.evidence import TaskRow
from passfloor.comparison.gate import Decision, Short, check_known, decide
from passfloor.comparison.thresholds import thresholds
from passfloor.errors import UsageError


def row(task_id, n, passed, errored=0):
    return TaskRow(task_id, "0" * 64, None, n, passed, errored)


def asked(**what):
    return thresholds(**what)


THREE = [row(name, 10, 7) for name in "abc"]


def test_three_tasks_at_seven_of_ten_pass_seven_tenths_exactly():
    for flag in ("require", "require_floor", "require_task_floor"):
        result = decide(THREE, 1, asked(**{flag: "0.7"}))
        assert result.decision is Decision.PASSED
        assert result.clauses[0].margin == 0
        assert decide(THREE, 1, asked(**{flag: "0.70000000000000000001"})).decision is Decision.FAILED


def test_a_third_is_less_than_any_decimal_that_rounds_up_to_it():
    thirds = [row("a", 3, 1)]
    assert decide(thirds, 1, asked(require="0." + "3" * 62)).decision is Decision.PASSED
    assert decide(thirds, 1, asked(require="0." + "3" * 61 + "4")).decision is Decision.FAILED


def test_require_asks_every_task_for_the_ceiling_and_names_those_that_fall_short_worst_first():
    rows = [row("good", 4, 1), row("bad", 4, 0), row("worse-later", 4, 0), row("ok", 4, 4)]
    result = decide(rows, 4, asked(require="0.8"))
    (clause,) = result.clauses
    assert clause.decision is result.decision is Decision.FAILED
    assert clause.short == (
        Short("bad", Fraction(0), Fraction(0)),
        Short("worse-later", Fraction(0), Fraction(0)),
    )
    assert clause.seen == 0
    assert clause.margin == Fraction(-4, 5)


def test_a_suite_floor_is_the_mean_over_tasks_and_a_task_floor_the_worst_of_them():
    rows = [row("a", 2, 2), row("b", 2, 0)]
    assert decide(rows, 2, asked(require_floor="0.5")).decision is Decision.PASSED
    assert decide(rows, 2, asked(require_task_floor="0.5")).decision is Decision.FAILED


def test_a_task_that_must_pass_passes_every_attempt():
    rows = [row("a", 3, 3), row("b", 3, 2)]
    assert decide(rows, 1, asked(must_pass=["a"])).decision is Decision.PASSED
    result = decide(rows, 1, asked(must_pass=["a", "b"]))
    assert result.decision is Decision.FAILED
    assert [clause.decision for clause in result.clauses] == ["passed", "failed"]
    assert result.clauses[1].task_id == "b"
    assert result.clauses[1].seen == Fraction(2, 3)


def test_a_clause_that_only_errored_attempts_keep_from_holding_is_undecided():
    rows = [row("a", 4, 2, errored=2)]
    result = decide(rows, 4, asked(require_floor="0.5"))
    (clause,) = result.clauses
    assert result.decision is Decision.UNDECIDED
    assert (clause.seen, clause.at_best) == (0, 1)


def test_a_clause_that_errored_attempts_could_not_save_has_failed():
    rows = [row("a", 4, 1, errored=2)]
    assert decide(rows, 4, asked(require_floor="0.5")).decision is Decision.FAILED


def test_a_clause_that_holds_with_errored_attempts_as_failures_has_passed():
    rows = [row("a", 4, 3, errored=1)]
    assert decide(rows, 1, asked(require_floor="0.75")).decision is Decision.PASSED


def test_more_errored_attempts_than_allowed_leave_a_gate_undecided_and_no_fewer_do():
    rows = [row("a", 4, 2, errored=2), row("b", 4, 3, errored=1)]
    assert decide(rows, 1, asked(max_errored=3)).decision is Decision.PASSED
    result = decide(rows, 1, asked(max_errored=2))
    assert result.decision is Decision.UNDECIDED
    assert result.clauses[0].margin == -1


def test_one_clause_that_failed_decides_whatever_else_is_undecided():
    rows = [row("a", 4, 2, errored=2), row("b", 4, 0)]
    result = decide(rows, 1, asked(require="1", must_pass=["a"], max_errored=0))
    assert [clause.decision for clause in result.clauses] == ["failed", "undecided", "undecided"]
    assert result.decision is Decision.FAILED


def test_a_part_of_a_suite_is_undecided_unless_a_part_will_do():
    held = asked(require_floor="0.5")
    assert decide(THREE, 1, held, suite_tasks=3).decision is Decision.PASSED
    assert decide(THREE, 1, held, suite_tasks=None).decision is Decision.PASSED
    result = decide(THREE, 1, held, suite_tasks=4)
    assert result.decision is Decision.UNDECIDED
    assert [clause.name for clause in result.clauses] == ["require_floor", "whole_suite"]
    assert decide(THREE, 1, asked(require_floor="0.9"), suite_tasks=4).decision is Decision.FAILED


def test_a_run_that_judged_no_answer_is_undecided_unless_completion_will_do():
    held = asked(require_floor="0.5")
    result = decide(THREE, 1, held, completion_only=True)
    assert result.decision is Decision.UNDECIDED
    assert [clause.name for clause in result.clauses] == ["require_floor", "assertions"]
    assert result.completion_only
    told = decide(THREE, 1, held, completion_only=True, completion_will_do=True)
    assert (told.decision, told.completion_only) == (Decision.PASSED, True)
    judged = decide(THREE, 1, held, completion_will_do=True)
    assert (judged.decision, judged.completion_only) == (Decision.PASSED, False)
    assert decide(THREE, 1, asked(require_floor="0.9"), completion_only=True).decision is Decision.FAILED


def test_coordination_that_diverged_fails_a_gate_and_one_that_was_not_recorded_does_not():
    held = asked(require_floor="0.5")
    assert decide(THREE, 1, held, held=False).decision is Decision.FAILED
    for unsaid in (True, None):
        assert decide(THREE, 1, held, held=unsaid).decision is Decision.PASSED


def test_a_gate_over_no_tasks_or_that_asks_nothing_is_refused():
    with pytest.raises(UsageError, match="no tasks"):
        decide([], 1, asked(require="0"))
    with pytest.raises(UsageError, match="asks nothing"):
        decide(THREE, 1, ())


def test_a_task_that_must_pass_and_was_not_run_is_refused_with_what_is_near():
    with pytest.raises(UsageError, match=r"--must-pass 'refnd'.*near: 'refund'"):
        decide([row("refund", 1, 1)], 1, asked(must_pass=["refnd"]))
    with pytest.raises(UsageError, match=r"there are 'a', 'b', 'c' and 1 more"):
        check_known(asked(must_pass=["zzz"]), ["a", "b", "c", "d"])
    with pytest.raises(UsageError, match=r"there are 'a'$"):
        check_known(asked(must_pass=["zzz"]), ["a"])
    check_known(asked(must_pass=["a"], require="1"), ["a"])
