"""Two receipts against each other, as people and machines read it."""

import pytest

from passfloor.comparison.compare import compare
from passfloor.comparison.evidence import Evidence, TaskRow
from passfloor.report.comparing import compare_report, p_value
from passfloor.report.decision_document import comparison


@pytest.fixture
def evidence(sealed, judged):
    """A verified receipt whose rows are replaced by ``(passed, errored)`` a task of four attempts."""

    def build(counts, **update):
        outcome = judged(sealed())
        rows = tuple(
            TaskRow(f"t{i}", f"{i:064x}", None, 4, passed, errored)
            for i, (passed, errored) in enumerate(counts)
        )
        object.__setattr__(outcome, "head", outcome.head.model_copy(update=update))
        return Evidence(outcome, rows)

    return build


def test_the_first_line_says_whether_the_two_are_comparable(evidence):
    one = evidence([(4, 0)] * 8)
    assert compare_report(one, one, compare(one, one)).startswith(
        "comparable: yes\nsame served model where named, same resources, same harness\n"
    )
    other = evidence([(4, 0)] * 8, scheduler_config={"scheduler": "x\x1b[1m"})
    text = compare_report(one, other, compare(one, other))
    assert text.startswith("comparable: no, more than the agent changed\n  harness, scheduler: {} -> ")
    assert "\x1b" not in text


def test_no_change_is_followed_by_the_smallest_that_could_have_been_shown(evidence):
    one = evidence([(4, 0)] * 8)
    text = compare_report(one, one, compare(one, one))
    assert "verdict: no detectable change\nthe smallest change of pass^2 that these tasks" in text
    assert "75.0 points" in text
    few = evidence([(4, 0)] * 5)
    assert "no change whatever could have been detected over 5 tasks" in compare_report(
        few, few, compare(few, few)
    )
    assert "no task moved to another pile" in text


def test_a_regression_shows_both_figures_what_moved_and_what_was_asked(evidence):
    base, new = evidence([(4, 0)] * 30), evidence([(1, 1)] * 30)
    result = compare(base, new)
    text = compare_report(base, new, result)
    assert "verdict: regressed" in text
    assert "pass^2     100.0%    0.0%  -100.0 points   -100.0 to -100.0   <0.001" in text
    assert "  t0: always (4 of 4) -> flaky (1 of 4)" in text
    assert "  and 10 more tasks" in text
    assert "failed     regression: asked none, seen regressed" in text
    assert "warning: 0 attempts of the base and 30 of the new receipt errored" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_was_asked_is_told_with_its_margin(evidence):
    from fractions import Fraction

    base, new = evidence([(4, 0)] * 8), evidence([(3, 0)] * 8)
    result = compare(base, new, max_drop=Fraction(1, 10), require_power=Fraction(1, 10))
    text = compare_report(base, new, result)
    assert "failed     drop of the floor: asked at most 10%, seen +50.0 points, margin" in text
    assert "undecided  detectable drop: asked 10%, smallest 75.0 points" in text


def test_different_suites_are_said_to_be(evidence):
    base, new = evidence([(4, 0)] * 8), evidence([(4, 0)] * 6, suite_hash="e" * 64)
    text = compare_report(base, new, compare(base, new, allow_different_suite=True))
    assert "the suites differ: compared over the 6 tasks that both have; 2 only in the base" in text


def test_a_p_value_never_looks_like_none():
    assert [p_value(value) for value in (1.0, 0.05, 0.001, 0.0009)] == ["1.000", "0.050", "0.001", "<0.001"]


def test_the_document_holds_exact_figures_and_both_receipts(evidence):
    from fractions import Fraction

    base, new = evidence([(4, 0)] * 8), evidence([(3, 0)] * 8)
    document = comparison(base, new, compare(base, new, require_power=Fraction(1, 2)))
    assert document["verdict"] == "regressed"
    assert document["decision"] == "failed"
    assert document["pass_caret_k"] == {
        "base": {"fraction": "1", "float": 1.0},
        "new": {"fraction": "1/2", "float": 0.5},
        "change": {"fraction": "-1/2", "float": -0.5},
        "interval": {
            "level": 0.95,
            "low": -0.5,
            "high": -0.5,
            "method": "exact bootstrap over tasks",
            "error": 0.0,
        },
        "p": 0.0078125,
    }
    assert [reason["clause"] for reason in document["reasons"]] == ["regression", "require_power"]
    assert document["reasons"][1]["seen"] == 0.75
    assert document["moved"][0] == {
        "task_id": "t0",
        "base": {"pile": "always", "passed": 4, "n": 4},
        "new": {"pile": "flaky", "passed": 3, "n": 4},
    }
    assert document["base"]["receipt_hash"] is not None
    assert document["base"]["completion_only"] is document["new"]["completion_only"] is False
