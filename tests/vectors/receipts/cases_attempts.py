"""Attempts that are copied, foreign, cut open or differently coordinated, and what they refer to."""

import base64
import copy

from casework import (
    ATTEMPT,
    BLOB,
    CHAIN,
    DEFAULT,
    DIVERGED,
    EVENT,
    EVENTS,
    HASH,
    IDENTITY,
    RECEIPT,
    TASK,
    attempt,
    drop,
    events,
    honest,
    match,
    pair,
    put,
    refused,
    resealed,
)
from forging import (
    JOURNAL,
    MINI,
    Run,
    agent,
    build,
    captured,
    digest,
    frame,
    numbered,
    rechain,
    reclaim,
    rehash,
    seal,
    sha,
)

ALLOW = (*DEFAULT, "--allow-unrecorded")


def cases():
    yield from identity()
    yield from evidence()
    yield from schema()
    yield from framing()
    yield from divergence()
    yield from objects()
    yield from claims()
    yield from unrecorded()
    yield from blobs()


def identity():
    def copied(document):
        attempts = document["task_results"][0]["attempts"]
        attempts[1] = {**attempts[0], "index": 1}

    def renamed(document):
        copied(document)
        for index, kept in enumerate(document["task_results"][0]["attempts"]):
            kept["receipt"] = {**kept["receipt"], "run_id": f"20260131T093000Z-0a1b2c/0/{index}"}

    def swapped(document):
        attempts = document["task_results"][0]["attempts"]
        attempts.reverse()
        for index, kept in enumerate(attempts):
            kept["index"] = index

    other = build(Run(session={"nonce": base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")}))
    yield from pair("copied_attempt", IDENTITY, copied, reclaim)
    yield from pair(
        "copied_attempt_new_run_ids",
        IDENTITY,
        renamed,
        rehash,
        reclaim,
        unsealed=HASH,
    )
    yield from pair("attempts_reordered_and_renumbered", IDENTITY, swapped)
    yield from pair("spliced_from_another_session", IDENTITY, put(*ATTEMPT, attempt(other)))
    yield from pair("foreign_run_id", IDENTITY, put(*RECEIPT, "run_id", RUN_2), rehash, unsealed=HASH)
    yield from pair("foreign_attempt_id", IDENTITY, put(*ATTEMPT, "attempt_id", sha(b"?")))
    yield from pair(
        "foreign_attempt_id_inside", IDENTITY, put(*RECEIPT, "attempt_id", sha(b"?")), rechain, unsealed=HASH
    )
    for name, value in {
        "routing": "route=fast",
        "padded": "20260131T093000Z-0a1b2c/00/0",
        "negative": "20260131T093000Z-0a1b2c/0/-0",
        "other_digits": "20260131T093000Z-0a1b2c/0/０",
    }.items():
        edit = put(*RECEIPT, "run_id", value)
        yield from pair(f"run_id_{name}", ("MALFORMED_RECEIPT", "type", 9), edit, rehash)


NANOSECONDS = "2026-01-31T09:30:00.123456789Z"
RUN_2 = "20260131T093000Z-ffffff/0/0"


def evidence():
    def flip(document):
        events(document, 0, 1)[2]["sample"]["stdout"] = "Lyoo\n"

    yield from pair("byte_flip_in_run_receipt", HASH, flip)
    yield from pair("byte_flip_in_run_receipt_rehashed", CHAIN, flip, rehash, unsealed=HASH)
    yield from pair("attempt_hash_invented", HASH, put(*ATTEMPT, "receipt_hash", sha(b"?")))
    yield from pair("journal_head_invented", CHAIN, put(*RECEIPT, "journal_head", sha(b"?")), rehash)
    yield from pair("spine_head_invented", CHAIN, put(*RECEIPT, "spine_head", sha(b"?")), rehash)
    yield from pair("routing_in_heads", CHAIN, put(*RECEIPT, "spine_head", "route=fast"), rehash)
    yield from pair("attempt_names_another_task", TASK, put(*ATTEMPT, "task_id", "tidy"))
    yield from pair("attempt_names_another_task_hash", TASK, put(*ATTEMPT, "task_hash", sha(b"?")))
    yield from pair(
        "started_on_another_task", TASK, put(*EVENTS, 0, "task_hash", sha(b"?")), rechain, unsealed=HASH
    )
    empty = ("MISSING_RECEIPT", "empty_events", 10)
    yield from pair("events_empty", empty, put(*EVENTS, []), rechain, unsealed=HASH)
    sample = ("task_results", 1, "attempts", 0, "receipt", "events", 3, "sample", "notes.txt")
    text = {**captured("final\n"), "text": "other\n"}
    yield from pair("captured_file_is_not_its_digest", CHAIN, put(*sample, text), rechain)
    yield from pair("captured_file_is_not_its_size", CHAIN, put(*sample, "size", 7), rechain)
    encoded = {"sha256": sha(b"final\n"), "size": 6, "base64": "b3RoZXIK"}
    yield from pair("captured_base64_is_not_its_digest", CHAIN, put(*sample, encoded), rechain)


def schema():
    bad = {
        "kind_not_text": {"kind": 5},
        "kind_empty": {"kind": ""},
        "seq_text": {"seq": "1"},
        "seq_true": {"seq": True},
        "seq_float": {"seq": 1.5},
        "seq_of_another": {"seq": 2},
        "ts_text": {"ts": "route=fast"},
        "ts_true": {"ts": True},
        "elapsed_s_text": {"elapsed_s": "route=fast"},
        "started_at_text": {"started_at": "route=fast"},
        "finished_at_30_february": {"finished_at": "2026-02-30T00:00:00Z"},
        "started_at_ten_digits": {"started_at": "2026-01-31T00:00:00.0123456789Z"},
    }
    for name, members in bad.items():
        yield resealed(
            f"event_{name}", EVENT, lambda d, members=members: events(d)[1].update(members), rechain
        )
    yield resealed("event_kind_missing", EVENT, drop(*EVENTS, 1, "kind"), rehash)
    yield resealed("event_seq_missing", EVENT, drop(*EVENTS, 1, "seq"), rechain)
    yield resealed("event_no_object", ("MALFORMED_RECEIPT", "type", 2), put(*EVENTS, 1, "tool.call"))
    yield resealed("sample_missing", EVENT, drop(*EVENTS, 2, "sample"), rehash)


def framing():
    def planted(kind, **members):
        def edit(document):
            given = events(document)
            given[:] = numbered([*given[:2], {"kind": kind, **members}, *given[2:]])

        return edit

    pass_ = {"stdout": "Paris\n", "exit_code": 0, "stderr_tail": ""}
    yield resealed("second_output", EVENT, planted("model.output", sample=pass_), rechain)
    yield resealed("planted_agent_output", EVENT, planted("agent.output", value=pass_), rechain)
    yield resealed("planted_agent_artifact", EVENT, planted("agent.artifact", value={}), rechain)
    yield resealed("planted_completion", EVENT, planted("task.completed"), rechain)
    yield resealed("no_start", EVENT, put(*EVENTS, 0, "kind", "begun"), rechain)
    yield resealed("no_seed", EVENT, drop(*EVENTS, 0, "seed"), rechain)
    yield resealed("seed_true", EVENT, put(*EVENTS, 0, "seed", True), rechain)
    yield resealed("no_task_hash_at_start", EVENT, drop(*EVENTS, 0, "task_hash"), rechain)
    yield resealed("no_end", EVENT, put(*EVENTS, 4, "kind", "ended"), rechain)
    yield resealed("no_artifact", EVENT, drop(*EVENTS, 3), renumber, rechain)
    error = {"kind": "attempt.errored", "seq": 4, "exit_code": 0}
    yield resealed("error_without_type", EVENT, put(*EVENTS, 4, {**error, "error": {}}), rechain)
    odd = {"type": 1, "detail": ""}
    yield resealed("error_of_a_number", EVENT, put(*EVENTS, 4, {**error, "error": odd}), rechain)
    kept = {"type": "exit", "detail": "", "note": "?"}
    yield resealed("error_with_more", EVENT, put(*EVENTS, 4, {**error, "error": kept}), rechain)
    yield from closings()
    outputs = {
        "output_no_object": "Paris\n",
        "output_stdout_number": {**pass_, "stdout": 5},
        "output_exit_code_true": {**pass_, "exit_code": True},
        "output_no_exit_code": {"stdout": "", "stderr_tail": ""},
        "output_with_more": {**pass_, "passed": True},
        "output_cut_zero": {**pass_, "cut": 0},
        "output_no_stderr": {"stdout": "", "exit_code": 0},
        "output_exit_code_256": {**pass_, "exit_code": 256},
        "output_exit_code_negative": {**pass_, "exit_code": -5},
        "output_scrubbed_text": {**pass_, "scrubbed": "yes"},
        "output_replaced_route": {**pass_, "replaced": {"route": sha(b"?")}},
        "output_replaced_text": {**pass_, "replaced": {"stdout": "r1"}},
        "output_stderr_too_long": {**pass_, "stderr_tail": "x" * 4097},
    }
    for name, sample in outputs.items():
        yield resealed(name, EVENT, put(*EVENTS, 2, "sample", sample), rechain)
    yield from artifacts()


def closings():
    """What the projection drops from an attempt that errored may carry nothing but what the harness says."""

    def errored(edit=None, **cause):
        def events_of(task, index):
            if not index:
                return agent(task, index)
            error = {"type": "exit", "detail": "exit status 3", **cause}
            made = frame(task, "", {}, journal=JOURNAL, exit_code=3, error=error)
            if edit:
                edit(made)
            return made

        return build(Run(events=events_of))

    yield match("errored_by_the_harness", errored())
    yield match("errored_with_timing", errored(lambda made: made[-1].update(ts=1, finished_at=NANOSECONDS)))
    for position, kind in ((-3, "output"), (-2, "artifact"), (-1, "errored")):
        routed = errored(lambda made, position=position: made[position].update(route="r2"))
        yield refused(f"closing_route_in_{kind}", EVENT, routed)
    yield refused("closing_exit_code_of_another", EVENT, errored(lambda made: made[-1].update(exit_code=9)))
    yield refused("closing_exit_code_text", EVENT, errored(lambda made: made[-1].update(exit_code="3")))
    yield refused("closing_exit_code_missing", EVENT, errored(lambda made: made[-1].pop("exit_code")))
    document = errored()
    for result in document["task_results"]:
        last = result["attempts"][1]["receipt"]["events"][-1]
        last["error"] = {**last["error"], "type": "nonsense"}
    rechain(document)
    yield refused("closing_error_type_unknown", EVENT, seal(document))
    yield refused("closing_error_type_grader", EVENT, errored(type="grader", detail="assertions[0]"))

    def planted(kind):
        files = {"notes.txt": captured("final\n")}
        return honest(events=lambda task, _: frame(task, "Paris\n", files, journal=[{"kind": kind}]))

    for kind in ("task.foo", "attempt.foo", "agent.foo"):
        yield refused(f"reserved_{kind.replace('.', '_')}", EVENT, planted(kind))
    yield match("unreserved_kind", planted("model.foo"))


def renumber(document):
    events(document)[:] = numbered(events(document))


def artifacts():
    where = ("task_results", 1, "attempts", 0, "receipt", "events", 3, "sample")
    good = captured("final\n")
    empty = {"sha256": sha(b""), "size": 0}
    entries = {
        "artifact_no_object": "final\n",
        "artifact_without_digest": {"size": 6, "text": "final\n"},
        "artifact_size_text": {**good, "size": "6"},
        "artifact_nothing_kept": {"sha256": sha(b"final\n"), "size": 6},
        "artifact_text_and_base64": {**good, "base64": "ZmluYWwK"},
        "artifact_text_number": {**good, "text": 5},
        "artifact_text_reference_with_more": {**good, "text": {"blob": "0" * 64, "more": 1}},
        "artifact_text_reference_number": {**good, "text": {"blob": 5}},
        "artifact_base64_unreadable": {**empty, "base64": "!!!!"},
        "artifact_base64_loose_bits": {"sha256": sha(b"f"), "size": 1, "base64": "Zh=="},
        "artifact_base64_number": {**empty, "base64": 0},
        "artifact_with_more": {**good, "mode": "0777"},
        "artifact_cut_true": {**good, "cut": True},
        "artifact_scrubbed_text": {**good, "scrubbed": "yes"},
        "artifact_size_negative": {**good, "size": -1},
    }
    for name, entry in entries.items():
        yield resealed(name, EVENT, put(*where, "notes.txt", entry), rechain)
    yield resealed("artifact_list", EVENT, put(*where, [good]), rehash)


def divergence():
    def differing(first, second, **run):
        def events_of(task, index):
            made = agent(task, index)
            made[1].update(second if index else first)
            return made

        return build(Run(events=events_of, **run))

    values = {
        "index": ({"index": 0}, {"index": 1}),
        "prev_hash": ({"prev_hash": "a"}, {"prev_hash": "b"}),
        "payload_hash": ({"payload_hash": "a"}, {"payload_hash": "b"}),
        "event_hash": ({"event_hash": "a"}, {"event_hash": "b"}),
        "route": ({}, {"route": "r2"}),
        "one_and_true": ({"x": 1}, {"x": True}),
        "one_and_text": ({"x": 1}, {"x": "1"}),
        "sample_of_a_tool": ({"sample": "r1"}, {"sample": "r2"}),
    }
    for name, (first, second) in values.items():
        document = differing(first, second)
        yield refused(f"diverged_{name}", DIVERGED, document)
        yield refused(f"diverged_{name}_claimed_identical", DIVERGED, seal(claim_identical(document)))
    yield match("one_and_one_point_zero", differing({"x": 1}, {"x": 1.0}))
    yield match("numbers_in_ts", differing({"ts": 1.5, "elapsed_s": 2}, {"ts": 7}))

    def hidden(kind, adapter):
        def events_of(task, index):
            made = agent(task, index)
            return numbered([*made[:1], {"kind": kind, "sample": f"r{index}"}, *made[1:]])

        return build(Run(events=events_of, adapter=adapter))

    for adapter in ("process", "custom"):
        for kind in ("model.scheduler.route", "modelx.output"):
            name = f"diverged_{kind.replace('.', '_')}_{adapter}"
            yield refused(name, DIVERGED, hidden(kind, adapter))

    def routed(task, index):
        made = agent(task, index)
        made[2]["route"] = f"r{index}"
        return made

    yield refused("diverged_beside_the_sample", DIVERGED, build(Run(events=routed)))

    def longer(task, index):
        return frame(task, "Paris\n", {"notes.txt": captured("final\n")}, journal=JOURNAL * (1 + index))

    yield refused("diverged_one_event_more", DIVERGED, build(Run(events=longer)))

    def errored_elsewhere(task, index):
        error = {"type": "timeout", "detail": "1 s"} if index else None
        journal = ({"kind": "tool.call", "tool": f"t{index}"},)
        return frame(task, "", {}, journal=journal, exit_code=None if error else 0, error=error)

    yield refused("diverged_before_a_timeout", DIVERGED, build(Run(events=errored_elsewhere)))
    yield from own_run_ids()
    extra = honest(extra={"lane": "a"})
    extra["task_results"][0]["attempts"][1]["receipt"]["lane"] = "b"
    rehash(extra)
    reclaim(extra)
    yield refused("diverged_member_of_the_run_receipt", DIVERGED, seal(extra))
    yield match("member_of_the_run_receipt", honest(extra={"lane": "a"}))


def own_run_ids():
    """An adapter object may number its own run receipts; an attempt of the harness has no second name."""
    for adapter in ("custom", "process"):
        document = honest(adapter=adapter, extra={"adapter_run_id": "r"})
        for index, made in enumerate(document["task_results"][0]["attempts"]):
            made["receipt"]["adapter_run_id"] = f"r{index}"
        rehash(document)
        reclaim(document)
        if adapter == "custom":
            yield match("adapter_run_id_of_an_adapter_object", seal(document))
        else:
            yield refused("adapter_run_id_in_an_attempt_of_the_harness", EVENT, seal(document))
    for name, own in {"number": 1, "object": {"route": "r1"}, "too_long": "r" * 201}.items():
        document = honest(adapter="custom", extra={"adapter_run_id": own})
        yield refused(f"adapter_run_id_{name}", EVENT, document)
    yield match("adapter_run_id_long", honest(adapter="custom", extra={"adapter_run_id": "r" * 200}))


def objects():
    """What an adapter object may not say, whatever its own scorer makes of it; and what is merely odd."""

    def early(task, index):
        made = agent(task, index)
        error = {"kind": "attempt.errored", "error": {"type": "exit", "detail": ""}, "exit_code": 1}
        return numbered([*made[:2], error, *made[2:]])

    yield refused("custom_errored_before_the_end", EVENT, build(Run(events=early, adapter="custom")))
    for name, blob in {"list": [], "object": {}, "number": 1, "null": None}.items():

        def odd(task, index, blob=blob):
            made = agent(task, index)
            entry = {"sha256": "x", "size": 1, "text": {"blob": blob}}
            made[3]["sample"] = {**made[3]["sample"], "odd": entry}
            return made

        yield match(f"custom_odd_reference_{name}", honest(events=odd, adapter="custom"))


def claim_identical(document):
    document = copy.deepcopy(document)
    for result in document["task_results"]:
        result["coordination_identical"], result["coordination_hash"] = True, sha(b"?")
    document["coordination_ok"] = True
    return document


def claims():
    result = ("task_results", 0)
    code = "COORDINATION_DIVERGED"
    stale = (code, "coordination_hash", 13)
    yield from pair("coordination_hash_stale", stale, put(*result, "coordination_hash", sha(b"?")))
    yield from pair("coordination_hash_null", stale, put(*result, "coordination_hash", None))
    edit = put(*result, "coordination_identical", False)
    yield from pair("coordination_identical_false", (code, "coordination_identical", 13), edit)
    edit = put(*result, "coordination_identical", None)
    yield from pair("coordination_identical_null", (code, "coordination_identical", 13), edit)
    yield from pair("coordination_ok_false", (code, "coordination_ok", 13), put("coordination_ok", False))
    yield from pair("coordination_ok_null", (code, "coordination_ok", 13), put("coordination_ok", None))


def unrecorded():
    document = honest(members={"coordination_rule": "unrecorded"})
    policy = ("POLICY_FAILED", "coordination_unrecorded", 16)
    yield refused("unrecorded_not_allowed", policy, document)
    yield match("unrecorded_allowed", document, ALLOW)
    code = "COORDINATION_DIVERGED"
    for name, path, value in (
        ("hash", ("task_results", 0, "coordination_hash"), sha(b"?")),
        ("identical", ("task_results", 0, "coordination_identical"), True),
        ("ok", ("coordination_ok",), True),
    ):
        edit = put(*path, value)
        finding = (code, f"coordination_{name}", 13)
        yield from pair(f"unrecorded_claims_{name}", finding, edit, document=document, flags=ALLOW)
    causal = honest(members={"coordination_rule": "causal"})
    yield refused("causal_without_recorded_calls", EVENT, causal)


def blobs():
    long = "final\n" + "x" * 1100
    name = digest(long)
    suite = copy.deepcopy(MINI)

    def large(task, index):
        made = agent(task, index)
        if task["id"] == "tidy":
            entry = {"sha256": sha(long.encode()), "size": len(long), "text": {"blob": name}}
            made[3]["sample"]["log.txt"] = entry
        return made

    document = build(Run(suite=suite, events=large, blobs={name: long}))
    yield match("blob", document)
    yield from pair("blob_absent", BLOB, drop("blobs", name), document=document)
    yield from pair("blob_of_other_content", BLOB, put("blobs", name, "other"), document=document)
    unused = ("MISSING_RECEIPT", "blob_unused", 10)
    yield from pair("blob_unused", unused, put("blobs", digest("y"), "y"), document=document)
    yield from pair("blob_unused_beside_none", unused, put("blobs", digest("y"), "y"))
    for what, value in {"number": 7, "reference": {"blob": name}}.items():
        yield refused(f"blob_is_a_{what}_and_no_text", EVENT, smuggle(document, name, value))


def smuggle(document, name, value):
    """The file's text exchanged for a blob that is none, so that a grader would overlook the file."""
    document = copy.deepcopy(document)
    document["blobs"] = {**document["blobs"], digest(value): value}
    if value == 7:
        del document["blobs"][name]
    for index in range(2):
        events(document, 1, index)[3]["sample"]["log.txt"]["text"] = {"blob": digest(value)}
    rechain(document)
    reclaim(document)
    return seal(document)
