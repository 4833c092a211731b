"""What is said before a run: a relying party's challenge, and the signer's commitment to a plan."""

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from passfloor.canonical import canonical, equal, parse, sha256_hex
from passfloor.digests import plan_hash
from passfloor.errors import JsonError, UsageError
from passfloor.models.plan import Plan
from passfloor.models.precommit import OUTSIDE_THE_HASH, PRECOMMIT_SCHEMA, PRECOMMIT_TYP, Precommit
from passfloor.signing import base64url
from passfloor.signing.signers import Signer

CHALLENGE_BYTES = 32
"""Random bytes of a challenge that is made here."""

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{22,128}")


def challenge_of(random: bytes) -> str:
    """A challenge of these random bytes: base64url without padding."""
    return base64url.encode(random)


def check_challenge(text: str) -> str:
    """The challenge, as it was given.

    Raises:
        UsageError: it is not 22 to 128 letters, digits, ``-`` and ``_``; 22 hold 128 bits.
    """
    if not _CHALLENGE.fullmatch(text):
        raise UsageError(
            f"challenge {text[:80]!a}: give 22 to 128 of A-Z a-z 0-9 - _, such as bench challenge prints, "
            "or a file that holds them"
        )
    return text


def commit(plan: Plan, suite_version: str, signer: Signer, *, at: str, tool: Mapping[str, str]) -> Precommit:
    """Put a signer's name under a plan.

    Args:
        plan: What will be run.
        suite_version: Of its suite, for people.
        signer: Whose word it becomes.
        at: Now, as RFC 3339 in UTC with milliseconds.
        tool: Name and version of the program.
    """
    document = {
        "schema": PRECOMMIT_SCHEMA,
        "tool": dict(tool),
        "suite_version": suite_version,
        "plan": plan.model_dump(),
        "plan_hash": plan_hash(plan),
        "committed_at": at,
    }
    hashed = precommit_hash(document)
    signature = signer.sign_hash(hashed, typ=PRECOMMIT_TYP)
    seal = {"precommit_hash": hashed, "signature": signature, "signer_fingerprint": signer.fingerprint}
    return Precommit.model_validate({**document, **seal})


def precommit_hash(document: Mapping[str, object]) -> str:
    """SHA-256, in hex, of the RFC 8785 form of everything but the members of the seal."""
    return sha256_hex(canonical({name: v for name, v in document.items() if name not in OUTSIDE_THE_HASH}))


def read(data: bytes) -> Precommit:
    """A commitment whose hashes are those of its content; nothing is said of its signature.

    Raises:
        UsageError: it is none; says why, and not which file it is.
    """
    try:
        value = parse(data).value
    except JsonError as error:
        raise UsageError(f"it cannot be read: {error}") from None
    if not isinstance(value, dict) or value.get("schema") != PRECOMMIT_SCHEMA:
        raise UsageError(f"it is no commitment that this version reads ('{PRECOMMIT_SCHEMA}')")
    try:
        commitment = Precommit.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"it is malformed: {place}: {first['msg']}") from None
    for name, found in (
        ("plan_hash", plan_hash(commitment.plan)),
        ("precommit_hash", precommit_hash(value)),
    ):
        claimed = getattr(commitment, name)
        if claimed != found:
            raise UsageError(f"it claims the {name} {claimed}, its content gives {found}: it was changed")
    return commitment


def differing(committed: Plan, plan: Plan) -> list[str]:
    """Which members of a plan are not as they were committed to, each with both values, by name."""
    ours, theirs = _flat(plan), _flat(committed)
    return [
        f"{name} {_short(ours[name])}, committed to {_short(theirs[name])}"
        for name in ours
        if not equal(ours[name], theirs[name])
    ]


def _flat(plan: Plan) -> dict[str, Any]:
    """The members of a plan by name, those of its subject each by itself."""
    members = plan.model_dump()
    subject = members.pop("subject")
    return {**members, **{f"subject.{name}": value for name, value in subject.items()}}


def _short(value: Any) -> str:
    text = canonical(value).decode()
    return text if len(text) <= 100 else f"{text[:100]}..."
