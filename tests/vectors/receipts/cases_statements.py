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


def attempts(**changes):
    """The attempts of the honest statement, with something else said of the first."""
    first, *rest = statement()["attempts"]
    return [{**first, **changes}, *rest]


def counted(listed):
    """A statement over these attempts, counted as they are."""
    names = ("coordination_identical", "byte_identical", "undecided")
    counts = {name: sum(each[name] is True for each in listed) for name in names}
    return statement(attempts=listed, counts={"attempts": len(listed), **counts})


STATEMENTS = {
    "honest": statement(),
    "part": statement(first=1),
    "rerun": statement(mode="rerun"),
    "other_receipt": statement(receipt_hash="0" * 64),
    "stranger": statement(forging.OTHER_KEY),
    "typ_of_a_receipt": statement(typ=RECEIPT_TYP),
    "edited": {**statement(first=1), "attempts": statement()["attempts"]},
    "unsigned": {**statement(), "signature": ""},
    "other_suite": statement(suite_hash="0" * 64),
    "other_rule": statement(rule="causal"),
    "attempt_twice": counted([*attempts(), *attempts()[:1]]),
    "attempt_unknown": counted([*attempts(), *attempts(index=7)[:1]]),
    "contradicts_itself": counted(attempts(coordination_identical=False)),
    "miscounted": statement(counts={**statement()["counts"], "byte_identical": 1}),
    "before_the_receipt": statement(checked_at="2026-01-30T00:00:00.000Z"),
    "still_to_come": statement(checked_at="2026-03-01T00:00:00.000Z"),
}
FORGED = (
    *("other_suite", "other_rule", "attempt_twice", "attempt_unknown", "contradicts_itself", "miscounted"),
    *("before_the_receipt", "still_to_come"),
    "other_receipt",
    "stranger",
    "typ_of_a_receipt",
    "edited",
    "unsigned",
)


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
