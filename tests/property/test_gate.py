"""Gates are exact, and no attempt that passes instead shuts one."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from passfloor.comparison.evidence import TaskRow
from passfloor.comparison.gate import Decision, decide
from passfloor.comparison.thresholds import sealed, thresholds, unsealed

ORDER = {Decision.FAILED: 0, Decision.UNDECIDED: 1, Decision.PASSED: 2}


@st.composite
def suites(draw):
    n = draw(st.integers(1, 12))
    tasks = []
    for position in range(draw(st.integers(1, 6))):
        passed = draw(st.integers(0, n))
        errored = draw(st.integers(0, n - passed))
        tasks.append(TaskRow(f"t{position}", "0" * 64, None, n, passed, errored))
    return tasks, draw(st.integers(1, n))


@st.composite
def gates(draw):
    def share():
        return draw(st.none() | st.decimals(0, 1, places=3).map(lambda value: format(value, "f")))

    return thresholds(
        require=share(),
        require_floor=share(),
        require_task_floor=share() or "0.5",
        must_pass=draw(st.sampled_from([(), ("t0",)])),
        max_errored=draw(st.none() | st.integers(0, 20)),
    )


@given(suites(), gates(), st.data())
def test_making_an_attempt_pass_never_shuts_a_gate(suite, asked, data):
    rows, k = suite
    before = decide(rows, k, asked)
    position = data.draw(st.integers(0, len(rows) - 1))
    row = rows[position]
    wrong = row.n - row.passed - row.errored
    kinds = [kind for kind, there in (("wrong", wrong), ("errored", row.errored)) if there]
    if not kinds:
        return
    less = int(data.draw(st.sampled_from(kinds)) == "errored")
    better = TaskRow(row.task_id, row.task_hash, None, row.n, row.passed + 1, row.errored - less)
    after = decide([*rows[:position], better, *rows[position + 1 :]], k, asked)
    assert ORDER[after.decision] >= ORDER[before.decision]


@given(suites(), gates())
def test_undecided_means_that_the_errored_attempts_decide(suite, asked):
    rows, k = suite
    shares = tuple(each for each in asked if each.name != "max_errored")
    as_failures = decide([TaskRow(r.task_id, r.task_hash, None, r.n, r.passed, 0) for r in rows], k, shares)
    as_passes = decide([r.at_best() for r in rows], k, shares)
    now = decide(rows, k, shares).decision
    if now is Decision.UNDECIDED:
        assert as_failures.decision is Decision.FAILED
        assert as_passes.decision is Decision.PASSED
    else:
        assert as_failures.decision is as_passes.decision is now or (
            now is Decision.PASSED and as_failures.decision is Decision.PASSED
        )


@given(suites())
def test_a_suite_floor_at_exactly_what_is_asked_passes_and_anything_above_does_not(suite):
    rows, k = suite
    floor = sum((r.floor(k) for r in rows), Fraction(0)) / len(rows)
    clause = decide(rows, k, thresholds(require_floor="0")).clauses[0]
    assert clause.seen == floor
    below = str(int(floor * 10**20)).zfill(21)
    text = f"{below[:-20]}.{below[-20:]}"
    assert decide(rows, k, thresholds(require_floor=text)).clauses[0].decision is Decision.PASSED
    above = str(int(floor * 10**20) + 1).zfill(21)
    if floor < 1:
        text = f"{above[:-20]}.{above[-20:]}"
        assert decide(rows, k, thresholds(require_floor=text)).clauses[0].decision is not Decision.PASSED


@given(gates())
def test_a_gate_is_sealed_and_read_back_unchanged(asked):
    gate = sealed(asked)
    assert gate is not None
    assert unsealed(gate) == asked
