"""What two attempts show: each thing passes, fails or could not be observed, and by what."""

import pytest

from passfloor.checking.examination import NAMES, Seen, examine
from passfloor.checking.sight import Observed, Sight
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task

TASK = Task.model_validate(
    {"id": "t", "description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]}
)
CALL = {"kind": "tool.call", "tool": "search"}


def observed(output="yes\n", *, error=None, files=None, lines=(), outcome=None, notes=None, **seen):
    sample = {"stdout": output, "exit_code": 0, "stderr_tail": "", **(notes or {})}
    last = {"kind": "task.completed"}
    if error:
        last = {"kind": "attempt.errored", "error": error, "exit_code": None}
    events = [
        {"kind": "task.started", "task_hash": TASK.task_hash, "seed": 0},
        *lines,
        {"kind": "model.output", "sample": sample},
        {"kind": "model.artifact", "sample": files or {}},
        last,
    ]
    heads = dict.fromkeys(("attempt_id", "journal_head", "spine_head"), "0" * 64)
    receipt = {"run_id": "r/0/0", **heads, "events": [{"seq": n, **event} for n, event in enumerate(events)]}
    outcome = outcome or ("errored" if error else "passed")
    attempt = Attempt.model_validate(
        {
            "task_id": "t",
            "task_hash": TASK.task_hash,
            "index": 0,
            "attempt_id": "0" * 64,
            "receipt": receipt,
            "receipt_hash": "0" * 64,
            "outcome": outcome,
            "passed": outcome == "passed",
            "score": None if outcome == "errored" else float(outcome == "passed"),
            "harness_output": {},
            "error": error,
        }
    )
    return Observed(attempt, **{"elapsed_s": 1.0, "unread": 0, "left_behind": 0, "gone": True, **seen})


def fault(kind, detail="why", **more):
    return observed("", error={"type": kind, "detail": detail}, **more)


def look(name, first=None, second=None, *, kind="process", task=TASK, **more):
    first = first or observed()
    sight = Sight(kind, task, (first, second or first), "identical", 300.0, **{"appeared": (), **more})
    found = {each.name: each for each in examine(sight)}
    assert tuple(found) == NAMES
    assert all(each.detail for each in found.values())
    return found[name].seen, found[name].detail


PASS, FAIL, UNOBSERVED = Seen.PASS, Seen.FAIL, Seen.UNOBSERVED


def test_an_agent_in_order_passes_everything():
    calls = [{"kind": "tool.call", "tool": "search"}]
    sight = Sight(
        "process",
        TASK,
        (observed(lines=calls), observed("yes", lines=calls)),
        "identical",
        300.0,
        appeared=(),
    )
    assert {each.seen for each in examine(sight)} == {PASS}


@pytest.mark.parametrize(
    ("name", "first", "second", "seen", "words"),
    [
        ("start", fault("spawn", "x cannot be started"), None, FAIL, "cannot be started"),
        ("start", fault("timeout"), None, PASS, "starts"),
        ("end", fault("exit", "exit status 3"), None, FAIL, "exit status 3"),
        ("end", observed(), fault("signal", "signal 9"), FAIL, "signal 9"),
        ("end", fault("exit", notes={"stderr_tail": "a\nno key\n\n"}), None, FAIL, "its last words: no key"),
        ("end", fault("timeout"), None, UNOBSERVED, "by itself"),
        ("end", observed(notes={"exit_code": 4}), None, PASS, "4, which the task judges"),
        ("input", observed(unread=7), None, UNOBSERVED, "7 of 7 bytes"),
        ("input", fault("spawn", unread=None), None, UNOBSERVED, "no program"),
        ("answer", observed(" \n"), None, FAIL, "nothing to judge"),
        ("answer", observed("", files={"a": {"sha256": "1" * 64}}), None, PASS, "files are changed"),
        ("answer", observed(outcome="wrong"), observed(), PASS, "found wrong and right"),
        ("answer", fault("exit"), None, UNOBSERVED, "no attempt finished"),
        ("descendants", observed(left_behind=2), None, FAIL, "(2)"),
        ("descendants", fault("timeout", left_behind=None), None, UNOBSERVED, "ended with it"),
        ("isolation", observed(gone=False), None, FAIL, "could not be removed"),
        ("isolation", observed(gone=None), None, PASS, "kept"),
        ("encoding", observed(notes={"replaced": {"stdout": "0" * 64}}), None, FAIL, "stdout is not UTF-8"),
        ("encoding", fault("exit"), None, UNOBSERVED, "no output"),
        ("size", observed(notes={"cut": 9}), None, FAIL, "9 bytes"),
        ("size", observed(files={"big": {"sha256": "1" * 64, "cut": 1}}), None, FAIL, "big"),
        ("size", fault("capture", "a link"), None, FAIL, "a link"),
        ("size", fault("spawn"), None, UNOBSERVED, "no output"),
        ("coordination", observed(lines=[CALL]), observed(), FAIL, "part"),
        ("coordination", observed(), observed("no"), PASS, "nothing is compared"),
        ("coordination", observed(lines=[CALL]), None, PASS, "identical in both"),
        ("coordination", observed(), fault("exit"), UNOBSERVED, "errored"),
        ("outputs", observed("a"), observed("b"), PASS, "differ"),
        ("outputs", observed("a"), observed("a"), UNOBSERVED, "the same"),
        ("outputs", observed("a"), observed("b", notes={"cached": ["x-cache"]}), FAIL, "x-cache"),
        ("outputs", observed("a"), fault("exit"), UNOBSERVED, "errored"),
        ("journal", fault("journal", "line 1: is empty"), None, FAIL, "line 1"),
        ("journal", observed(lines=[CALL, CALL]), None, PASS, "2 and 2 lines"),
        ("journal", observed(), None, UNOBSERVED, "PASSFLOOR_JOURNAL"),
        ("time", fault("timeout"), None, FAIL, "--timeout"),
        ("time", observed(elapsed_s=2.04), observed(), PASS, "2.0 s and 1.0 s, of 300 s"),
    ],
)  # fmt: skip
def test_each_thing_is_seen_for_what_it_is(name, first, second, seen, words):
    found, detail = look(name, first, second)
    assert (found, words in detail) == (seen, True), detail


@pytest.mark.parametrize(
    ("told", "withheld", "seen", "words"),
    [
        ("OPENAI_API_KEY is not set", {"OPENAI_API_KEY"}, FAIL, "--env OPENAI_API_KEY"),
        ("please give OPENAI_API_KEY", {"OPENAI_API_KEY"}, FAIL, "--env OPENAI_API_KEY"),
        ("KeyError: 'TOKEN'", set(), FAIL, "misses TOKEN"),
        ("KeyError: 'TOKEN'", {"TOKEN"}, FAIL, "--env TOKEN"),
        ("sh: 1: MODEL: parameter not set", set(), FAIL, "misses MODEL"),
        ("NO_SUCH_FILE", set(), UNOBSERVED, "names none"),
        ("it failed", {"OPENAI_API_KEY", "EDITOR"}, UNOBSERVED, "let through: OPENAI_API_KEY"),
    ],
)
def test_a_variable_that_is_missed_is_named_with_the_flag_that_lets_it_through(told, withheld, seen, words):
    broken = fault("exit", notes={"stderr_tail": told})
    found, detail = look("environment", broken, withheld=frozenset(withheld))
    assert (found, words in detail) == (seen, True), detail


def test_what_a_finished_agent_answers_is_no_talk_of_variables():
    answer = observed("set OPENAI_API_KEY")
    assert look("environment", answer, withheld=frozenset({"OPENAI_API_KEY"}))[0] is PASS
    warned = observed(notes={"stderr_tail": "no OPENAI_API_KEY: canned answers"})
    assert look("environment", warned, withheld=frozenset({"OPENAI_API_KEY"}))[0] is FAIL


def test_what_changed_outside_may_be_anybody_s_and_is_named():
    seen, detail = look("outside", appeared=[f"/tmp/{name}" for name in "abcdefg"])
    assert seen is UNOBSERVED
    assert "/tmp/a, /tmp/b, /tmp/c, /tmp/d, /tmp/e and 2 more changed" in detail


def test_of_what_runs_elsewhere_no_process_folder_or_variable_can_be_seen():
    far = observed(notes={"exit_code": None}, unread=None, left_behind=None, gone=None)
    for name in ("input", "descendants", "isolation", "outside", "environment"):
        assert look(name, far, kind="endpoint", appeared=None)[0] is UNOBSERVED
    assert look("end", far, kind="endpoint") == (PASS, "it answered both times")
    assert look("end", fault("provider", "server error (500)"), kind="endpoint")[0] is FAIL


def test_a_callable_is_spoken_of_as_one():
    assert "attempt.emit" in look("journal", kind="function")[1]
    assert "return the answer" in look("answer", observed(""), kind="function")[1]
