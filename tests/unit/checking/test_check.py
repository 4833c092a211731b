"""The determinism check on adapter objects: what is aligned with what, and what it may conclude."""

import io

import pytest

from passfloor import receipts
from passfloor.adapters.mock import MockReplayAdapter, MockScorer
from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
from passfloor.checking.check import EVERYTHING, Selection, check
from passfloor.errors import UsageError
from passfloor.models.suite import Suite, Task
from passfloor.report.terminal import check_report
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner
from passfloor.scrubbing import Scrubber
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.verification.inputs import Inputs, Trust

NOW = 1_700_000_000.0


def a_suite(*ids):
    tasks = [
        Task.model_validate({"id": name, "description": name, "assertions": [{"kind": "completed"}]})
        for name in ids
    ]
    return Suite(version="s", tasks=tasks)


class Stateful:
    """Call i of a task routes through ``routes[i]``: well defined, and different from call to call."""

    def __init__(self, routes=("r", "r", "r"), errors=()):
        self.routes = routes
        self.errors = dict(errors)
        self.calls = 0
        self.asked = []

    def __deepcopy__(self, memo):
        made = type(self)(self.routes, self.errors)
        made.calls = self.calls
        made.asked = self.asked
        return made

    def run_task(self, task, scheduler_config):
        call, self.calls = self.calls, self.calls + 1
        self.asked.append((task.id, call))
        events = [{"kind": "task.started"}, {"kind": "route", "to": self.routes[call]}]
        if call in self.errors:
            error = {"type": "timeout", "detail": "late"}
            events = events[: self.errors[call]]
            events.append({"kind": "attempt.errored", "error": error, "exit_code": None})
        else:
            events += [{"kind": "model.output", "sample": call}, {"kind": "task.completed"}]
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(events)]}

    def score_task(self, task, receipt):
        return True, 1.0, {}


@pytest.fixture
def checked():
    """Run one adapter, check with another; returns the check."""

    def go(
        recorded,
        given=None,
        selection=EVERYTHING,
        *,
        ids=("a", "b"),
        n=3,
        edit=None,
        now=NOW,
        allow_stub=True,
    ):
        suite = a_suite(*ids)
        plan = make_plan(suite, recorded, k=1, n=n)
        receipt = StubReliabilitySigner().sign(Runner(suite, recorded, plan, clock=lambda: NOW).run())
        document = receipt.document()
        if edit:
            edit(document)
            document["receipt_hash"] = receipts.receipt_hash(document)
            document["signature"] = StubReliabilitySigner().sign_hash(document["receipt_hash"])
        scorers = {"mock": MockScorer(), "stochastic-mock": StochasticMockScorer()}
        inputs = Inputs(
            now=now,
            trust=Trust(allow_stub=allow_stub),
            read_suite=lambda _document: suite,
            suite=suite,
            scorer=None if hasattr(recorded, "key") else recorded,
            synthetic_scorers=scorers,
        )
        stream = io.BytesIO(b"".join(receipts.write(document)))
        return check(stream, inputs, lambda _version, _mode: (given or recorded, Scrubber()), selection)

    return go


def places(outcome):
    return [(attempt.task_id, attempt.attempt) for attempt in outcome.attempts]


@pytest.mark.parametrize("make", [MockReplayAdapter, StochasticMockReplayAdapter])
def test_the_synthetic_adapters_come_out_byte_for_byte(checked, make):
    outcome = checked(make())
    assert (outcome.status, outcome.passed) == ("PASS", True)
    assert places(outcome) == [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("b", 2)]
    assert all(attempt.byte_identical for attempt in outcome.attempts)


def test_position_n_is_compared_with_recorded_attempt_n(checked):
    """Attempts that differ by position diverge from each other, and not from their own re-run."""
    recorded = Stateful(("r0", "r1", "r2"))
    outcome = checked(recorded)
    assert all(attempt.byte_identical for attempt in outcome.attempts)
    assert (outcome.status, outcome.verification.status) == ("FAIL", "COORDINATION_DIVERGED")


def test_attempt_n_alone_is_reached_by_replaying_those_before_it(checked):
    given = Stateful()
    outcome = checked(Stateful(), given, Selection(tasks=["b"], attempt=2))
    assert given.asked == [("b", 0), ("b", 1), ("b", 2)]
    assert places(outcome) == [("b", 2)]
    assert outcome.attempts[0].byte_identical is True


def test_the_first_task_and_attempt_are_the_default(checked):
    given = Stateful()
    outcome = checked(Stateful(), given, None)
    assert places(outcome) == [("a", 0)]
    assert given.asked == [("a", 0)]


