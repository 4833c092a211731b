"""Judging a check statement: is it authentic, consistent, and about this very receipt?

It is its signer's word. Nothing in it is derived from the receipt: whoever trusts the signer believes that
the attempts were made again, and everybody else makes them again.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from passfloor.canonical import canonical, parse, sha256_hex
from passfloor.errors import JsonError
from passfloor.models.check import (
    CHECK_SCHEMA,
    CHECK_TYP,
    OUTSIDE_THE_HASH,
    CheckedAttempt,
    CheckStatement,
    count,
)
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.inputs import Trust
from passfloor.verification.result import Vouched
from passfloor.verification.steps.session import CLOCK_SKEW, seconds_of
from passfloor.verification.steps.signature import check_signed

Slot = tuple[str, int]
"""Task id and index of an attempt."""


@dataclass(frozen=True)
class Subject:
    """The receipt that a statement has to be about.

    Attributes:
        head: Its members but the task results.
        receipt_hash: As recomputed.
        attempts: Which it holds.
    """

    head: ReceiptHead
    receipt_hash: str
    attempts: Collection[Slot]


def judge(data: bytes, subject: Subject, trust: Trust, now: float) -> Vouched:
    """Judge a statement. Total: any bytes get a verdict.

    Args:
        data: The file.
        subject: What it has to be about.
        trust: Whose word counts.
        now: Seconds since the epoch.
    """
    try:
        value = parse(data).value
    except JsonError as error:
        return Vouched(problem=f"it cannot be read: {error}")
    if not isinstance(value, dict) or value.get("schema") != CHECK_SCHEMA:
        return Vouched(problem=f"it is no check statement that this version reads ('{CHECK_SCHEMA}')")
    try:
        statement = CheckStatement.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Vouched(problem=f"it is malformed: {place}: {first['msg']}")
    recomputed = statement_hash(value)
    if statement.statement_hash != recomputed:
        detail = f"it claims the hash {statement.statement_hash}, its content gives {recomputed}"
        return Vouched(problem=f"{detail}: it cannot be attributed to its signer")
    made = seconds_of(statement.checked_at)
    signed = check_signed(statement, recomputed, trust, at=made, typ=CHECK_TYP, what="statement")
    if signed.findings:
        return Vouched(problem=f"{signed.findings[0].code}: {signed.findings[0].detail}")
    problem = next(_problems(statement, subject, now), "")
    return Vouched(problem=problem) if problem else Vouched(statement, signed.assurance, signed.anchor)


def statement_hash(document: Mapping[str, object]) -> str:
    """SHA-256, in hex, of the RFC 8785 form of everything but the members of the seal."""
    covered = {name: value for name, value in document.items() if name not in OUTSIDE_THE_HASH}
    return sha256_hex(canonical(covered))


def lacks(found: Vouched | None, subject: Subject) -> str:
    """Why it is not vouched that every attempt was replayed and did the same; empty where it is."""
    if found is None:
        return "no check statement was given"
    if found.document is None:
        return f"the check statement is refused: {found.problem}"
    statement = found.document
    if statement.mode != "replay":
        return "the check statement is about re-runs, in which models were asked anew"
    held = {(each.task_id, each.index) for each in statement.attempts if each.coordination_identical}
    missing = len(set(subject.attempts) - held)
    if missing:
        return f"of {len(subject.attempts)} attempts {missing} are not vouched for"
    return ""


def _problems(statement: CheckStatement, subject: Subject, now: float) -> Iterator[str]:
    head = subject.head
    if statement.receipt_hash != subject.receipt_hash:
        yield f"it is about another receipt, {statement.receipt_hash}"
    if (statement.suite_hash, statement.rule) != (head.suite_hash, head.coordination_rule):
        yield "it names another suite or another rule than the receipt"
    slots = [(each.task_id, each.index) for each in statement.attempts]
    if len(set(slots)) != len(slots):
        yield "it names an attempt twice"
    if set(slots) - set(subject.attempts):
        yield "it names an attempt that the receipt does not hold"
    if any(_contradicts(each) for each in statement.attempts):
        yield "it says of an attempt what contradicts itself"
    if statement.counts != count(statement.attempts):
        yield "its counts are not those of its attempts"
    at = seconds_of(statement.checked_at)
    if at is None or at > now + CLOCK_SKEW or at < head.emitted_at - CLOCK_SKEW:
        yield f"it was made at {statement.checked_at}, before the receipt or after now"


def _contradicts(each: CheckedAttempt) -> bool:
    held = each.coordination_identical
    return (each.byte_identical and not held) or (each.undecided and held)
