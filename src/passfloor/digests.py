"""Every hash that binds a receipt together, defined once for sealing and for verifying.

Ids and hashes enter a digest as lower-case hex text, parts joined by one zero byte; chain values enter as their
raw 32 bytes. All results are lower-case hex of SHA-256.
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


def plan_hash(plan: Plan, *, n: int | None = None) -> str:
    """Hash of the plan; with ``n`` that of the same plan over another number of attempts (an earlier stage)."""
    document: dict[str, Any] = {"schema": PLAN_SCHEMA}
    document.update((name, getattr(plan, name)) for name in Plan.model_fields)
    document["subject"] = plan.subject.model_dump()
    document["selection"] = None if plan.selection is None else plan.selection.model_dump()
    if n is not None:
        document["n"] = n
    return digest(document)


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
    return _chain(_JOURNAL, attempt, events)


def spine_head(task_hash: str, files_in: Mapping[str, str], files_out: Mapping[str, str]) -> str:
    """Head of the chain over the files an attempt started with and left, each path -> sha256."""
    return _chain(_SPINE, task_hash, (canonical(dict(files_in)), canonical(dict(files_out))))


def files_out(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Path -> sha256 of the files the last artifact event of an attempt captured; empty where there is none."""
    for event in reversed(events):
        captured = event.get({"model.artifact": "sample", "agent.artifact": "value"}.get(event["kind"], ""))
        if isinstance(captured, Mapping):
            return {
                path: entry["sha256"]
                for path, entry in captured.items()
                if isinstance(entry, Mapping) and isinstance(entry.get("sha256"), str)
            }
    return {}


def splice(members: Mapping[str, Any], name: str, ready: bytes, *, plain: bool = False) -> bytes:
    """RFC 8785 form of ``members`` whose member ``name`` has the form ``ready`` already.

    Each value's canonical text is made once: an event's bytes go into its chain, its run receipt, its attempt
    and the whole receipt. ``plain`` as in :func:`passfloor.canonical.canonical`.
    """
    if not "".join(members).isascii():
        return canonical(dict(members))
    before = canonical({key: value for key, value in members.items() if key < name}, plain=plain)
    after = canonical({key: value for key, value in members.items() if key > name}, plain=plain)
    middle = b'"' + name.encode() + b'":' + ready
    return b"{" + b",".join(part for part in (before[1:-1], middle, after[1:-1]) if part) + b"}"


def _joined(*parts: str) -> str:
    return hashlib.sha256(b"\0".join(part.encode() for part in parts)).hexdigest()


def _chain(domain: str, start: str, items: Iterable[bytes]) -> str:
    head = hashlib.sha256(domain.encode() + b"\0" + start.encode()).digest()
    for item in items:
        head = hashlib.sha256(head + hashlib.sha256(item).digest()).digest()
    return head.hex()
