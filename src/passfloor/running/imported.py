"""A receipt of what another tool's log says: planned, sealed and signed like a run's, and claiming less."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.aggregate import Numbers
from passfloor.canonical import MAX_NODES, canonical, digest, sha256_hex
from passfloor.digests import attempt_id, journal_head, spine_head
from passfloor.errors import ImportRefused
from passfloor.grading import grade, versions_of
from passfloor.grading.imported import read_record
from passfloor.grading.kinds.imported import error_of
from passfloor.importers.collated import MISSING, Collated, TaskLog
from passfloor.importers.ids import original
from passfloor.importers.interface import Note
from passfloor.importers.words import counted
from passfloor.models.assertions import Imported
from passfloor.models.names import id_problem
from passfloor.models.plan import IMPORTED, Plan, Session, Subject
from passfloor.models.receipt import Attempt, Environment
from passfloor.models.suite import Suite, Task
from passfloor.running.attempts import FinishedAttempt
from passfloor.running.plan import Claims, check_budget
from passfloor.running.sealing import Draft, Frame, Witness, draft
from passfloor.running.session import Clock, OpenSession, open_session

NODES_AN_ATTEMPT = 36
"""JSON values of an attempt in a receipt, at most."""

_NOWHERE = Environment(platform="not recorded", limits={}, concurrency=1)
_SEED = 0
_MOST_NOTES = 100
_LONGEST_TEXT = 1000


@dataclass(frozen=True)
class Asking:
    """How a log is to be sealed.

    Attributes:
        k: Draw size, 1 to n.
        claims: What the signer says of the subject and of k; where they say nothing, the log's own words.
        slim: Keep digests in place of records: every verdict is then the signer's word.
        source: What the log was, for the receipt: name, and what else is known of it.
    """

    k: int
    claims: Claims
    slim: bool = False
    source: str = ""


def sealed_n(found: Collated) -> int:
    """The one n of a receipt.

    Raises:
        ImportRefused: tasks were planned with different numbers of attempts, or there are too many attempts.
    """
    sizes = found.sizes
    if len(sizes) > 1:
        told = ", ".join(f"n={n} for {sizes[n]}" for n in sorted(sizes)[:6])
        raise ImportRefused(
            f"a receipt has one n, and the log planned {told} of {len(found.tasks)} tasks: say --attempts "
            f"{max(sizes)} to count what is absent as missing, or --no-receipt for the figures alone"
        )
    (n,) = sizes
    if (nodes := n * len(found.tasks) * NODES_AN_ATTEMPT) > MAX_NODES:
        raise ImportRefused(
            f"{n * len(found.tasks)} attempts come to about {nodes} JSON values, a receipt may hold "
            f"{MAX_NODES}: split the log by tasks, or take the figures alone with --no-receipt"
        )
    return n


def seal_import(
    found: Collated,
    asking: Asking,
    *,
    folder: Path,
    witness: Witness | None = None,
    clock: Clock = time.time,
) -> Draft:
    """Put an imported log together as a receipt, unsigned; one attempt is held at a time.

    Args:
        found: What was read.
        asking: How.
        folder: On whose disk the task results wait.
        witness: Is shown every attempt.
        clock: Seconds since the epoch.

    Raises:
        ImportRefused: as ``sealed_n`` does.
        UsageError: not 1 <= k <= n.
        EnvironmentFault: the disk is full or failing.
    """
    n = sealed_n(found)
    suite = suite_of(found)
    plan = _plan(found, suite, asking, check_budget(asking.k, n))
    session = open_session(plan, clock=clock)
    maker = _Maker(found, suite, session, slim=asking.slim)
    frame = _ImportFrame(
        suite=suite,
        plan=plan,
        environments=[_NOWHERE],
        embed_suite=True,
        clock=clock,
        ext=_ext(found, asking),
    )
    return draft(
        frame,
        suite.tasks,
        maker.read,
        lambda: session.close(clock()),
        folder=folder,
        witness=witness,
    )


def suite_of(found: Collated) -> Suite:
    """The tasks of a log as a suite: each is judged by its record alone, under the log's rule."""
    log = found.log
    rule = Imported(kind="imported", importer=log.importer, rule=dict(log.rule))
    version = f"{log.importer}:{log.suite}"
    if id_problem(version):
        version = f"{log.importer}:{sha256_hex(version.encode(errors='surrogatepass'))[:12]}"
    tasks = [
        Task(id=task.id, description=f"imported by {log.importer}", assertions=[rule]) for task in found.tasks
    ]
    return Suite(version=version, tasks=tasks)


def _plan(found: Collated, suite: Suite, asking: Asking, n: int) -> Plan:
    log, claims = found.log, asking.claims
    adapter = f"{IMPORTED}{log.importer}"
    return Plan(
        suite_hash=suite.suite_hash,
        selection=None,
        n=n,
        k=asking.k,
        k_reason=claims.k_reason,
        coordination_rule="unrecorded",
        identity_fields=[],
        scheduler_config={},
        subject=Subject(
            name=claims.agent_name or _word(log.subject.name),
            version=claims.agent_version or _word(log.subject.version),
            adapter=adapter,
            adapter_digest=digest({"adapter": adapter, "rule": dict(log.rule)}),
            model=claims.model_name or _word(log.subject.model),
            config_digest=digest({"slim": asking.slim}),
        ),
        gate=None,
        completion_only=False,
        graders=versions_of(suite.tasks),
    )


