"""What two receipts say about each other."""

from fractions import Fraction

import pytest

from passfloor.comparison.compare import Verdict, compare
from passfloor.comparison.gate import Decision
from passfloor.errors import UsageError
from passfloor.models.plan import Subject
from passfloor.models.receipt import Environment, Tool
from passfloor.verification.findings import Finding

WORKED = [(10, 0)] * 10 + [(7, 0)] * 4 + [(5, 0)] * 3 + [(2, 0)] * 2 + [(0, 0)]


def flat(passed, tasks):
    return [(passed, 0)] * tasks


def test_a_receipt_against_itself_shows_no_change_and_nothing_that_moved(evidence):
    one = evidence(WORKED)
    result = compare(one, one)
    assert result.verdict is Verdict.UNCHANGED
    assert result.decision is Decision.PASSED
    assert result.floor.base == result.floor.new == Fraction(869, 1680)
    assert result.ceiling.new == Fraction(4673, 5040)
    assert (result.floor.interval.low, result.floor.interval.high) == (0, 0)
    assert result.floor.p == 1
    assert result.moved == ()
    assert result.changed == ()


def test_a_floor_that_fell_by_more_than_chance_is_a_regression_and_the_other_way_round_an_improvement(
    evidence,
):
    high, low = evidence(flat(10, 20)), evidence(flat(5, 20))
    fell, rose = compare(high, low), compare(low, high)
    assert (fell.verdict, fell.decision) == (Verdict.REGRESSED, Decision.FAILED)
    assert (rose.verdict, rose.decision) == (Verdict.IMPROVED, Decision.PASSED)
    assert fell.floor.change == -rose.floor.change == Fraction(1, 252) - 1
    assert fell.floor.p == rose.floor.p < Fraction(1, 1000)
    assert len(fell.moved) == 20


def test_tasks_are_paired_and_not_pooled(evidence):
    """Six tasks that fell and none that rose are more than chance, however much the others differ."""
    base = evidence([(10, 0)] * 6 + [(10, 0), (0, 0)] * 7)
    new = evidence([(0, 0)] * 6 + [(10, 0), (0, 0)] * 7)
    result = compare(base, new)
    assert result.floor.p == Fraction(1, 32)
    assert result.verdict is Verdict.REGRESSED


def test_five_tasks_can_never_show_a_change(evidence):
    result = compare(evidence(flat(5, 5), n=5), evidence(flat(0, 5), n=5))
    assert result.floor.p == Fraction(1, 16)
    assert result.verdict is Verdict.UNCHANGED
    assert result.detectable.change is None
    assert compare(evidence(flat(5, 6), n=5), evidence(flat(0, 6), n=5)).verdict is Verdict.REGRESSED


def test_at_k_equal_to_n_the_test_is_mcnemars_and_else_a_permutation_of_the_pairs(evidence):
    at_n = evidence(flat(5, 6), n=5)
    assert compare(at_n, at_n).test == "exact McNemar test over tasks"
    above = evidence(flat(5, 6))
    assert compare(above, above).test == "paired permutation test over tasks"
    assert compare(at_n, above).test == "paired permutation test over tasks"


def test_tasks_of_one_cluster_count_as_one(evidence):
    base = evidence([(10, 0, "family")] * 12 + [(10, 0)])
    new = evidence([(0, 0, "family")] * 12 + [(10, 0)])
    result = compare(base, new)
    assert (result.tasks, result.units) == (13, 2)
    assert result.floor.p == 1
    assert result.verdict is Verdict.UNCHANGED
    assert result.test == "paired permutation test over clusters"


def test_an_allowed_drop_is_compared_exactly_and_stands_in_place_of_the_regression(evidence):
    base, new = evidence(flat(10, 10), k=1), evidence(flat(9, 10), k=1)
    assert compare(base, new).decision is Decision.FAILED
    assert compare(base, new, max_drop=Fraction(1, 10)).decision is Decision.PASSED
    assert compare(base, new, max_drop=Fraction(99, 1000)).decision is Decision.FAILED
    few = evidence(flat(10, 2), k=1), evidence(flat(9, 2), k=1)
    assert compare(*few).decision is Decision.PASSED
    assert compare(*few, max_drop=Fraction(0)).decision is Decision.FAILED
    assert compare(new, base, max_drop=Fraction(0)).decision is Decision.PASSED


