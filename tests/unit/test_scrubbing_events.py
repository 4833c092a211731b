"""A finished attempt's events leave without secrets, whole, and true to their digests."""

import base64
import copy
import hashlib
import json
from typing import Any

import pytest

from passfloor.adapters.agent_journal import JournalLines
from passfloor.adapters.closing import Leavings, close
from passfloor.models.suite import Task
from passfloor.projection import event_problem
from passfloor.scrubbing import MARK, Scrubber, scrub_events, scrub_run_receipt
from passfloor.scrubbing.events import FULL_TAIL
from passfloor.verification.steps import frame
from passfloor.workspaces.capture import CapturedFiles
from passfloor.workspaces.streams import STDERR_CAP

CANARY = "sk-canary-1234"
SCRUBBER = Scrubber.from_environment({"OPENAI_API_KEY": CANARY})
TASK = Task(id="t", description="d")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def entry(content: str | bytes, **more: Any) -> dict[str, Any]:
    data = content.encode() if isinstance(content, str) else content
    kept = {"text": content} if isinstance(content, str) else {"base64": base64.b64encode(data).decode()}
    return {"sha256": sha256(data), "size": len(data), **kept, **more}


def attempt(
    output: dict[str, Any] | None = None,
    files: dict[str, Any] | None = None,
    journal: list[dict[str, Any]] | None = None,
    error: dict[str, str] | None = None,
) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [
        {"kind": "task.started", "task_hash": TASK.task_hash, "seed": 0},
        *(journal or []),
        {
            "kind": "model.output",
            "sample": {"stdout": "", "exit_code": 1 if error else 0, "stderr_tail": "", **(output or {})},
        },
        {"kind": "model.artifact", "sample": files or {}},
        {"kind": "attempt.errored", "error": error, "exit_code": 1} if error else {"kind": "task.completed"},
    ]
    return [{"seq": seq, **event} for seq, event in enumerate(events)]


def scrubbed(events: list[dict[str, Any]], scrubber: Scrubber = SCRUBBER) -> list[dict[str, Any]]:
    """The events scrubbed: still well-formed and framed, scrubbing again changes nothing, input untouched."""
    before = copy.deepcopy(events)
    kept = scrub_events(events, scrubber)
    assert events == before
    assert all(event_problem(event, seq) is None for seq, event in enumerate(kept))
    assert list(frame.problems(kept, {})) == []
    assert scrub_events(kept, scrubber) == kept
    return kept


def test_events_without_a_secret_stay_as_they_are() -> None:
    events = attempt(
        {"stdout": "hello", "replaced": {"stdout": "0" * 64}, "cut": 7},
        {"a.txt": entry("a"), "b.bin": entry(b"\xff", cut=3)},
        [{"kind": "note", "ts": 1.5, "started_at": "2026-01-31T09:30:00Z", "text": "x", "n": [1, None]}],
    )
    assert scrubbed(events) == events


def test_what_the_closing_makes_of_a_process_is_scrubbed_whole() -> None:
    left = Leavings(None, f"{CANARY} cannot be started", CapturedFiles(), JournalLines(), 1.0)
    kept = scrubbed(close(TASK, 0, left, {}))
    assert kept[-1]["error"] == {"type": "spawn", "detail": f"{MARK} cannot be started"}


def test_a_scrubbed_stream_says_so_and_loses_the_digest_of_its_raw_bytes() -> None:
    digests = {"stdout": "1" * 64, "stderr": "2" * 64}
    kept = scrubbed(attempt({"stdout": f"{CANARY} and {CANARY}", "stderr_tail": "fine", "replaced": digests}))
    assert kept[-3]["sample"] == {
        "stdout": f"{MARK} and {MARK}",
        "exit_code": 0,
        "stderr_tail": "fine",
        "replaced": {"stderr": "2" * 64},
        "scrubbed": 2,
    }
    kept = scrubbed(attempt({"stderr_tail": CANARY, "replaced": {"stderr": "2" * 64}, "exit_code": None}))
    assert kept[-3]["sample"] == {"stdout": "", "exit_code": None, "stderr_tail": MARK, "scrubbed": 1}


def test_a_cut_stream_loses_the_piece_of_a_secret_at_its_end() -> None:
    kept = scrubbed(attempt({"stdout": f"x {CANARY[:9]}", "cut": 100}))
    assert kept[-3]["sample"]["stdout"] == f"x {MARK}"
    assert kept[-3]["sample"]["cut"] == 100


def test_a_full_standard_error_loses_the_piece_of_a_secret_at_its_start() -> None:
    assert FULL_TAIL == STDERR_CAP - 3
    tail = CANARY[3:]
    full = f"{tail} ".ljust(STDERR_CAP, ".")
    assert scrubbed(attempt({"stderr_tail": full}))[-3]["sample"]["stderr_tail"].startswith(f"{MARK} .")
    short = {"stderr_tail": f"{tail} ..."}
    assert scrubbed(attempt(short))[-3]["sample"]["stderr_tail"] == short["stderr_tail"]


def test_files_are_scrubbed_and_digest_and_size_are_of_what_is_kept() -> None:
    files = {
        "a.txt": entry(f"k={CANARY}\n"),
        "b.bin": entry(b"\xff" + CANARY.encode() + b"\x00"),
        "c.txt": entry("clean"),
        "d.txt": entry(f"x{CANARY[:10]}", cut=5),
        "e.txt": entry(base64.b64encode(f"user:{CANARY}".encode()).decode()),
    }
    kept = scrubbed(attempt(files=files))[-2]["sample"]
    assert kept["a.txt"] == entry(f"k={MARK}\n", scrubbed=1)
    assert kept["b.bin"] == entry(b"\xff[scrubbed]\x00", scrubbed=1)
    assert kept["c.txt"] == files["c.txt"]
    assert kept["d.txt"] == entry(f"x{MARK}", cut=5, scrubbed=1)
    assert kept["e.txt"]["scrubbed"] == 1
    assert kept["e.txt"]["sha256"] == sha256(kept["e.txt"]["text"].encode())
    assert b"canary" not in base64.b64decode(kept["e.txt"]["text"].replace(MARK, "")[:8])


