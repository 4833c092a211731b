"""What is kept of a receipt: a row a task, and no event."""

import io
from dataclasses import replace

import pytest

from passfloor import receipts
from passfloor.comparison.evidence import TaskRow, gather
from passfloor.models.receipt import ReliabilityReceipt
from passfloor.models.suite import Suite, Task
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner
from passfloor.running.session import open_session
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.verification.inputs import Inputs, Trust

NOW = 1_700_000_000.0
SCRIPT = {"a": ["yes", "no", "errored"], "b": ["yes", "yes", "yes"]}


class Answers:
    key = None

    def __init__(self):
        self.calls = 0

    def run_task(self, task, scheduler_config):
        answer = SCRIPT[task.id][self.calls]
        self.calls += 1
        last = {"kind": "task.completed"}
        if answer == "errored":
            last = {"kind": "attempt.errored", "error": {"type": "exit", "detail": "3"}, "exit_code": 3}
        sample = (
            {"answer": answer, "model": f"m-{self.calls}"} if task.id == "a" else {"said": {"model": "m-9"}}
        )
        events = [{"kind": "task.started"}, {"kind": "model.output", "sample": sample}, last]
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(events)]}

    def score_task(self, task, receipt):
        passed = all((e.get("sample") or {}).get("answer") != "no" for e in receipt["events"])
        return passed, float(passed), {}


@pytest.fixture
def made() -> tuple[Suite, ReliabilityReceipt, Inputs]:
    tasks = [
        Task.model_validate(
            {"id": name, "description": name, "cluster": cluster, "assertions": [{"kind": "completed"}]}
        )
        for name, cluster in (("a", "family"), ("b", "other"))
    ]
    suite = Suite(version="own-v1", tasks=tasks)
    adapter = Answers()
    plan = make_plan(suite, adapter, k=2, n=3)
    session = open_session(plan, clock=lambda: NOW, random_bytes=bytes)
    unsigned = Runner(suite, adapter, plan, session=session, clock=lambda: NOW).run()
    inputs = Inputs(
        now=NOW, trust=Trust(allow_stub=True), read_suite=lambda _: suite, suite=suite, scorer=adapter
    )
    return suite, StubReliabilitySigner().sign(unsigned), inputs


def stream(receipt):
    return io.BytesIO(b"".join(receipts.write(receipt.document())))


def test_a_verified_receipt_gives_a_row_a_task_and_the_models_it_names(made):
    suite, receipt, inputs = made
    told = []
    evidence = gather(stream(receipt), replace(inputs, observe=told.append))
    assert evidence.verification.matches
    a, b = suite.tasks
    assert evidence.rows == (
        TaskRow("a", a.task_hash, "family", 3, 1, 1),
        TaskRow("b", b.task_hash, "other", 3, 3, 0),
    )
    assert evidence.served == ("m-1", "m-2", "m-3", "m-9")
    assert [verified.task.id for verified in told] == ["a", "b"], "who observed before still does"


def test_a_receipt_that_is_none_gives_no_rows(made):
    evidence = gather(io.BytesIO(b"{}"), made[2])
    assert not evidence.verification.matches
    assert evidence.rows == ()


def test_a_row_knows_its_pile_and_what_it_could_be_at_best():
    rows = [TaskRow("t", "0" * 64, None, 3, passed, 0) for passed in (3, 1, 0)]
    assert [row.pile for row in rows] == ["always", "flaky", "never"]
    best = TaskRow("t", "0" * 64, None, 3, 1, 2).at_best()
    assert (best.passed, best.errored, best.pile) == (3, 0, "always")
