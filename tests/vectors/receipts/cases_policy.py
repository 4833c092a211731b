"""What a relying party demands: figures, subject and age; challenge, commitment and ledger; other outputs."""

import copy
import hashlib
import json

import forging
from cases_forgeries import copied_anew
from casework import DEFAULT, honest, match, refused
from forging import OTHER_KEY, TEST_KEY, Run, build, canonical, captured, digest, frame, sha

from passfloor.signing.jws import RECEIPT_TYP, sign_detached

CHALLENGE = "Q2hhbGxlbmdlIG9mIGEgcmVseWluZyBwYXJ0eQ"
OTHER_CHALLENGE = "QW5vdGhlciBjaGFsbGVuZ2UsIGFza2VkIGxhdGVy"
TYP = "passfloor-precommit+jws"
BEFORE, AFTER = "2026-01-31T09:00:00.000Z", "2026-01-31T09:30:30.000Z"
RUN, EARLIER = "20260131T093000Z-0a1b2c", "20260131T090000Z-0b2c3d"


def policy(code, step=16):
    return "POLICY_FAILED", code, step


def cases():
    yield from figures()
    yield from outputs()
    yield from challenges()
    yield from commitments()
    yield from ledgers()


def figures():
    document, plain = honest(), honest()["suite_hash"]
    demands = {
        "floor": ("floor", ("--min-floor", "0.5"), ("--min-floor", "0.51")),
        "k": ("k", ("--min-k", "2"), ("--min-k", "3")),
        "suite": ("expected_suite", ("--expect-suite-hash", plain), ("--expect-suite-hash", "0" * 64)),
        "subject": ("subject", ("--expect-subject", "agent"), ("--expect-subject", "another")),
        "subject_version": ("subject", ("--expect-subject", "agent"), ("--expect-subject", "agent@2.0")),
        "subject_digest": (
            "subject",
            ("--expect-subject", f"sha256:{document['subject']['adapter_digest']}"),
            ("--expect-subject", f"sha256:{'0' * 64}"),
        ),
        "age": ("age", ("--max-age", "15h"), ("--max-age", "14h")),
    }
    for name, (code, met, unmet) in demands.items():
        yield match(f"demanded_{name}", document, (*DEFAULT, *met))
        yield refused(f"demanded_{name}_unmet", policy(code), document, (*DEFAULT, *unmet))
    lie = honest()
    lie["pass_caret_k"] = 1.0
    forged = ("FABRICATED_FLOOR", "pass_caret_k", 14)
    yield refused(
        "demanded_floor_met_by_a_claim_alone", forged, forging.seal(lie), (*DEFAULT, "--min-floor", "1")
    )
    selected = honest(selection=("tidy",))
    yield refused(
        "demanded_suite_run_in_part",
        policy("expected_suite"),
        selected,
        (*DEFAULT, "--expect-suite-hash", plain),
    )


def outputs():
    distinct = (*DEFAULT, "--require-distinct-outputs")

    def different(task, index):
        files = {"notes.txt": captured("final\n"), "scratch": captured(str(index))}
        return frame(task, "Paris\n", files)

    yield match("distinct_outputs", honest(events=different), distinct)
    yield refused("distinct_outputs_missing", policy("distinct_outputs"), honest(), distinct)
    yield refused(
        "copied_attempt_made_anew_demanded_distinct", policy("distinct_outputs"), copied_anew(), distinct
    )


def challenges():
    answering = honest(session={"challenge": CHALLENGE})
    asked = (*DEFAULT, "--challenge", CHALLENGE)
    yield match("challenge_answered", answering, asked)
    yield match("challenge_not_asked_for", answering)
    other = (*DEFAULT, "--challenge", OTHER_CHALLENGE)
    yield refused("challenge_of_another", policy("challenge", 15), answering, other)
    yield refused("challenge_unanswered", policy("challenge", 15), honest(), asked)
    written = honest()
    written["session"]["challenge"] = CHALLENGE
    identity = ("DUPLICATE_ATTEMPT", "attempt_identity", 9)
    yield refused("challenge_written_in_afterwards", identity, forging.seal(written), asked)


