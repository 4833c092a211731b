"""Claims that the attempts do not support: figures, verdicts, coverage, plan, opening, session, clock."""

import base64
import copy

from casework import (
    ATTEMPT,
    GRADERS,
    IDENTITY,
    PLAN,
    attempt,
    drop,
    events,
    honest,
    pair,
    put,
    refused,
    resealed,
)
from forging import EMITTED, Run, build, rechain, refigure, replan, seal, sha

FLOOR = ("FABRICATED_FLOOR", "pass_caret_k", 14)
CEILING = ("FABRICATED_FLOOR", "pass_at_1", 14)
COUNTS = ("FABRICATED_FLOOR", "counts", 14)
CLOCK = ("MALFORMED_RECEIPT", "clock", 15)
SESSION = ("MALFORMED_RECEIPT", "type", 15)


def cases():
    yield from figures()
    yield from verdicts()
    yield from coverage()
    yield from plan()
    yield from session()
    yield from clock()


def figures():
    yield from pair("inflated_floor", FLOOR, put("pass_caret_k", 1.0))
    yield from pair("deflated_floor", FLOOR, put("pass_caret_k", 0.25))
    yield from pair("floor_off_by_one_bit", FLOOR, put("pass_caret_k", 0.5000000000000001))
    yield from pair("deflated_ceiling", CEILING, put("pass_at_1", 0.5))
    for name in ("tasks", "attempts", "passed", "wrong", "errored", "tasks_any", "tasks_all"):
        yield resealed(f"counts_{name}", COUNTS, put("counts", name, 7))


def verdicts():
    def flip(document):
        attempt(document, 0, 1).update(outcome="passed", passed=True, score=1.0)

    yield from pair("flipped_verdict", ("FABRICATED_SCORE", "outcome", 12), flip)
    yield from pair("flipped_verdict_with_figures", ("FABRICATED_SCORE", "outcome", 12), flip, refigure)
    yield from pair("flipped_passed", ("FABRICATED_SCORE", "passed", 12), put(*ATTEMPT, "passed", False))
    yield from pair("invented_score", ("FABRICATED_SCORE", "score", 12), put(*ATTEMPT, "score", 0.5))
    yield from pair("invented_null_score", ("FABRICATED_SCORE", "score", 12), put(*ATTEMPT, "score", None))
    yield from pair(
        "invented_harness_output",
        ("FABRICATED_SCORE", "harness_output", 12),
        put(*ATTEMPT, "harness_output", {"assertions": [], "note": "all good"}),
    )
    yield from pair(
        "wrong_hidden_as_errored",
        ("FABRICATED_SCORE", "outcome", 12),
        lambda document: attempt(document, 0, 1).update(
            outcome="errored", score=None, harness_output={}, error={"type": "provider", "detail": "busy"}
        ),
        refigure,
    )
    yield from pair(
        "invented_error",
        ("FABRICATED_SCORE", "outcome", 12),
        put(*ATTEMPT, "error", {"type": "exit", "detail": ""}),
    )

    def contradict(document):
        events(document)[2]["sample"]["stdout"] = "Lyon\n"

    yield from pair(
        "events_contradict_verdict",
        ("FABRICATED_SCORE", "outcome", 12),
        contradict,
        rechain,
        unsealed=("HASH_MISMATCH", "attempt_hash", 11),
    )

    def fail(document):
        events(document)[2]["sample"]["exit_code"] = 3

    yield from pair(
        "exit_status_overlooked",
        ("FABRICATED_SCORE", "outcome", 12),
        fail,
        rechain,
        unsealed=("HASH_MISMATCH", "attempt_hash", 11),
    )