@dataclass(frozen=True)
class _ImportFrame(Frame):
    """A frame that tells beside the attempts what the log was.

    Attributes:
        ext: The receipt's member of that name.
    """

    ext: Mapping[str, Any] | None = None

    def head(
        self, session: Session, figures: Numbers, blobs: Mapping[str, Any], *, held: bool | None
    ) -> dict[str, Any]:
        """As ``Frame`` does, with ``ext``."""
        return {**super().head(session, figures, blobs, held=held), "ext": dict(self.ext or {})}


class _Maker:
    """Makes attempts of records, each when it is asked for."""

    def __init__(self, found: Collated, suite: Suite, session: OpenSession, *, slim: bool) -> None:
        self._found = found
        self._tasks = {
            task.id: (at, log) for at, (task, log) in enumerate(zip(suite.tasks, found.tasks, strict=True))
        }
        self._session = session
        self._slim = slim

    def read(self, task: Task, index: int) -> FinishedAttempt:
        """The attempt of that index."""
        position, log = self._tasks[task.id]
        events, outcome = self._events(task, log, index)
        session = self._session
        name = attempt_id(session.opening_hash, session.plan_hash_of(index), task.task_hash, index)
        receipt = {
            "run_id": f"{session.run}/{position}/{index}",
            "attempt_id": name,
            "journal_head": journal_head(name, map(canonical, events)),
            "spine_head": spine_head(task.task_hash, {}, {}),
            "events": events,
        }
        attempt = {
            "task_id": task.id,
            "task_hash": task.task_hash,
            "index": index,
            "attempt_id": name,
            "receipt": receipt,
            "receipt_hash": digest(receipt),
            **outcome,
        }
        return FinishedAttempt(Attempt.model_validate(attempt), {})

    def _events(self, task: Task, log: TaskLog, index: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """The events of an attempt, and its verdict."""
        record = log.records[index]
        text = "" if record < 0 else self._found.spool.text(record)
        whole = _framed(task, text, {"kind": "task.completed"} if text else _missing())
        verdict = grade(task, whole)
        sealed = {
            "outcome": verdict.outcome,
            "passed": verdict.passed,
            "score": verdict.score,
            "harness_output": verdict.harness_output,
            "error": verdict.error,
        }
        if not self._slim or not text:
            return whole, sealed
        end: dict[str, Any] = {"kind": "task.completed"}
        reading = read_record(self._found.log.importer, self._found.log.rule, text)
        if (error := error_of(reading)) is not None:
            end = {"kind": "attempt.errored", "error": error}
        data = text.encode()
        return _framed(task, {"sha256": sha256_hex(data), "size": len(data)}, end), sealed


def _framed(task: Task, sample: Any, end: dict[str, Any]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"kind": "task.started", "task_hash": task.task_hash, "seed": _SEED}]
    if sample:
        events.append({"kind": "model.output", "sample": sample})
    return [{"seq": seq, **event} for seq, event in enumerate([*events, end])]


def _missing() -> dict[str, Any]:
    error = {"type": MISSING, "detail": "planned, and not in the log"}
    return {"kind": "attempt.errored", "error": error}


def _ext(found: Collated, asking: Asking) -> dict[str, Any]:
    log = found.log
    names = {task.id: original(task.name) for task in found.tasks if task.id != str(task.name)}
    told = {
        "importer": log.importer,
        "source": _clean(asking.source),
        "slim": asking.slim,
        "records": sum(task.n for task in found.tasks) - found.count(MISSING),
        "missing": found.count(MISSING),
        "cancelled": found.count("cancelled"),
        "cached": found.cached,
        "notes": [{"code": note.code, "text": _clean(note.text)} for note in _notes(found)],
        "published": [
            {"name": _clean(each.name), "value": str(float(each.value)), "where": _clean(each.where)}
            for each in log.published[:_MOST_NOTES]
        ],
        "convention": {
            "errors": log.convention.errors,
            "estimator": log.convention.estimator,
            "partial_credit": log.convention.partial_credit,
        },
    }
    return {"imported": told, **({"original_id": names} if names else {})}


def _notes(found: Collated) -> list[Note]:
    """The notes that are sealed; where there are too many, how many were left out stands last."""
    left = len(found.notes) - _MOST_NOTES
    if left <= 0:
        return found.notes
    return [*found.notes[:_MOST_NOTES], Note("more", f"{counted(left, 'note', 'notes')} left out")]


def _word(claim: str | None) -> str | None:
    return None if claim is None else _clean(claim)


def _clean(text: str) -> str:
    """Text of a log as any JSON can hold it, cut where it is long."""
    return text.encode(errors="backslashreplace").decode()[:_LONGEST_TEXT]