def commitment(key=TEST_KEY, typ=TYP, at=BEFORE, **plan):
    """A signed commitment to the plan of the honest receipt."""
    document = honest()
    committed = {**{name: document[name] for name in forging.PLAN_MEMBERS}, **plan}
    made = {
        "schema": "passfloor/precommit/v1",
        "tool": document["tool"],
        "suite_version": document["suite_version"],
        "plan": committed,
        "plan_hash": digest({"schema": "passfloor/plan/v1", **committed}),
        "committed_at": at,
    }
    hashed = digest(made)
    signature = sign_detached(key, hashed.encode(), typ=typ)
    return {**made, "precommit_hash": hashed, "signature": signature, "signer_fingerprint": key.public.kid}


COMMITMENTS = {
    "honest": commitment(),
    "of_another_k": commitment(k=1),
    "too_late": commitment(at=AFTER),
    "stranger": commitment(OTHER_KEY),
    "typ_of_a_receipt": commitment(typ=RECEIPT_TYP),
    "edited": {**commitment(), "committed_at": "2026-01-30T09:00:00.000Z"},
    "unsigned": {**commitment(), "signature": ""},
}


def commitments():
    for name, made in COMMITMENTS.items():
        given = (*DEFAULT, "--commitment", f"../commitments/{name}.json")
        document = honest(session={"precommit_hash": made["precommit_hash"]})
        if name == "honest":
            yield match("commitment_kept", document, given)
            yield refused("commitment_not_named", policy("precommit", 15), honest(), given)
            other = honest(session={"precommit_hash": sha(b"another")})
            yield refused("commitment_to_another_named", policy("precommit", 15), other, given)
            more = build(Run(n=3, stages=(2, 3), session={"precommit_hash": made["precommit_hash"]}))
            yield refused("commitment_and_attempts_added", policy("precommit", 15), more, given)
        else:
            yield refused(f"commitment_{name}", policy("precommit", 15), document, given)


def logged():
    """The receipt of a run that a ledger holds."""
    return honest(session={"run_seq": 1})


def ledger(*entries):
    """Hash-chained lines."""
    head, lines = hashlib.sha256(b"passfloor/ledger/v1").digest(), []
    for seq, entry in enumerate(entries):
        body = canonical(entry)
        head = hashlib.sha256(head + hashlib.sha256(body).digest()).digest()
        lines.append(b'{"body":%b,"chain":"%b","seq":%d}\n' % (body, head.hex().encode(), seq))
    return b"".join(lines)


def began(run=RUN, seq=1, before=None, **changes):
    document = logged()
    return {
        "event": "start",
        "run": run,
        "run_seq": seq,
        "plan_hash": document["session"]["plan_hash"],
        "subject": document["subject"],
        "at": forging.STARTED,
        "prev_receipt_hash": before,
        "suite_hash": document["suite_hash"],
        **changes,
    }


def raised(document, run=RUN, **changes):
    """The line of a receipt's last stage."""
    stage = document["session"]["stages"][-1]
    return {
        "event": "stage",
        "run": run,
        "plan_hash": stage["plan_hash"],
        "after_receipt_hash": stage["after_receipt_hash"],
        "at": stage["decided_at"],
        **changes,
    }


def ended(run=RUN, receipt="", status="completed"):
    hashed = receipt or logged()["receipt_hash"]
    return {
        "event": "end",
        "run": run,
        "status": status,
        "receipt_hash": hashed if status == "completed" else None,
        "at": "2026-01-31T09:32:00.000Z",
    }


def longer():
    """The receipt of a run that was gone on with, and that a ledger holds."""
    return build(Run(n=3, stages=(2, 3), session={"run_seq": 1}))