def test_file_names_are_scrubbed_and_stay_apart() -> None:
    files = {f"{CANARY}/a": entry("a"), f"x-{CANARY}": entry("b"), f"x-{MARK}": entry("c")}
    kept = scrubbed(attempt(files=files))[-2]["sample"]
    assert kept == {
        f"{MARK}/a": entry("a", scrubbed=1),
        f"x-{MARK}-2": entry("b", scrubbed=1),
        f"x-{MARK}": entry("c"),
    }


def test_a_file_whose_digest_is_untrue_stays_untrue_where_nothing_is_scrubbed() -> None:
    files = {"a": {**entry("a"), "sha256": "0" * 64}}
    assert scrubbed(attempt(files=files))[-2]["sample"] == files


def test_journal_lines_are_scrubbed_in_values_names_and_kinds_of_their_own() -> None:
    line = {
        "kind": "tool.call",
        "tool": "curl",
        "arguments": json.dumps({"header": f"x-api-key: {CANARY}"}),
        f"by {CANARY}": [{"deep": CANARY}],
        "elapsed_s": 1.25,
    }
    kept = scrubbed(attempt(journal=[line, {"kind": f"used {CANARY}"}]))
    assert kept[1] == {
        "seq": 1,
        "kind": "tool.call",
        "tool": "curl",
        "arguments": json.dumps({"header": f"x-api-key: {MARK}"}),
        f"by {MARK}": [{"deep": MARK}],
        "elapsed_s": 1.25,
    }
    assert kept[2]["kind"] == f"used {MARK}"


def test_an_error_is_scrubbed_also_where_its_detail_was_cut() -> None:
    name = ascii("x" * 86 + CANARY + "y" * 40)
    detail = f"{name[:96]}...' is a special file"
    assert CANARY[:9] in detail
    kept = scrubbed(attempt(error={"type": "capture", "detail": detail}))
    assert kept[-1]["error"]["type"] == "capture"
    assert CANARY[:8] not in kept[-1]["error"]["detail"]
    assert kept[-1]["error"]["detail"].endswith(f"{MARK}...' is a special file")
    assert kept[-1]["exit_code"] == 1


@pytest.mark.parametrize("pattern", ["(?s).+", "[0-9a-f]{32,}", "[a-z._]+", "[0-9]+"])
def test_what_the_harness_decides_stays_whatever_the_patterns(pattern: str) -> None:
    events = attempt(
        {"stdout": "some text 12345678", "replaced": {"stdout": "a" * 64}},
        {"a.txt": entry("more 12345678")},
        [{"kind": "tool.call", "tool": "curl", "ts": 12345678.5, "started_at": "2026-01-31T09:30:00Z"}],
        {"type": "exit", "detail": "exit status 1"},
    )
    kept = scrubbed(events, Scrubber.from_environment({}, [pattern]))
    assert [event["kind"] for event in kept] == [event["kind"] for event in events]
    assert kept[0] == events[0]
    assert kept[-1]["error"]["type"] == "exit"
    assert kept[-1]["exit_code"] == 1


def test_a_time_that_would_change_is_dropped_since_it_would_be_none() -> None:
    line = {"kind": "note", "ts": 17672256.0, "started_at": "2026-01-31T09:30:00Z"}
    kept = scrubbed(attempt(journal=[line]), Scrubber.from_environment({}, ["17672256|2026"]))
    assert kept[1] == {"seq": 1, "kind": "note"}


def test_samples_of_other_shapes_are_scrubbed_all_the_same() -> None:
    events = [
        {"seq": 0, "kind": "task.started"},
        {"seq": 1, "kind": "model.request", "call": 12345678, "request": {"messages": [CANARY]}},
        {"seq": 2, "kind": "model.request", "request_base64": base64.b64encode(CANARY.encode()).decode()},
        {"seq": 3, "kind": "model.output", "call": 12345678, "sample": CANARY},
        {"seq": 4, "kind": "model.output", "sample": {"status": 200, "said": [CANARY], "text": CANARY}},
        {"seq": 5, "kind": "agent.output", "value": {"stdout": CANARY, "stderr_tail": None, CANARY: CANARY}},
        {"seq": 6, "kind": "model.artifact", "sample": {"a": CANARY, "b": {"text": CANARY, "sha256": "x"}}},
        {"seq": 7, "kind": "agent.artifact", "value": [CANARY, {"base64": "not base64", "sha256": CANARY}]},
        {"seq": 8, "kind": "attempt.errored", "error": CANARY},
        {"seq": 9, "kind": "attempt.errored", "error": {"type": "exit", "detail": 7, CANARY: 1}},
    ]
    kept = scrub_events(events, SCRUBBER)
    assert CANARY not in json.dumps(kept)
    assert base64.b64decode(kept[2]["request_base64"]) == MARK.encode()
    assert kept[1]["call"] == kept[3]["call"] == 12345678
    assert scrub_events(kept, SCRUBBER) == kept


def test_members_that_an_adapter_added_to_its_run_receipt_are_scrubbed() -> None:
    receipt = {"run_id": f"run {CANARY}", "trace": {"key": CANARY}, "events": attempt({"stdout": CANARY})}
    kept = scrub_run_receipt(receipt, SCRUBBER)
    assert CANARY not in json.dumps(kept)
    assert kept["events"][-3]["sample"]["scrubbed"] == 1
