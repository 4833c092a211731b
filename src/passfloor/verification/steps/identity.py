"""Step 9: the plan, the stages, and the one id each attempt can have under them.

An attempt id that recomputes is unique by construction: it covers run, plan, task and index. A copied
attempt, one of another session or one made under another plan does not recompute.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from passfloor.digests import attempt_id, opening_hash, plan_hash
from passfloor.models.receipt import Attempt, ReceiptHead
from passfloor.models.suite import Task
from passfloor.verification.findings import Finding

_HASH = re.compile(r"[0-9a-f]{64}")
_RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{6}/(?:0|[1-9]\d*)/(?:0|[1-9]\d*)", re.ASCII)


class Identity:
    """Recomputes what a receipt's plan and opening allow."""

    def __init__(self, head: ReceiptHead) -> None:
        """Hash the opening once, and once the plan of each number of attempts."""
        self._session = head.session
        self._n, self._k = head.n, head.k
        self._opening = opening_hash(head.session.opening)
        self._sizes = [stage.n for stage in head.session.stages]
        self._rising = self._sizes == sorted(set(self._sizes))
        hashes = {n: plan_hash(head, n=n) for n in {*self._sizes, head.n}}
        self._plans = [hashes[n] for n in self._sizes]
        self._final_plan = hashes[head.n]

    def check_plan(self) -> Iterator[Finding]:
        """The sealed plan hashes are those of the plan as it stands in the receipt."""
        session = self._session
        if session.plan_hash != self._final_plan:
            detail = f"claims {session.plan_hash}, the plan's members give {self._final_plan}"
            yield Finding(9, "plan", detail, path="session.plan_hash")
        for position, (stage, recomputed) in enumerate(zip(session.stages, self._plans, strict=True)):
            if stage.plan_hash != recomputed:
                detail = f"claims {stage.plan_hash}, the plan's members give {recomputed}"
                yield Finding(9, "plan", detail, path=f"session.stages[{position}].plan_hash")
        if not self._rising or self._sizes[0] < self._k or self._sizes[-1] != self._n:
            detail = f"stages of n={self._sizes[:12]} do not rise from k={self._k} or more to n={self._n}"
            yield Finding(9, "plan", detail, path="session.stages")
        first = session.stages[0]
        if first.decided_at != session.started_at or first.after_receipt_hash is not None:
            detail = "the first stage is decided when the run starts, after no receipt"
            yield Finding(9, "plan", detail, path="session.stages[0]")
        if not all(_HASH.fullmatch(stage.after_receipt_hash or "") for stage in session.stages[1:]):
            detail = "a later stage names the hash of the receipt it extends"
            yield Finding(9, "plan", detail, path="session.stages")

    def check_attempt(self, attempt: Attempt, task: Task, position: int, path: str) -> Iterator[Finding]:
        """The attempt's ids are the only ones this session, plan, task and index allow."""
        expected_run = f"{self._session.run}/{position}/{attempt.index}"
        run_id = attempt.receipt.run_id
        if not _RUN_ID.fullmatch(run_id):
            detail = f"run_id is '{run_id}', expected '{expected_run}'"
            yield Finding(9, "type", detail, task.id, attempt.index, f"{path}.receipt.run_id")
        elif run_id != expected_run:
            yield self._foreign(task, attempt, f"run_id is '{run_id}', expected '{expected_run}'", path)
        expected = attempt_id(self._opening, self._plan_of(attempt.index), task.task_hash, attempt.index)
        if attempt.attempt_id != expected:
            detail = (
                f"attempt_id {attempt.attempt_id} does not recompute (expected {expected}): "
                "copied, of another session, or made under another plan"
            )
            yield self._foreign(task, attempt, detail, path)
        if attempt.receipt.attempt_id != attempt.attempt_id:
            detail = "the run receipt inside names another attempt_id"
            yield self._foreign(task, attempt, detail, path)

    def _plan_of(self, index: int) -> str:
        stage = bisect_right(self._sizes, index) if self._rising else len(self._plans)
        return self._plans[stage] if stage < len(self._plans) else self._final_plan

    @staticmethod
    def _foreign(task: Task, attempt: Attempt, detail: str, path: str) -> Finding:
        return Finding(9, "attempt_identity", detail, task.id, attempt.index, f"{path}.attempt_id")
