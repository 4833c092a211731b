"""Receipts from which blobs were taken out: they name the original and its signer, and claim no more."""

import copy

from casework import BLOB, BOTH, OUTCOME, TYPE, match, refused
from forging import MINI, OTHER_KEY, Run, agent, build, captured, digest, rechain, reclaim, seal, sha

UNUSED = ("MISSING_RECEIPT", "blob_unused", 10)
TEXT = "a log of the agent\n" + "x" * 1100
NAME = digest(TEXT)


def logged(task, index):
    made = agent(task, index)
    entry = captured(TEXT) if task["id"] == "capital" else captured("short")
    if task["id"] == "capital":
        entry["text"] = {"blob": NAME}
    made[3]["sample"] = {**made[3]["sample"], "log.txt": entry}
    return made


def original():
    return build(Run(events=logged, blobs={NAME: TEXT}))


def redacted(signer=None, edit=None, **changes):
    """The original without its blob, sealed again; ``changes`` to what it says of the original."""
    document = original()
    names = ("receipt_hash", "signature", "signer_fingerprint")
    gone = {**{name: document[name] for name in names}, "blobs": [NAME], **changes}
    document["blobs"], document["ext"] = {}, {"redacted": gone}
    if edit is not None:
        edit(document)
    return seal(document) if signer is None else seal(document, signer)


def cases():
    document = original()
    yield match("redacted_original", document)
    yield match("redacted", redacted())
    yield match("redacted_by_somebody_else_who_is_trusted", redacted(OTHER_KEY), BOTH)
    yield refused("redacted_by_a_stranger", ("UNSIGNED", "key_unknown", 5), redacted(OTHER_KEY))
    undeclared = copy.deepcopy(document)
    undeclared["blobs"] = {}
    yield refused("redacted_and_not_said", BLOB, seal(undeclared))
    kept = redacted(edit=lambda d: d["blobs"].update({NAME: TEXT}))
    yield refused("redacted_and_kept", BLOB, kept)
    more = sorted([NAME, sha(b"?")])
    yield refused("redacted_more_than_there_was", UNUSED, redacted(blobs=more))
    yield refused("redacted_out_of_order", TYPE, redacted(blobs=more[::-1]))
    yield refused("redacted_twice", TYPE, redacted(blobs=[NAME, NAME]))
    yield refused("redacted_nothing", TYPE, redacted(blobs=[]))
    invented = ("UNSIGNED", "sig_invalid", 6)
    yield refused("redacted_from_an_invented_original", invented, redacted(receipt_hash=sha(b"?")))
    foreign = redacted(signer_fingerprint=OTHER_KEY.public.kid)
    yield refused("redacted_from_an_original_of_another", ("UNSIGNED", "header", 6), foreign, BOTH)
    yield refused("redacted_and_a_verdict_turned", OUTCOME, redacted(edit=turned))
    by_hand = redacted()
    by_hand["ext"]["redacted"]["receipt_hash"] = sha(b"?")
    seal_ = ("HASH_MISMATCH", "receipt_hash", 4)
    yield refused("redacted_original_exchanged_by_hand", seal_, by_hand)
    evidence = redacted(edit=remade)
    yield refused("redacted_with_other_evidence", OUTCOME, evidence)


def turned(document):
    document["task_results"][0]["attempts"][1].update(outcome="passed", passed=True, score=1.0)


def remade(document):
    """Another answer, chained and hashed anew, under the verdicts of before."""
    events = document["task_results"][0]["attempts"][1]["receipt"]["events"]
    events[2]["sample"]["stdout"] = "Paris\n"
    rechain(document, MINI)
    reclaim(document)