def went_on(*between):
    """The ledger of that run."""
    document = longer()
    first = document["session"]["stages"][1]["after_receipt_hash"]
    start = began(plan_hash=document["session"]["stages"][0]["plan_hash"])
    return ledger(start, ended(RUN, first), *between, ended(RUN, document["receipt_hash"]))


HONEST = ledger(began(), ended())
LEDGERS = {
    "honest": HONEST,
    "other_suite_beside": ledger(
        began(),
        ended(),
        began(EARLIER, 2, logged()["receipt_hash"], plan_hash=sha(b"p"), suite_hash=sha(b"s")),
    ),
    "another_run": ledger(
        began(), ended(), began(EARLIER, 2, logged()["receipt_hash"]), ended(EARLIER, sha(b"r"))
    ),
    "another_aborted": ledger(
        began(), ended(), began(EARLIER, 2, logged()["receipt_hash"]), ended(EARLIER, "", "aborted")
    ),
    "another_left_open": ledger(began(), ended(), began(EARLIER, 2, logged()["receipt_hash"])),
    "without_the_run": ledger(began(EARLIER)),
    "without_its_end": ledger(began()),
    "another_receipt_of_it": ledger(began(), ended(RUN, sha(b"the receipt that was published first"))),
    "a_further_receipt_of_it": ledger(began(), ended(), ended(RUN, sha(b"the longer one"))),
    "begun_again_and_aborted": ledger(began(), ended(), ended(RUN, "", "aborted")),
    "begun_again_and_dropped": ledger(
        began(), ended(), raised(longer(), after_receipt_hash=logged()["receipt_hash"])
    ),
    "another_start": ledger(began(at=BEFORE), ended()),
    "line_taken_out": HONEST.partition(b"\n")[2],
    "line_edited": HONEST.replace(b'"completed"', b'"completeD"'),
    "number_again": ledger(began(), ended(), began(EARLIER, 1, logged()["receipt_hash"])),
    "sealed_and_started_elsewhere": ledger(
        {
            **began(),
            "event": "seal",
            "receipt_hash": logged()["receipt_hash"],
            "sealed_at": "2026-01-31T09:32:00.000Z",
        }
    ),
    "no_ledger": b"{}\n",
}
LONGER = {
    "two_stages": went_on(raised(longer())),
    "two_stages_one_not_entered": went_on(),
    "two_stages_and_one_dropped": went_on(raised(longer(), at=BEFORE), raised(longer())),
}


def ledgers():
    document = logged()
    for name in LEDGERS:
        given = (*DEFAULT, "--ledger", f"../ledgers/{name}.jsonl")
        if name in {"honest", "other_suite_beside"}:
            yield match(f"ledger_{name}", document, given)
        else:
            yield refused(f"ledger_{name}", policy("ledger", 15), document, given)
        if name in {"another_run", "another_aborted", "another_left_open"}:
            yield match(f"ledger_{name}_allowed", document, (*given, "--allow-other-runs"))
    for name in LONGER:
        given = (*DEFAULT, "--ledger", f"../ledgers/{name}.jsonl")
        if name == "two_stages":
            yield match(f"ledger_{name}", longer(), given)
        else:
            yield refused(f"ledger_{name}", policy("ledger", 15), longer(), given)
    numbered = copy.deepcopy(document)
    numbered["session"]["run_seq"] = 7
    given = (*DEFAULT, "--ledger", "../ledgers/honest.jsonl")
    identity = ("DUPLICATE_ATTEMPT", "attempt_identity", 9)
    yield refused("ledger_number_edited", identity, forging.seal(numbered), given)
    yield refused("ledger_of_a_run_without_a_number", policy("ledger", 15), honest(), given)


def side_files():
    """Path -> content of what the flags name."""
    made = {f"ledgers/{name}.jsonl": content for name, content in {**LEDGERS, **LONGER}.items()}
    for name, document in COMMITMENTS.items():
        made[f"commitments/{name}.json"] = (json.dumps(document, indent=2) + "\n").encode()
    return made
