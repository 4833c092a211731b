"""Every hash that binds a receipt together, defined once for sealing and for verifying.

Ids and hashes enter a digest as lower-case hex text, parts joined by one zero byte; chain values enter as
their raw 32 bytes. All results are lower-case hex of SHA-256.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from passfloor.canonical import canonical, digest
from passfloor.models.plan import PLAN_SCHEMA, Opening, Plan

_ATTEMPT = "passfloor/attempt/v1"
_JOURNAL = "passfloor/journal/v1"
_SPINE = "passfloor/spine/v1"
_SEED_BITS = 53
_CAPTURED = {"agent.artifact": "value", "model.artifact": "sample"}


def plan_hash(plan: Plan, *, n: int | None = None) -> str:
    """Hash of the plan; with ``n`` that of the same plan over as many attempts (an earlier stage)."""
    document = _plan_document(plan)
    if n is not None:
        document["n"] = n
    return digest(document)


def plan_size(plan: Plan) -> int:
    """How many bytes are hashed for the plan."""
    return len(canonical(_plan_document(plan)))


def _plan_document(plan: Plan) -> dict[str, Any]:
    document: dict[str, Any] = {"schema": PLAN_SCHEMA}
    document.update((name, getattr(plan, name)) for name in Plan.model_fields)
    document["subject"] = plan.subject.model_dump()
    document["selection"] = None if plan.selection is None else plan.selection.model_dump()
    return document


def opening_hash(opening: Opening) -> str:
    """Hash of what was fixed when the run started."""
    return digest({name: getattr(opening, name) for name in Opening.model_fields})


def attempt_id(opening: str, plan: str, task_hash: str, index: int) -> str:
    """The id of attempt ``index`` of a task, under the hashes of the opening and of its stage's plan."""
    return _joined(_ATTEMPT, opening, plan, task_hash, str(index))


def attempt_seed(seed: int, task_hash: str, index: int) -> int:
    """The first 53 bits of SHA-256 over seed, task hash and index: a seed of its own for each attempt.

    For agents that want their own sampling reproducible; it fits a double and a JSON number exactly.
    """
    return int(_joined(str(seed), task_hash, str(index)), 16) >> (256 - _SEED_BITS)


def journal_head(attempt: str, events: Iterable[bytes]) -> str:
    """Head of the chain over an attempt's events, each given as its RFC 8785 form, in order."""
    return _chained(_start(_JOURNAL, attempt), events).hex()


def spine_head(task_hash: str, files_in: Mapping[str, str], files_out: Mapping[str, str]) -> str:
    """Head of the chain over the files an attempt started with and left, each path -> sha256."""
    return spine_end(spine_start(task_hash, files_in), files_out)


def spine_start(task_hash: str, files_in: Mapping[str, str]) -> bytes:
    """The part of the spine that all attempts of a task share: 32 bytes for ``spine_end``."""
    return _chained(_start(_SPINE, task_hash), [canonical(dict(files_in))])


def spine_end(start: bytes, files_out: Mapping[str, str]) -> str:
    """The spine head of one attempt, from ``spine_start`` and the files it left."""
    return _chained(start, [canonical(dict(files_out))]).hex()


def files_out(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Path -> sha256 of the files that the last artifact event captured; empty where there is none."""
    for event in reversed(events):
        if event["kind"] in _CAPTURED:
            captured = event.get(_CAPTURED[event["kind"]])
            return {
                path: entry["sha256"]
                for path, entry in (captured.items() if isinstance(captured, dict) else ())
                if isinstance(entry, dict) and isinstance(entry.get("sha256"), str)
            }
    return {}


def _joined(*parts: str) -> str:
    return hashlib.sha256(b"\0".join(part.encode() for part in parts)).hexdigest()


def _start(domain: str, name: str) -> bytes:
    return hashlib.sha256(domain.encode() + b"\0" + name.encode()).digest()


def _chained(head: bytes, items: Iterable[bytes]) -> bytes:
    sha256 = hashlib.sha256
    for item in items:
        head = sha256(head + sha256(item).digest()).digest()
    return head
