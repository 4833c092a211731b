"""Verdicts that nobody evaluates here: of graders with code, of another tool's records kept as digests."""

import copy

from casework import (
    ATTEMPT,
    EVENT,
    EVENTS,
    HASH,
    OUTCOME,
    TEST,
    attempt,
    drop,
    events,
    match,
    pair,
    put,
    refused,
    resealed,
)
from forging import Run, build, captured, frame, numbered, rechain, reclaim, seal, sha, task_hash

ATTESTED = ("POLICY_FAILED", "attested_verdict", 16)
IMPORT = ("MALFORMED_RECEIPT", "type", 7)
CODED = {
    "version": "coded-v1",
    "tasks": [
        {
            "id": "make",
            "description": "Make out.txt and print done.",
            "assertions": [
                {"kind": "output_equals", "expected": "done"},
                {"kind": "command", "argv": ["test", "-f", "out.txt"]},
            ],
        }
    ],
}
RULE = {"outcome": "outcome", "error": "error"}
LOG = {
    "version": "rows:log",
    "tasks": [
        {
            "id": name,
            "description": "imported by rows",
            "assertions": [{"kind": "imported", "importer": "rows", "rule": RULE}],
        }
        for name in ("a", "b")
    ],
}
SUITES = {"coded": CODED, "log": LOG}
RECORDS = {
    ("a", 0): '{"outcome":"passed"}',
    ("a", 1): '{"outcome":"failed","note":"wrong sum"}',
    ("b", 0): '{"outcome":"error","error":"503"}',
}


def cases():
    yield from attested()
    yield from imported()


def attested():
    flags = ("--suite", "../suites/coded.json", *TEST)
    allowed = (*flags, "--allow-attested")

    def made(task, index):
        return frame(task, "done\n", {"out.txt": captured("x")} if index == 0 else {})

    document = build(Run(suite=CODED, events=made))
    yield refused("attested_verdict", ATTESTED, document, flags)
    yield match("attested_verdict_allowed", document, allowed)

    def lied(document):
        """The sealed word about the grader with code; nothing here holds anything against it."""
        second = attempt(document, 0, 1)
        second["harness_output"]["assertions"][1]["passed"] = True
        second.update(outcome="passed", passed=True, score=1.0)

    word = copy.deepcopy(document)
    for step in (lied, reclaim):
        step(word)
    yield refused("attested_word_edited_by_hand", ("HASH_MISMATCH", "receipt_hash", 4), word, allowed)
    word = copy.deepcopy(word)
    yield match("attested_word_of_the_signer", seal(word), allowed)
    # What stands beside the word is derived as ever.
    yield from pair("attested_beside_a_false_answer", OUTCOME, contradict, document=document, flags=allowed)
    silent = put(*ATTEMPT, "harness_output", {"assertions": []})
    yield from pair("attested_without_an_answer", OUTCOME, silent, document=document, flags=allowed)
    odd = put(*ATTEMPT, "harness_output", "assertions", 1, "passed", 1)
    yield from pair("attested_by_a_number", OUTCOME, odd, document=document, flags=allowed)


def contradict(document):
    """An attempt whose output is refused by the assertion beside is claimed to have passed."""
    attempt(document, 0, 1).update(outcome="passed", passed=True, score=1.0)


def row(task, index):
    """The events of an imported attempt: its raw record, or nothing where the log has none."""
    started = {"kind": "task.started", "task_hash": task_hash(task), "seed": 0}
    record = RECORDS.get((task["id"], index))
    if record is None:
        error = {"type": "missing", "detail": "the log has no such attempt"}
        return numbered([started, {"kind": "attempt.errored", "error": error}])
    return numbered([started, {"kind": "model.output", "sample": record}, {"kind": "task.completed"}])


def slim(task, index):
    """The same, with digests in place of records."""
    made = row(task, index)
    if len(made) == 3:
        record = made[1]["sample"].encode()
        made[1]["sample"] = {"sha256": sha(record), "size": len(record)}
        if "503" in record.decode():
            made[2] = {"seq": 2, "kind": "attempt.errored", "error": {"type": "source", "detail": "503"}}
    return made


def log(make=row, adapter="import:rows", **members):
    return build(
        Run(suite=LOG, adapter=adapter, events=make, members={"coordination_rule": "unrecorded", **members})
    )