def test_the_adapter_that_is_given_stays_where_it_was(checked):
    given = Stateful()
    checked(Stateful(), given)
    assert given.calls == 0


def test_the_first_divergent_field_is_named_with_both_values(checked):
    outcome = checked(Stateful(), Stateful(("r", "q", "r")))
    assert (outcome.status, outcome.passed) == ("FAIL", False)
    wrong = [attempt for attempt in outcome.attempts if not attempt.coordination_identical]
    assert places(type("x", (), {"attempts": wrong})) == [("a", 1), ("b", 1)]
    assert wrong[0].divergent_field == "events[1].to"
    assert wrong[0].detail == "events[1].to ('r' != 'q')"


def test_a_rerun_that_was_cut_is_inconclusive_and_a_recorded_one_is_not(checked):
    cut = checked(Stateful(), Stateful(errors={1: 1}))
    assert (cut.status, cut.passed) == ("UNDECIDED", False)
    middle = cut.attempts[1]
    assert (middle.inconclusive, middle.coordination_identical, middle.divergent_field) == (True, False, None)
    assert "timeout: late" in middle.detail
    assert checked(Stateful(errors={1: 1}), Stateful()).status == "PASS"
    assert checked(Stateful(errors={1: 2}), Stateful(errors={1: 2})).status == "PASS"
    assert checked(Stateful(errors={1: 2}), Stateful(errors={1: 1})).status == "UNDECIDED"


def test_divergence_outweighs_what_could_not_be_told(checked):
    assert checked(Stateful(), Stateful(("r", "r", "q"), errors={0: 1})).status == "FAIL"


def test_another_agent_is_undecided_and_never_run(checked):
    class Other(Stateful):
        pass

    given = Other()
    outcome = checked(Stateful(), given)
    assert outcome.status == "UNDECIDED"
    assert "another agent" in outcome.undecided
    assert given.asked == []
    assert checked(MockReplayAdapter(seed=1), MockReplayAdapter(seed=2)).status == "UNDECIDED"


@pytest.mark.parametrize(
    ("edit", "status"),
    [
        (lambda d: d.update(pass_caret_k=0.0), "FABRICATED_FLOOR"),
        (lambda d: d["task_results"][0]["attempts"][0].update(score=0.0), "FABRICATED_SCORE"),
        (lambda d: d.update(coordination_ok=False), "COORDINATION_DIVERGED"),
    ],
)
def test_a_false_claim_over_honest_evidence_is_told_and_does_not_stop_the_check(checked, edit, status):
    outcome = checked(MockReplayAdapter(), edit=edit)
    assert outcome.refused is False
    assert (outcome.status, outcome.passed) == ("PASS", True)
    assert outcome.verification.status == status
    assert f"the receipt itself is rejected: {status}" in check_report(outcome)
    assert all(attempt.coordination_identical for attempt in outcome.attempts)


@pytest.mark.parametrize(
    ("edit", "status"),
    [
        (lambda d: d["task_results"].pop(), "MISSING_RECEIPT"),
        (lambda d: d["task_results"][0]["attempts"][0].update(receipt_hash="0" * 64), "HASH_MISMATCH"),
        (lambda d: d.update(seed=1), "MALFORMED_RECEIPT"),
    ],
)
def test_evidence_that_is_not_whole_runs_nothing(checked, edit, status):
    given = Stateful()
    outcome = checked(Stateful(), given, edit=edit)
    assert (outcome.refused, outcome.status, outcome.attempts) == (True, status, ())
    assert given.asked == []


def test_an_untrusted_signature_runs_nothing(checked):
    given = Stateful()
    outcome = checked(Stateful(), given, allow_stub=False)
    assert outcome.status == "UNSIGNED"
    assert given.asked == []


@pytest.mark.parametrize(
    ("selection", "hint"),
    [
        (Selection(tasks=["aa"], attempt=0), "no task 'aa'"),
        (Selection(tasks=["task-on"], attempt=0), r"did you mean 'task-one'\?"),
        (Selection(tasks=None, attempt=3), "attempts 0 to 2"),
        (Selection(tasks=None, attempt=-1), "attempts 0 to 2"),
    ],
)
def test_a_selection_the_receipt_does_not_hold_is_refused(checked, selection, hint):
    given = Stateful()
    with pytest.raises(UsageError, match=hint):
        checked(Stateful(), given, selection, ids=("task-one", "task-two"))
    assert given.asked == []