def coverage():
    count = ("MISSING_RECEIPT", "attempt_count", 8)
    missing = ("MISSING_RECEIPT", "task_missing", 8)
    order = ("MALFORMED_RECEIPT", "order", 8)
    yield from pair("stripped_attempt", count, drop("task_results", 0, "attempts", 1))
    yield from pair("stripped_attempt_with_figures", count, drop("task_results", 0, "attempts", 1), refigured)
    yield from pair("stripped_first_attempt", count, drop("task_results", 0, "attempts", 0))
    yield from pair("stripped_failing_task", missing, drop("task_results", 0), refigure)
    yield from pair("no_task_at_all", missing, put("task_results", []))
    yield from pair("no_attempt_at_all", count, put("task_results", 0, "attempts", []))
    yield from pair("tasks_reordered", order, lambda document: document["task_results"].reverse())
    yield from pair("task_twice", order, lambda d: d["task_results"].append(d["task_results"][0]))
    yield resealed("task_twice_in_a_row", order, lambda d: d["task_results"].insert(0, d["task_results"][0]))
    yield resealed("attempt_index_twice", order, put("task_results", 0, "attempts", 1, "index", 0))
    yield from pair("attempts_reordered", order, lambda d: d["task_results"][0]["attempts"].reverse())
    yield from pair("attempt_index_gap", count, put("task_results", 0, "attempts", 1, "index", 2))
    yield from pair("one_attempt_too_many", count, one_more)
    yield from pair("extra_task", ("HASH_MISMATCH", "task", 8), put("task_results", 0, "task_id", "easy"))
    yield from pair(
        "look_alike_task_id", ("HASH_MISMATCH", "task", 8), put("task_results", 0, "task_id", "c\u0430pital")
    )
    yield from pair(
        "task_hash_of_another", ("HASH_MISMATCH", "task", 8), put("task_results", 0, "task_hash", sha(b"?"))
    )


def refigured(document):
    document["pass_caret_k"], document["counts"]["tasks_all"] = 1.0, 2


def one_more(document):
    attempts = document["task_results"][0]["attempts"]
    attempts.append({**attempts[0], "index": 2})


def plan():
    edits = {
        "scheduler_config": put("scheduler_config", "scheduler", "lucky"),
        "subject_name": put("subject", "name", "another agent"),
        "subject_model": put("subject", "model", "a better model"),
        "subject_adapter_digest": put("subject", "adapter_digest", sha(b"?")),
        "subject_config_digest": put("subject", "config_digest", sha(b"?")),
        "gate": put("gate", {"min_floor": "0.5"}),
        "k_after_the_fact": put("k", 1),
        "k_reason": put("k_reason", "because"),
        "identity_fields": put("identity_fields", ["request.user"]),
        "completion_only": put("completion_only", True),
        "rule": put("coordination_rule", "unrecorded"),
    }
    for name, edit in edits.items():
        yield from pair(f"plan_{name}", PLAN, edit)
        document = honest()
        edit(document)
        replan(document)
        finding = GRADERS if name == "completion_only" else IDENTITY
        yield refused(f"plan_{name}_remade_resealed", finding, seal(document))
    yield from pair("plan_hash_of_session", PLAN, put("session", "plan_hash", sha(b"?")))
    yield from pair("plan_hash_of_stage", PLAN, put("session", "stages", 0, "plan_hash", sha(b"?")))
    yield from pair("graders_another_kind", GRADERS, drop("graders", "completed"), replan)
    yield from pair(
        "graders_unknown_version",
        ("UNSUPPORTED", "grader", 7),
        put("graders", "output_equals", "2"),
        replan,
    )
    yield from pair("graders_unknown_kind", ("UNSUPPORTED", "grader", 7), put("graders", "vibes", "1"))

    def best_of(document):
        for result in document["task_results"]:
            result["attempts"] = [a for a in result["attempts"] if a["index"] != 1]
            for index, kept in enumerate(result["attempts"]):
                kept["index"] = index
        document["n"] = document["session"]["stages"][0]["n"] = 2

    flaky = build(Run(n=3))
    yield from pair("best_of_n_published", PLAN, best_of, refigure, document=flaky)
    yield from pair(
        "best_of_n_published_remade", IDENTITY, best_of, refigure, replan, document=flaky, unsealed=PLAN
    )


