"""Check statements: a replay that is demanded, vouched for or not; and what a forger makes of a statement."""

import forging
from casework import DEFAULT, honest, match, refused

from passfloor.signing.jws import RECEIPT_TYP, sign_detached

TYP = "passfloor-check+jws"
POLICY = ("POLICY_FAILED", "replayed_coordination", 16)
DEMANDED = (*DEFAULT, "--require-replayed-coordination")


def statement(key=forging.TEST_KEY, typ=TYP, **changes):
    """A signed statement about the honest receipt: every attempt was replayed."""
    document = honest()
    attempts = [
        {
            "task_id": result["task_id"],
            "index": attempt["index"],
            "coordination_identical": True,
            "byte_identical": True,
            "undecided": False,
        }
        for result in document["task_results"]
        for attempt in result["attempts"]
    ][: changes.pop("first", None)]
    number = len(attempts)
    made = {
        "schema": "passfloor/check/v1",
        "tool": document["tool"],
        "receipt_hash": document["receipt_hash"],
        "suite_hash": document["suite_hash"],
        "mode": "replay",
        "rule": document["coordination_rule"],
        "attempts": attempts,
        "counts": {
            "attempts": number,
            "coordination_identical": number,
            "byte_identical": number,
            "undecided": 0,
        },
        "checked_at": "2026-01-31T23:00:00.000Z",
        **changes,
    }
    hashed = forging.digest(made)
    signature = sign_detached(key, hashed.encode(), typ=typ)
    return {
        **made,
        "statement_hash": hashed,
        "signature": signature,
        "signer_fingerprint": key.public.kid,
    }


STATEMENTS = {
    "honest": statement(),
    "part": statement(first=1),
    "rerun": statement(mode="rerun"),
    "other_receipt": statement(receipt_hash="0" * 64),
    "stranger": statement(forging.OTHER_KEY),
    "typ_of_a_receipt": statement(typ=RECEIPT_TYP),
    "edited": {**statement(first=1), "attempts": statement()["attempts"]},
    "unsigned": {**statement(), "signature": ""},
}
FORGED = ("other_receipt", "stranger", "typ_of_a_receipt", "edited", "unsigned")


def cases():
    document = honest()
    yield refused("statement_absent", POLICY, document, DEMANDED)
    for name in STATEMENTS:
        given = ("--check", f"../statements/{name}.json")
        if name == "honest":
            yield match("statement_honest", document, (*DEMANDED, *given))
        else:
            yield refused(f"statement_{name}", POLICY, document, (*DEMANDED, *given))
        if name in FORGED:
            yield refused(f"statement_{name}_not_demanded", POLICY, document, (*DEFAULT, *given))
        else:
            yield match(f"statement_{name}_not_demanded", document, (*DEFAULT, *given))
