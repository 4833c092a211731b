"""Writing down what a check found, for its signer to put a name to."""

import os
import secrets
from pathlib import Path

from passfloor import __version__
from passfloor.canonical import canonical
from passfloor.checking.outcome import Check
from passfloor.errors import EnvironmentFault
from passfloor.models.check import CHECK_SCHEMA, CHECK_TYP, CheckedAttempt, CheckStatement, count
from passfloor.models.receipt import ReceiptHead
from passfloor.running.session import timestamp
from passfloor.signing.signers import Signer
from passfloor.verification.statement import statement_hash


def state(outcome: Check, head: ReceiptHead, receipt_hash: str, signer: Signer, now: float) -> CheckStatement:
    """The signed statement of a check that made attempts again.

    Args:
        outcome: What it found.
        head: Of the receipt it was about.
        receipt_hash: As recomputed.
        signer: Whose word it becomes.
        now: Seconds since the epoch.
    """
    attempts = [
        CheckedAttempt(
            task_id=each.task_id,
            index=each.attempt,
            coordination_identical=each.coordination_identical,
            byte_identical=each.byte_identical and each.coordination_identical,
            undecided=each.inconclusive,
        )
        for each in outcome.attempts
    ]
    document = {
        "schema": CHECK_SCHEMA,
        "tool": {"name": "passfloor", "version": __version__},
        "receipt_hash": receipt_hash,
        "suite_hash": head.suite_hash,
        "mode": str(outcome.mode),
        "rule": head.coordination_rule,
        "attempts": [each.model_dump() for each in attempts],
        "counts": count(attempts).model_dump(),
        "checked_at": timestamp(now),
    }
    hashed = statement_hash(document)
    signature = signer.sign_hash(hashed, typ=CHECK_TYP)
    seal = {"statement_hash": hashed, "signature": signature, "signer_fingerprint": signer.fingerprint}
    return CheckStatement.model_validate({**document, **seal})


def save(statement: CheckStatement, path: Path, *, replace: bool) -> None:
    """Write a statement whole or not at all.

    Args:
        statement: Signed.
        path: Its place.
        replace: Replace what stands there.

    Raises:
        EnvironmentFault: The place is taken, or cannot be written to.
    """
    target = Path(os.path.realpath(path)) if replace else path
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with part.open("xb") as stream:
            stream.write(canonical(statement.document()) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        if replace:
            part.replace(target)
        else:
            target.hardlink_to(part)
    except OSError as error:
        raise EnvironmentFault(
            f"cannot write {str(path)!a}: {error.strerror}; choose another --out"
        ) from error
    finally:
        part.unlink(missing_ok=True)