def test_a_drop_that_could_not_have_been_seen_is_undecided_unless_the_comparison_failed(evidence):
    one = evidence(flat(10, 20))
    assert compare(one, one, require_power=Fraction(3, 10)).decision is Decision.PASSED
    assert compare(one, one, require_power=Fraction(29, 100)).decision is Decision.UNDECIDED
    worse = evidence(flat(5, 20))
    assert compare(one, worse, require_power=Fraction(1, 100)).decision is Decision.FAILED
    five = evidence(flat(10, 5))
    assert compare(five, five, require_power=Fraction(1)).decision is Decision.UNDECIDED


def test_attempts_that_scatter_hide_what_tasks_alone_would_show(evidence):
    steady, flaky = evidence(flat(10, 30)), evidence(flat(7, 30))
    assert compare(steady, steady).detectable.by_noise == 0
    assert compare(flaky, flaky).detectable.by_noise > 0.05


def test_receipts_over_another_suite_k_or_meaning_of_passed_are_refused(evidence):
    one = evidence(WORKED)
    with pytest.raises(UsageError, match=r"k=5 in the base and k=3 in the new.*--reliability"):
        compare(one, evidence(WORKED, k=3))
    with pytest.raises(UsageError, match="--allow-different-suite"):
        compare(one, evidence(WORKED, suite_hash="d" * 64))
    with pytest.raises(UsageError, match="--completion-only"):
        compare(one, evidence(WORKED, completion_only=True))
    with pytest.raises(UsageError, match="--reliability"):
        compare(one, evidence(WORKED, k=3, suite_hash="d" * 64), allow_different_suite=True)


def test_a_receipt_that_was_not_verified_is_refused(evidence):
    bad = evidence(WORKED, findings=[Finding(6, "sig_invalid", "no")])
    for pair in ((bad, evidence(WORKED)), (evidence(WORKED), bad)):
        with pytest.raises(UsageError, match="verified"):
            compare(*pair)


def test_over_different_suites_only_the_tasks_that_both_have_are_compared(evidence):
    base, new = evidence(flat(10, 8)), evidence(flat(10, 6) + [(0, 0)] * 6, suite_hash="d" * 64)
    result = compare(base, new, allow_different_suite=True)
    assert (result.tasks, result.left_out) == (8, (0, 4))
    assert result.floor.base == 1
    assert result.floor.new == Fraction(6, 8)
    other = evidence(flat(10, 1), suite_hash="d" * 64)
    apart = type(other)(other.verification, tuple(row for row in base.rows[1:2]), ())
    with pytest.raises(UsageError, match="share no task"):
        compare(evidence(flat(10, 1)), apart, allow_different_suite=True)


def test_errored_attempts_are_counted_on_both_sides(evidence):
    assert compare(evidence([(9, 1)]), evidence([(7, 2)])).errored == (1, 2)


def test_what_differs_besides_the_agent_is_named(evidence):
    base = evidence(WORKED)
    subject = base.verification.head.subject
    new = evidence(
        WORKED,
        subject=subject.model_copy(
            update={"adapter_digest": "e" * 64, "version": "2", "config_digest": "f" * 64}
        ),
        environment=[Environment(platform="Linux", limits={"cpus": 4, "memory": 1}, concurrency=2)],
        tool=Tool(name="passfloor", version="2"),
        graders={"output_equals": "2"},
    )
    found = [(each.kind, each.what, each.base, each.new) for each in compare(base, new).changed]
    assert found == [
        ("resources", "cpus", "2", "4"),
        ("resources", "memory", "none", "1"),
        ("harness", "version", "passfloor 1", "passfloor 2"),
        ("harness", "grader output_equals", "1", "2"),
        ("harness", "options", "c" * 64, "f" * 64),
    ]


def test_another_agent_alone_is_what_a_comparison_is_for(evidence):
    base = evidence(WORKED)
    subject = base.verification.head.subject.model_copy(update={"adapter_digest": "e" * 64, "version": "2"})
    assert compare(base, evidence(WORKED, subject=subject)).changed == ()


def test_the_served_model_is_what_recorded_answers_name_and_else_what_the_signer_claims(evidence):
    claimed = Subject(
        name=None,
        version=None,
        adapter="process",
        adapter_digest="b" * 64,
        model="m-1",
        config_digest="c" * 64,
    )
    unnamed, named = evidence(WORKED), evidence(WORKED, subject=claimed)
    assert [(c.what, c.base, c.new) for c in compare(unnamed, named).changed] == [
        ("model", "not named", "m-1")
    ]
    served = evidence(WORKED, subject=claimed, served=["m-1-0101", "m-1-0202"])
    assert [(c.base, c.new) for c in compare(named, served).changed] == [("m-1", "m-1-0101, m-1-0202")]
    assert compare(served, served).changed == ()
