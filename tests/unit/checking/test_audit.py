"""The audit on adapter objects: what counts as a claim, and what is decided where nothing was run."""

import io
from fractions import Fraction

import pytest

from passfloor import receipts
from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
from passfloor.checking.audit import Audit, Sampling, audit
from passfloor.models.suite import Suite, Task
from passfloor.report import json_document
from passfloor.report.auditing import audit_report
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner
from passfloor.scrubbing import Scrubber
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.result import Verification

NOW = 1_700_000_000.0


class Scripted:
    """Call i of a task says the i-th word of its script."""

    def __init__(self, words):
        self.words = words
        self.calls = 0

    def __deepcopy__(self, memo):
        return type(self)(self.words)

    def run_task(self, task, scheduler_config):
        word = self.words[self.calls % len(self.words)]
        self.calls += 1
        sample = {"stdout": word, "exit_code": 0, "stderr_tail": ""}
        kinds = [{"kind": "task.started"}, {"kind": "model.output", "sample": sample}]
        kinds += [{"kind": "model.artifact", "sample": {}}, {"kind": "task.completed"}]
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(kinds)]}

    def score_task(self, task, receipt):
        said = next(e["sample"]["stdout"] for e in receipt["events"] if e["kind"] == "model.output")
        return said == "yes", 1.0 if said == "yes" else 0.0, {}


def a_suite(*ids):
    tasks = [
        Task.model_validate({"id": name, "description": name, "assertions": [{"kind": "completed"}]})
        for name in ids
    ]
    return Suite(version="s", tasks=tasks)


def sealed(suite, adapter, n=5):
    receipt = Runner(suite, adapter, make_plan(suite, adapter, k=2, n=n), clock=lambda: NOW).run()
    return io.BytesIO(b"".join(receipts.write(StubReliabilitySigner().sign(receipt).document())))


def inputs(suite, scorer):
    trust = Trust(allow_stub=True)
    return Inputs(now=NOW + 1, trust=trust, read_suite=lambda _: suite, suite=suite, scorer=scorer)


def audited(suite, claimed, fresh, budget=20):
    scorer = Scripted(())
    return audit(
        sealed(suite, Scripted(claimed)),
        inputs(suite, scorer),
        lambda _version, _tasks: (Scripted(fresh), Scrubber()),
        Sampling(budget, 1),
    )


def test_an_adapter_object_is_called_in_order_once_an_attempt():
    found = audited(a_suite("a", "b"), ["yes"], ["yes", "no"])
    assert [(each.spot.c, each.spot.r, each.spot.s) for each in found.tasks] == [(5, 10, 5)] * 2


def test_claims_are_the_counts_of_what_passed():
    found = audited(a_suite("a"), ["yes", "no", "no"], ["no"], budget=9)
    (task,) = found.tasks
    assert task.spot == (5, 2, 9, 0)
    assert found.verification.matches


def test_an_audit_that_made_nothing_decides_nothing():
    found = Audit(Verification(()), Sampling(1, 0))
    assert (found.decision, found.attempts, found.same_agent) == ("undecided", 0, False)


def test_alpha_is_what_the_user_says():
    suite = a_suite("a")
    scorer = Scripted(())
    sampling = Sampling(20, 1, alpha=Fraction(1, 2))
    found = audit(
        sealed(suite, Scripted(["yes"])),
        inputs(suite, scorer),
        lambda _version, _tasks: (Scripted(["yes", "yes", "no"]), Scrubber()),
        sampling,
    )
    assert found.decision == "inconsistent"
    assert json_document.audit(found)["alpha"] == "1/2"


def test_a_receipt_that_is_refused_is_told_as_verify_tells_it():
    suite = a_suite("a")
    stream = sealed(suite, StochasticMockReplayAdapter())
    never = inputs(suite, StochasticMockScorer())
    strict = Inputs(now=never.now, trust=Trust(), read_suite=never.read_suite, suite=suite)
    called = []
    found = audit(stream, strict, lambda *_: called.append(1), Sampling(1, 0))
    assert found.comparison is None
    assert called == []
    assert audit_report(found).startswith("audit: UNSIGNED\n")
    assert json_document.audit(found)["decision"] is None


@pytest.mark.parametrize("tasks", [1, 30])
def test_of_many_tasks_those_that_differ_most_are_shown(tasks):
    found = audited(a_suite(*(f"t{i}" for i in range(tasks))), ["yes"], ["no"], budget=2 * tasks)
    text = audit_report(found)
    assert ("and 10 more, which differ less" in text) == (tasks == 30)
    assert max(map(len, text.splitlines())) <= 80