def imported():
    named = ("--suite", "../suites/log.json", *TEST)
    flags = (*named, "--allow-unrecorded")
    document = log()
    yield match("imported", document, flags)
    yield refused(
        "imported_coordination_demanded", ("POLICY_FAILED", "coordination_unrecorded", 16), document, named
    )
    yield from pair("imported_verdict_flipped", OUTCOME, flip, document=document, flags=flags)
    yield from pair("imported_error_hidden", OUTCOME, hide, document=document, flags=flags)
    edit = put("task_results", 0, "attempts", 1, "receipt", "events", 1, "sample", '{"outcome":"passed"}')
    anew = lambda d: rechain(d, LOG)  # noqa: E731
    yield from pair(
        "imported_record_edited", OUTCOME, edit, anew, document=document, flags=flags, unsealed=HASH
    )
    yield refused("imported_claiming_coordination", IMPORT, log(coordination_rule="identical"), flags)
    unknown = log(adapter="import:nobody")
    yield refused("imported_by_nobody_known", ("UNSUPPORTED", "grader", 7), unknown, flags)
    routed = put(*EVENTS, 0, "route", "r2")
    yield resealed("imported_with_a_route", EVENT, routed, anew, document=document, flags=flags)
    twice = lambda d: events(d).insert(1, {**events(d)[1], "seq": 1})  # noqa: E731
    yield resealed("imported_two_records", EVENT, twice, renumber, anew, document=document, flags=flags)
    yield resealed("imported_without_its_end", EVENT, drop(*EVENTS, 2), anew, document=document, flags=flags)
    yield from imported_frames(document, flags, anew)
    thin = log(slim)
    yield refused("imported_digests_alone", ATTESTED, thin, flags)
    yield match("imported_digests_alone_allowed", thin, (*flags, "--allow-attested"))
    both = (*flags, "--allow-attested")
    yield from pair("imported_digest_and_flipped", OUTCOME, contradict_word, document=thin, flags=both)


def imported_frames(document, flags, anew):
    """Each thing that an imported attempt may not hold beside its record."""
    edits = {
        "with_a_member_of_the_run_receipt": put(*EVENTS[:-1], "lane", "a"),
        "with_more_than_its_record": put(*EVENTS, 1, "call", 0),
        "without_a_record": put(*EVENTS, 1, "sample", ""),
        "with_an_end_of_its_own": put(*EVENTS, 2, "note", "all good"),
    }
    for name, edit in edits.items():
        yield resealed(f"imported_{name}", EVENT, edit, anew, document=document, flags=flags)
    missing = ("task_results", 1, "attempts", 1, "receipt", "events", 1)
    ended = put(*missing, "error", "type", "source")
    yield resealed("imported_and_missing_otherwise", EVENT, ended, anew, document=document, flags=flags)
    coded = {**LOG, "tasks": [{**task, "assertions": [{"kind": "completed"}]} for task in LOG["tasks"]]}
    members = {"coordination_rule": "unrecorded"}
    framed = lambda task, _: frame(task)  # noqa: E731
    other = build(Run(suite=coded, adapter="import:rows", events=framed, members=members, embed=True))
    embedded = ("--use-embedded-suite", *TEST, "--allow-unrecorded")
    yield refused("imported_and_judged_otherwise", IMPORT, other, embedded)
    posing = log(adapter="custom")
    yield refused("imported_and_posing_as_witnessed", IMPORT, posing, flags)
    first, *others = copy.deepcopy(LOG["tasks"])
    first["assertions"][0]["rule"] = {**RULE, "score": "score"}
    ruled = {**LOG, "tasks": [first, *others]}
    two = build(Run(suite=ruled, adapter="import:rows", events=row, members=members, embed=True))
    yield refused("imported_under_two_rules", IMPORT, two, embedded)


def flip(document):
    attempt(document, 0, 1).update(outcome="passed", passed=True, score=1.0)


def hide(document):
    attempt(document, 1, 0).update(
        outcome="wrong",
        error=None,
        score=0.0,
        harness_output={"assertions": [{"kind": "imported", "passed": False}]},
    )


def contradict_word(document):
    """The verdict is no longer what the sealed answer says."""
    attempt(document, 0, 1).update(outcome="passed", passed=True)


def renumber(document):
    events(document)[:] = numbered(events(document))
