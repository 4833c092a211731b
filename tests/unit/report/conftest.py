"""One small sealed run under a fixed clock, nonce and stub signature, so that its text can be pinned."""

import io
import json

import pytest

from passfloor import receipts
from passfloor.models.receipt import Environment
from passfloor.models.suite import Suite, Task
from passfloor.report.envelope import Collector, Reading, of_receipt, of_rows, read_rows
from passfloor.running.plan import Claims, make_plan
from passfloor.running.runner import Runner
from passfloor.running.session import open_session
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.verifier import verify

NOW = 1_700_000_000.0
SCRIPT = {
    "steady": ["yes", "yes", "yes", "yes"],
    "flaky": ["yes", "no", "yes", "yes"],
    "never": ["no", "errored", "no", "errored"],
}


class Answers:
    """Call i answers ``script[task id][i]``; ``errored`` is an attempt that did not finish."""

    key = None

    def __init__(self, script):
        self.script = script
        self.calls = 0

    def run_task(self, task, scheduler_config):
        answer = self.script[task.id][self.calls]
        self.calls += 1
        events = [{"kind": "task.started"}]
        if isinstance(answer, dict):
            events.append(answer)
            answer = "yes"
        events.append({"kind": "model.output", "sample": answer})
        if answer == "errored":
            error = {"type": "exit", "detail": "exit status 3"}
            events.append({"kind": "attempt.errored", "error": error, "exit_code": 3})
        else:
            events.append({"kind": "task.completed"})
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(events)]}

    def score_task(self, task, receipt):
        passed = all(event.get("sample") != "no" for event in receipt["events"])
        return passed, float(passed), {}


@pytest.fixture
def sealed():
    """Seals a script: ``{task id: answers}``."""

    def seal(script=SCRIPT, *, k=2, version="own-v1", claims=None, plan_update=None):
        tasks = [
            Task.model_validate({"id": name, "description": name, "assertions": [{"kind": "completed"}]})
            for name in script
        ]
        suite, adapter = Suite(version=version, tasks=tasks), Answers(script)
        n = len(next(iter(script.values())))
        plan = make_plan(suite, adapter, k=k, n=n, claims=claims or Claims())
        if plan_update:
            plan = plan.model_copy(update=plan_update)
        session = open_session(plan, clock=lambda: NOW, random_bytes=lambda count: bytes(count))
        receipt = Runner(suite, adapter, plan, session=session, clock=lambda: NOW).run()
        here = [Environment(platform="Test-1.0", limits={}, concurrency=1)]
        receipt = receipt.model_copy(update={"environment": here})
        document = receipt.document()
        hashed = receipt.model_copy(update={"receipt_hash": receipts.receipt_hash(document)})
        return suite, adapter, StubReliabilitySigner().sign(hashed)

    return seal


@pytest.fixture
def judged():
    """Verifies what ``sealed`` gave, after an edit of the document."""

    def judge(run, edit=None, *, allow_stub=True):
        suite, adapter, receipt = run
        document = receipt.document()
        if edit:
            edit(document)
        inputs = Inputs(
            now=NOW,
            trust=Trust(allow_stub=allow_stub),
            read_suite=lambda _document: suite,
            suite=suite,
            scorer=adapter,
        )
        return verify(io.BytesIO(b"".join(receipts.write(document))), inputs)

    return judge


WORKED = [10] * 10 + [7] * 4 + [5] * 3 + [2] * 2 + [0]
"""Passing attempts of ten, task by task: the suite whose figures the documentation gives."""


def spread(passed, n=10, start=0):
    """``passed`` of n answers are yes, as evenly over the order of attempts as it goes."""
    order = sorted(range(n), key=lambda i: (i * 7 + start) % n)
    yes = set(order[:passed])
    return ["yes" if i in yes else "no" for i in range(n)]


@pytest.fixture
def worked_script():
    return {f"t{place:02}": spread(passed, start=place) for place, passed in enumerate(WORKED)}


@pytest.fixture
def enveloped():
    """Verifies what ``sealed`` gave, after an edit of the document, and builds the envelope on the way."""

    def build(run, edit=None, *, allow_stub=True, **reading):
        suite, adapter, receipt = run
        document = receipt.document()
        if edit:
            edit(document)
        collector = Collector()
        inputs = Inputs(
            now=NOW,
            trust=Trust(allow_stub=allow_stub),
            read_suite=lambda _document: suite,
            suite=suite,
            scorer=adapter,
            observe=collector.observe,
        )
        outcome = verify(io.BytesIO(b"".join(receipts.write(document))), inputs)
        return of_receipt(outcome, collector.collected, Reading(**reading), "receipt.json")

    return build


@pytest.fixture
def from_counts():
    """The envelope of bare rows: ``{task id: outcomes}``, each outcome by its first letter."""

    def build(tasks, k=1, **reading):
        words = {"p": "passed", "w": "wrong", "e": "errored"}
        lines = [
            json.dumps({"task": name, "attempt": i, "outcome": words[letter]}).encode()
            for name, letters in tasks.items()
            for i, letter in enumerate(letters)
        ]
        return of_rows(read_rows(lines), Reading(k=k, **reading), "rows.jsonl")

    return build