def session():
    nonce = base64.urlsafe_b64encode(bytes(32)).decode().rstrip("=")
    edits = {
        "nonce": put("session", "nonce", nonce),
        "challenge": put("session", "challenge", "the third party's"),
        "precommit_hash": put("session", "precommit_hash", sha(b"?")),
        "run_seq": put("session", "run_seq", 1),
        "prev_receipt_hash": put("session", "prev_receipt_hash", sha(b"?")),
    }
    for name, edit in edits.items():
        yield from pair(f"opening_{name}", IDENTITY, edit)
    yield from pair("opening_run", IDENTITY, put("session", "run", "20260131T093000Z-ffffff"))

    def earlier(document):
        early = "2026-01-30T09:30:00.000Z"
        document["session"]["started_at"] = document["session"]["stages"][0]["decided_at"] = early

    yield from pair("opening_started_at", IDENTITY, earlier)
    entry = {"task_id": "capital", "index": 0, "starts": 2}
    yield from pair(
        "interrupted_unknown_task", SESSION, put("session", "interrupted", [{**entry, "task_id": "easy"}])
    )
    yield from pair("interrupted_beyond_n", SESSION, put("session", "interrupted", [{**entry, "index": 2}]))
    yield from pair(
        "interrupted_twice", SESSION, put("session", "interrupted", [entry, {**entry, "starts": 3}])
    )
    yield from pair(
        "interrupted_begun_once",
        ("MALFORMED_RECEIPT", "type", 2),
        put("session", "interrupted", [{**entry, "starts": 1}]),
    )
    environment = {"platform": "test", "limits": {}, "concurrency": 1}
    yield from pair("environment_without_stage", SESSION, put("environment", [environment] * 2))
    yield from stages()


def stages():
    raised = build(Run(n=3, stages=(2, 3)))
    yield from pair("stage_hidden", IDENTITY, one_stage, document=raised)
    yield from pair("stage_of_the_raise_dropped", PLAN, first_stage_alone, document=raised)
    yield resealed("stage_twice", PLAN, stage_twice, document=raised)
    yield resealed("stage_below_k_remade", PLAN, put("session", "stages", 0, "n", 1), replan, document=raised)
    yield from pair("stage_not_rising", PLAN, put("session", "stages", 1, "n", 2), document=raised)
    yield from pair("stage_beyond_n", PLAN, put("session", "stages", 1, "n", 4), document=raised)
    yield from pair("stage_below_k", PLAN, put("session", "stages", 0, "n", 1), document=raised)
    yield from pair(
        "stage_first_follows_a_receipt", PLAN, put("session", "stages", 0, "after_receipt_hash", sha(b"?"))
    )
    yield from pair("stage_first_decided_later", PLAN, put("session", "stages", 0, "decided_at", LATER))
    for name, value in (("nothing", None), ("no_hash", "the receipt before")):
        edit = put("session", "stages", 1, "after_receipt_hash", value)
        yield from pair(f"stage_follows_{name}", PLAN, edit, document=raised)
    yield from pair(
        "stage_decided_before_the_first",
        CLOCK,
        put("session", "stages", 1, "decided_at", "2026-01-01T00:00:00.000Z"),
        document=raised,
    )
    yield from pair("n_raised_without_attempts", PLAN, put("n", 3))
    yield from pair("n_past_the_limit", ("RESOURCE_LIMIT", "attempts", 3), put("n", 10001))


LATER = "2026-01-31T09:30:30.000Z"


def stage_twice(document):
    for entries in (document["session"]["stages"], document["environment"]):
        entries.insert(1, copy.deepcopy(entries[1]))


def first_stage_alone(document):
    del document["session"]["stages"][1], document["environment"][1]


def one_stage(document):
    session = document["session"]
    session["stages"] = [{**session["stages"][0], "n": 3, "plan_hash": session["plan_hash"]}]
    document["environment"] = document["environment"][:1]


def clock():
    yield from pair("clock_future", CLOCK, put("emitted_at", EMITTED + 10**6))
    yield from pair("clock_emitted_before_the_end", CLOCK, put("emitted_at", EMITTED - 100))
    yield from pair("clock_emitted_negative", CLOCK, put("emitted_at", -1.0))
    yield from pair("clock_emitted_1e308", CLOCK, put("emitted_at", 1e308))
    yield from pair(
        "clock_ended_before_the_start", CLOCK, put("session", "ended_at", "2026-01-31T09:29:00.000Z")
    )
    yield from pair("clock_30_february", CLOCK, put("session", "ended_at", "2026-02-30T00:00:00.000Z"))
    yield from pair("clock_hour_24", CLOCK, put("session", "ended_at", "2026-01-30T24:00:00.000Z"))
    yield from pair(
        "clock_not_utc",
        ("MALFORMED_RECEIPT", "type", 2),
        put("session", "ended_at", "2026-01-31T09:31:00.000+00:00"),
    )
    yield from pair("clock_other_digits", CLOCK, put("session", "ended_at", "２０２６-01-31T09:31:00.000Z"))
