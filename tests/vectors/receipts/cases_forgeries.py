"""Forgeries that stand in none of the other files: by hand, made anew, and shown to a reader."""

import copy
import hashlib
import hmac

from cases_signature import KID, TYP, b64, sign
from casework import (
    ATTEMPT,
    BOTH,
    CHAIN,
    DIVERGED,
    EVENT,
    EVENTS,
    HASH,
    PLAN,
    TASK,
    TYPE,
    attempt,
    events,
    honest,
    match,
    pair,
    put,
    refused,
    resealed,
)
from forging import (
    MINI,
    OTHER_KEY,
    STUB_FINGERPRINT,
    TEST_KEY,
    Run,
    agent,
    attempt_id,
    build,
    canonical,
    frame,
    lines,
    rechain,
    reclaim,
    rehash,
    replan,
    seal,
)

SEAL = ("HASH_MISMATCH", "receipt_hash", 4)


def cases():
    yield from by_hand()
    yield from signers()
    yield from foreign_attempts()
    yield from copies()
    yield from claims()
    yield from shown()


def by_hand():
    """What is refused for the evidence's sake, also where nobody sealed it again."""
    edit = put(*EVENTS[:3], 1, *EVENTS[4:], 1, "route", "r2")
    yield from pair("diverged_by_hand", DIVERGED, edit, rechain, reclaim, unsealed=HASH)
    remade = honest()
    for step in (edit, rechain, reclaim):
        step(remade)
    yield refused("diverged_by_hand_remade_unsealed", DIVERGED, remade)
    for name, value in {"kind": 5, "seq": "1"}.items():
        yield from pair(f"event_{name}_by_hand", EVENT, put(*EVENTS, 1, name, value), rechain)
    yield from pair("count_by_hand", ("FABRICATED_FLOOR", "counts", 14), put("counts", "passed", 4))
    data = lines(honest())
    long = data.replace(b'"run_seq":null', b'"run_seq":' + b"9" * 10_000, 1)
    yield refused("parse_integer_of_10000_digits", ("MALFORMED_RECEIPT", "parse", 1), long)
    seals = {"signature": "x", "receipt_hash": "0" * 64}
    yield refused("seal_invented_altogether", SEAL, {**honest(), **seals})


def unsigned(code, step=6):
    return "UNSIGNED", code, step


def signers():
    document = honest()
    other = OTHER_KEY.public.kid
    signature = sign(document, kid=other)
    yield refused(
        "header_kid_of_another_trusted_key", unsigned("header"), {**document, "signature": signature}, BOTH
    )
    texts = {
        "cut_short": KID[:16],
        "lower_case": KID.lower(),
        "blank_after": KID + " ",
        "in_hexadecimal": hashlib.sha256(TEST_KEY.public.raw).hexdigest(),
    }
    for name, text in texts.items():
        forged = {**document, "signer_fingerprint": text}
        yield refused(f"fingerprint_{name}", unsigned("key_unknown", 5), forged)
    marked = {**document, "signer_fingerprint": f"{KID}-stub"}
    yield refused("fingerprint_marked_as_stub", unsigned("stub_not_allowed", 5), marked)
    macs = {"x": TEST_KEY.public.x.encode(), "raw": TEST_KEY.public.raw, "pem": TEST_KEY.public.pem()}
    for name, secret in macs.items():
        protected = b64(canonical({"alg": "HS256", "kid": KID, "typ": TYP}))
        text = f"{protected}.{b64(document['receipt_hash'].encode())}".encode()
        mac = b64(hmac.new(secret, text, hashlib.sha256).digest())
        forged = {**document, "signature": f"{protected}..{mac}"}
        yield refused(f"hs256_under_the_public_key_{name}", unsigned("header"), forged)
    flipped = honest()
    attempt(flipped, 0, 1).update(outcome="passed", passed=True, score=1.0)
    stranger = seal(copy.deepcopy(document), OTHER_KEY)
    members = {"alg": "EdDSA", "jwk": OTHER_KEY.public.jwk(), "kid": other, "typ": TYP}
    stranger["signature"] = sign(stranger, header=canonical(members), key=OTHER_KEY)
    yield refused("stranger_brings_its_own_key", unsigned("key_unknown", 5), stranger)
    forged = ("FABRICATED_SCORE", "outcome", 12)
    yield refused("flipped_verdict_sealed_by_a_stranger", forged, seal(flipped, OTHER_KEY))
    down = seal(honest(), "stub")
    yield refused("stub_in_place_of_the_key", unsigned("stub_not_allowed", 5), down)
    yield refused(
        "stub_name_without_a_signature",
        unsigned("unsigned"),
        {**document, "signature": "", "signer_fingerprint": STUB_FINGERPRINT},
    )
    for name, value in {
        "object": {"protected": "", "signature": ""},
        "list": [document["signature"]],
    }.items():
        yield refused(f"type_signature_{name}", TYPE, {**document, "signature": value})


