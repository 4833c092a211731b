import json
import os

import pytest

from passfloor.adapters.agent_journal import (
    JOURNAL_CAP,
    JournalTail,
    parse_journal,
    read_journal,
    substituted,
)


def nested(levels):
    return b"[" * levels + b"]" * levels


def test_lines_become_events_in_order():
    found = parse_journal(b'{"kind":"a","x":1.5}\n{"kind":"b","lane":"l"}\r\n')
    assert found.fault is None
    assert found.events == [{"kind": "a", "x": 1.5}, {"kind": "b", "lane": "l"}]


def test_an_empty_journal_is_no_fault_and_the_last_line_may_lack_its_end():
    assert parse_journal(b"").fault is None
    assert parse_journal(b'{"kind":"a"}').events == [{"kind": "a"}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", "is empty"),
        (b"  ", "is empty"),
        (b"nonsense", "not JSON"),
        (b'{"kind":"a"', "not JSON"),
        (b'{"kind":"a"}{"kind":"b"}', "not JSON"),
        (b'["kind"]', "is not a JSON object"),
        (b'"kind"', "is not a JSON object"),
        (b"{}", "kind is not a non-empty string"),
        (b'{"kind":""}', "kind is not a non-empty string"),
        (b'{"kind":1}', "kind is not a non-empty string"),
        (b'{"kind":"a","kind":"b"}', "occurs twice"),
        (b'{"kind":"a","x":NaN}', "finite"),
        (b'{"kind":"a","x":9007199254740993}', "2^53-1"),
        (b'{"kind":"a","x":"\\ud800"}', "surrogate"),
        (b'{"kind":"\xff"}', "not UTF-8"),
        (b'{"kind":"a","x":' + nested(40) + b"}", "nested deeper than 40"),
        (b'{"kind":"task.completed"}', "'task.completed' is the harness's"),
        (b'{"kind":"attempt.errored"}', "harness's"),
        (b'{"kind":"agent.output"}', "harness's"),
        (b'{"kind":"model.output","sample":1}', "harness's"),
        (b'{"kind":"model.anything"}', "harness's"),
        (b'{"kind":"a","seq":1}', "seq is the harness's"),
        (b'{"kind":"a","ts":"soon"}', "must be a finite number"),
        (b'{"kind":"a","ts":true}', "must be a finite number"),
        (b'{"kind":"a","elapsed_s":null}', "must be a finite number"),
        (b'{"kind":"a","started_at":1}', "must be an RFC 3339 time"),
        (b'{"kind":"a","finished_at":"2026-13-01T00:00:00Z"}', "must be an RFC 3339 time"),
        (b'{"kind":"a","finished_at":"2026-02-30T00:00:00Z"}', "must be an RFC 3339 time"),
        (b'{"kind":"a","started_at":"route-7"}', "must be an RFC 3339 time"),
    ],
)
def test_a_bad_line_is_named_with_its_number_and_the_lines_before_it_are_kept(line, reason):
    found = parse_journal(b'{"kind":"first"}\n' + line + b'\n{"kind":"third"}\n')
    assert found.events == [{"kind": "first"}]
    assert found.fault is not None
    assert found.fault.startswith("line 2: ")
    assert reason in found.fault
    assert "\n" not in found.fault


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind":"tool.call","tool":"x","id":"1"}',
        b'{"kind":"modelx.output","sample":1}',
        b'{"kind":"tasks"}',
        b'{"kind":"a","ts":1,"elapsed_s":0.25}',
        b'{"kind":"a","started_at":"2026-01-31T09:30:00.5+01:00","finished_at":"2026-01-31T09:30:00Z"}',
        b'{"kind":"a","x":' + nested(39) + b"}",
        b'{"kind":"a","exit_code":3,"task_hash":"x","sequence":1}',
    ],
)
def test_an_honest_line_is_kept_as_it_is(line):
    assert parse_journal(line + b"\n").events == [json.loads(line)]
    assert parse_journal(line + b"\n").fault is None


def test_what_the_agent_wrote_reaches_the_fault_in_escapes_and_cut_short():
    kind = "task." + "\u001b]8;;x" * 200
    fault = parse_journal(json.dumps({"kind": kind}).encode()).fault
    assert "\x1b" not in fault
    assert len(fault) < 200


def test_a_journal_past_the_cap_keeps_the_whole_lines_within_it():
    line = b'{"kind":"a","x":"' + b"y" * 1000 + b'"}\n'
    count = JOURNAL_CAP // len(line)
    assert parse_journal(line * count).fault is None
    found = parse_journal(line * (count + 1))
    assert len(found.events) == count
    assert found.fault == f"line {count + 1}: the journal is longer than {JOURNAL_CAP} bytes"


@pytest.mark.parametrize("instead", ["nothing", "link", "folder", "pipe"])
def test_a_journal_that_is_no_regular_file_is_a_fault(tmp_path, instead):
    path = tmp_path / "journal.jsonl"
    if instead == "link":
        (tmp_path / "real").write_text('{"kind":"a"}\n')
        path.symlink_to("real")
    elif instead == "folder":
        path.mkdir()
    elif instead == "pipe":
        os.mkfifo(path)
    found = read_journal(path)
    assert (found.events, found.fault) == ([], "the journal was removed or replaced")


@pytest.mark.parametrize("ref", ['["a"]', "{}", "7", "null"])
@pytest.mark.parametrize(
    "line",
    [
        '{"kind":"model.request","ref":REF,"dialect":"other","method":"CALL","path":"","request":1}',
        '{"kind":"model.output","ref":REF,"sample":1}',
    ],
)
def test_a_call_that_an_agent_declares_is_named_by_a_text(tmp_path, line, ref):
    path = tmp_path / "journal.jsonl"
    path.write_text(line.replace("REF", ref) + "\n")
    tail = JournalTail(path, calls=True)
    assert (tail.read(final=True), tail.fault) == ([], "line 1: ref is not a string")
    path.write_text(line.replace("REF", '"a"') + "\n")
    tail = JournalTail(path, calls=True)
    assert [event["ref"] for event in tail.read(final=True)] == ["a"]
    assert tail.fault is None


def test_words_are_replaced_in_values_at_any_depth_and_never_in_names():
    words = {"/r/pf-ab": "${attempt}", "abcd": "${attempt_id}"}
    value = {"/r/pf-ab": ["x /r/pf-ab/work", {"k": "abcd", "n": 1, "b": True, "z": None}]}
    assert substituted(value, words) == {
        "/r/pf-ab": ["x ${attempt}/work", {"k": "${attempt_id}", "n": 1, "b": True, "z": None}]
    }
