"""A signed receipt of a session's marked tests: what each attempt came to, by pytest's word.

Nothing is known of what a test asked of whom, so coordination is ``unrecorded`` and nothing is claimed of it:
whoever verifies such a receipt accepts that with ``--allow-unrecorded``.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from passfloor.errors import UsageError
from passfloor.grading import DeclaredScorer
from passfloor.keys.choosing import signing_key
from passfloor.keys.keystore import KeyStore, home
from passfloor.models.suite import Suite, Task
from passfloor.running.plan import Claims, make_plan
from passfloor.running.runner import Runner
from passfloor.running.saving import save
from passfloor.signing.signers import Ed25519Signer
from passfloor.suites import read_suite

Marked = Mapping[str, Mapping[str, Any]]
"""Node id -> the facts of its attempts."""

VERSION = "pytest"
"""The version of the suite that a session's tests are."""


def write_receipt(marked: Marked, path: Path, folder: Path) -> str:
    """Seal and sign the attempts of ``marked`` tests and write the receipt; it is never written over another.

    Args:
        marked: In the order of the session, all with the same n and k.
        path: Its place, seen from ``folder``, wherever a test may have gone since.
        folder: Where pytest was started; a key that is made is not kept in its work tree.

    Returns:
        Where it stands and who signed it, in one line.

    Raises:
        UsageError: there are no tests, they ask for different n or k, or ``path`` exists.
        SuiteError: a test's id is none for a task.
        PassfloorError: no key can be had, or the file cannot be written.
    """
    if not marked:
        raise UsageError("no test marked `reliability` ran to its end: there is nothing to seal")
    target = folder / path
    if os.path.lexists(target):
        raise UsageError(f"{path} exists; name another file with --reliability-out, or remove it first")
    sizes = sorted({(facts["n"], facts["k"]) for facts in marked.values()})
    if len(sizes) > 1:
        asked = ", ".join(f"n={n} k={k}" for n, k in sizes)
        raise UsageError(f"marked tests ask for {asked}: a receipt has one of each; give all the same")
    ((n, k),) = sizes
    suite = _suite(list(marked))
    adapter = Observed(marked)
    plan = make_plan(suite, adapter, k=k, n=n, claims=Claims("pytest"), coordination_rule="unrecorded")
    receipt = Runner(suite, adapter, plan, keep_going=True, embed_suite=True).run()
    key, created = signing_key(os.environ, KeyStore(home(os.environ)), start_folder=folder, forbidden=[])
    signed = Ed25519Signer(key).sign(receipt)
    place = save(signed.document(), target, replace=False, run=receipt.session.run)
    shown = path if place == target else place
    by = f"new identity {key.public.kid}" if created else key.public.kid
    return f"receipt: {shown}, signed by {by}"


class Observed(DeclaredScorer):
    """Gives back, call by call, what pytest saw in each attempt of a test."""

    def __init__(self, marked: Marked) -> None:
        super().__init__()
        self._marked = marked
        self._calls: dict[str, int] = {}

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """The run receipt of the task's next attempt."""
        index = self._calls.get(task.id, 0)
        self._calls[task.id] = index + 1
        outcome, detail = self._marked[task.id]["attempts"][index]
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(_events(task, outcome, detail))]}


def _events(task: Task, outcome: str, detail: str) -> list[dict[str, Any]]:
    words = json.dumps({"outcome": outcome, "detail": detail})
    events: list[dict[str, Any]] = [
        {"kind": "task.started", "task_hash": task.task_hash, "seed": 0},
        {"kind": "model.output", "sample": {"stdout": words, "exit_code": None, "stderr_tail": ""}},
        {"kind": "model.artifact", "sample": {}},
    ]
    if outcome == "errored":
        error = {"type": "worker", "detail": detail}
        return [*events, {"kind": "attempt.errored", "error": error, "exit_code": None}]
    return [*events, {"kind": "task.completed"}]


def _suite(ids: Sequence[str]) -> Suite:
    assertion = {"kind": "json_path", "pointer": "/outcome", "expected": "passed"}
    tasks = [{"id": each, "description": f"the test {each}", "assertions": [assertion]} for each in ids]
    return read_suite({"version": VERSION, "tasks": tasks}, folder=None, source="the session's marked tests")