def foreign_attempts():
    def moved(document):
        kept = copy.deepcopy(attempt(document, 1, 0))
        document["task_results"][0]["attempts"][0] = kept

    def renamed(document):
        moved(document)
        attempt(document).update(
            task_id="capital", task_hash=document["task_results"][0]["task_hash"], attempt_id=own(document, 0)
        )
        attempt(document)["receipt"].update(run_id=RUN, attempt_id=own(document, 0))

    yield from pair("attempt_of_another_task", TASK, moved)
    yield from pair("attempt_of_another_task_renamed", CHAIN, renamed, rehash)

    def restarted(document):
        renamed(document)
        events(document)[0]["task_hash"] = document["task_results"][0]["task_hash"]
        rechain(document)

    yield from pair(
        "attempt_of_another_task_made_anew", ("FABRICATED_SCORE", "outcome", 12), restarted, reclaim
    )


RUN = "20260131T093000Z-0a1b2c/0/0"


def own(document, index):
    """The attempt id that belongs to this place."""
    return attempt_id(document, MINI["tasks"][0], index)


def copied(document):
    attempts = document["task_results"][0]["attempts"]
    attempts[1] = {**copy.deepcopy(attempts[0]), "index": 1}


def numbered(document):
    copied(document)
    second = attempt(document, 0, 1)
    second["attempt_id"] = second["receipt"]["attempt_id"] = own(document, 1)
    second["receipt"]["run_id"] = f"{RUN[:-1]}1"


def copied_anew():
    """One passing attempt shown twice, everything made anew: new evidence, refused by nothing."""
    document = honest()
    for step in (numbered, rechain, reclaim):
        step(document)
    return seal(document)


def copies():
    """One passing attempt shown n times, with more and more made anew."""
    yield from pair("copied_attempt_under_its_own_id", CHAIN, numbered, rehash, reclaim)
    document = honest()
    for step in (numbered, rechain, reclaim):
        step(document)
    yield refused("copied_attempt_made_anew_unsealed", SEAL, document)
    yield match("copied_attempt_made_anew_by_the_signer", copied_anew())


def claims():
    for name, value in {"version": "2.0", "adapter": "function"}.items():
        edit = put("subject", name, value)
        yield from pair(f"plan_subject_{name}", PLAN, edit)
        finding = ("DUPLICATE_ATTEMPT", "attempt_identity", 9)
        yield resealed(f"plan_subject_{name}_remade_resealed", finding, edit, replan)
    again = {"task_id": "tidy", "index": 1, "starts": 2}
    document = honest(session={"interrupted": [again]})
    first, second = pair("asserted_interrupted", SEAL, put("session", "interrupted", []), document=document)
    yield first
    yield match("asserted_interrupted_by_the_signer", second.receipt)
    yield from pair("stages_joined", PLAN, joined, document=build(Run(n=3, stages=(2, 3))))


def joined(document):
    """Attempts added after a look at the figures, told as one stage."""
    session = document["session"]
    session["stages"] = session["stages"][:1]
    session["stages"][0]["n"] = 3
    document["environment"] = document["environment"][:1]


SHOWN = {
    "escape_sequence": "\x1b[2J\x1b[31mMATCH",
    "hyperlink": "\x1b]8;;https://example.com\x07MATCH\x1b]8;;\x07",
    "c1_control": "\x9b31mMATCH",
    "carriage_return": "x\roverall: MATCH",
    "line_break": "x\noverall: MATCH",
    "bidi": "\u202eHCTAM",
    "markup": "[bold green]MATCH[/]",
    "workflow_command": "x\n::error file=a.py::MATCH\n::set-output name=floor::1.0",
    "markdown": "x | MATCH |\n```\n<img src=https://example.com/x>",
    "no_xml": "\x00\x0b\ufffe]]>&<",
}


def shown():
    """Text that would like to be obeyed by a terminal, a build log or a report."""
    for name, text in SHOWN.items():
        foreign = put("task_results", 0, "task_id", text)
        yield resealed(f"shown_{name}_in_an_id", ("HASH_MISMATCH", "task", 8), foreign)
        yield resealed(f"shown_{name}_in_a_name", TYPE, put(*ATTEMPT, text, True))
        error = {"type": "provider", "detail": text}

        def errored(task, index, error=error):
            if index == 0:
                return agent(task, index)
            return frame(task, "", {}, journal=[agent(task, 0)[1]], exit_code=1, error=error)

        yield match(f"shown_{name}_in_a_detail", honest(events=errored))
    inert = {
        "command": ["sh", "-c", "touch astray"],
        "url": "http://127.0.0.1:9/x",
        "file": "/etc/passwd",
        "module": "os:system",
        "$ref": "http://127.0.0.1:9/schema",
    }
    named = honest(members={"ext": inert, "scheduler_config": inert})
    yield match("what_is_named_is_inert", named)
