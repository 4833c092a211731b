"""From judged task results to records."""

import json
from fractions import Fraction
from types import SimpleNamespace

import pytest

from passfloor.canonical import canonical
from passfloor.models.suite import Task
from passfloor.report.envelope import Collector
from passfloor.report.envelope.answers import label
from passfloor.verification.inputs import VerifiedTask

TASK = {"id": "t", "description": "d", "assertions": [{"kind": "output_equals", "expected": "yes"}]}


def attempt(index, *events, outcome="passed", error=None):
    numbered = [{"seq": seq, **event} for seq, event in enumerate(events)]
    held = {"assertions": [{"kind": "output_equals", "passed": outcome == "passed"}]}
    return {
        "index": index,
        "outcome": outcome,
        "error": error,
        "harness_output": held,
        "receipt": {"events": numbered},
    }


def output(stdout, **more):
    return {"kind": "model.output", "sample": {"stdout": stdout, "exit_code": 0, **more}}


def collected(*attempts, task=TASK, adapter="process", blobs=None):
    collector = Collector()
    head = SimpleNamespace(subject=SimpleNamespace(adapter=adapter), blobs=blobs or {})
    forms = [[canonical(event) for event in each["receipt"]["events"]] for each in attempts]
    result = {"attempts": list(attempts)}
    collector.observe(VerifiedTask(Task.model_validate(task), 3, result, head, forms))
    return collector.collected


def record(*attempts, **given):
    (task,) = collected(*attempts, **given).tasks
    return task


def test_a_record_holds_what_the_task_says_of_itself():
    task = {**TASK, "category": "refunds", "tags": ["a", "b"], "cluster": "c"}
    found = record(attempt(0, output("yes")), task=task)
    assert (found.task_id, found.position, found.category, found.tags, found.cluster) == (
        "t", 3, "refunds", ("a", "b"), "c",
    )  # fmt: skip


def test_attempts_with_the_same_answer_share_a_label_and_others_do_not():
    found = record(
        attempt(0, output("yes")), attempt(1, output("yes")), attempt(2, output("no"), outcome="wrong")
    )
    labels = [each.answer for each in found.attempts]
    assert labels == [label(["yes"]), label(["yes"]), label(["no"])]
    assert [each.text for each in found.attempts] == ["yes", "yes", "no"]
    assert [len(each.failures) for each in found.attempts] == [0, 0, 1]
    assert found.attempts[2].failures[0].got == '"no"'


def test_one_answer_may_fail_in_several_ways():
    task = {**TASK, "assertions": [{"kind": "exit_code", "expected": 0}]}
    ended = [attempt(i, output("x", exit_code=code), outcome="wrong") for i, code in enumerate((3, 4))]
    first, second = record(*ended, task=task).attempts
    assert first.answer == second.answer
    assert (first.failures[0].got, second.failures[0].got) == ("3", "4")


def test_what_only_the_assertions_do_not_read_is_no_other_answer():
    first, second = output("yes", stderr_tail="a"), output("yes", stderr_tail="b")
    labels = {each.answer for each in record(attempt(0, first), attempt(1, second)).attempts}
    assert len(labels) == 1


def test_an_errored_attempt_has_no_answer_and_says_why():
    failed = attempt(0, output("yes"), outcome="errored", error={"type": "exit", "detail": "exit status 3"})
    (found,) = record(failed).attempts
    assert (found.answer, found.text, found.error) == (None, "", "exit, exit status 3")


def test_a_passing_and_a_wrong_answer_are_set_side_by_side_and_two_passing_ones_are_not():
    both = record(attempt(0, output("no"), outcome="wrong"), attempt(1, output("yes")))
    assert (both.contrast.left, both.contrast.right) == (1, 0)
    assert record(attempt(0, output("a")), attempt(1, output("b"))).contrast is None


def test_blobs_are_put_back_before_the_answer_is_read():
    task = {**TASK, "assertions": [{"kind": "contains", "path": "a.txt", "text": "x"}]}
    whole = {"kind": "model.artifact", "sample": {"a.txt": {"text": "long text"}}}
    moved = {"kind": "model.artifact", "sample": {"a.txt": {"text": {"blob": "d" * 64}}}}
    given = {"task": task, "blobs": {"d" * 64: "long text"}}
    labels = {record(attempt(0, event), **given).attempts[0].answer for event in (whole, moved)}
    assert len(labels) == 1


def test_of_an_adapter_object_the_answer_is_all_that_was_sampled():
    one = [{"kind": "model.output", "sample": value} for value in (1, "x")]
    found = record(attempt(0, *one), adapter="custom").attempts[0]
    assert found.answer == label([1, "x"])
    assert found.text == "1"


def test_tool_paths_are_the_names_in_order():
    calls = [{"kind": "tool.call", "tool": name} for name in ("search", "book")]
    found = record(
        attempt(0, *calls, output("yes")),
        attempt(1, *reversed(calls), output("yes")),
        attempt(2, *calls, output("yes")),
        attempt(3, output("yes")),
    )
    paths = [each.path for each in found.attempts]
    assert paths[0] == paths[2] != paths[1]
    assert paths[3] is None


@pytest.mark.parametrize(
    ("events", "seconds"),
    [
        ([{"kind": "a", "ts": 2}, {"kind": "b", "ts": 4.5}, {"kind": "c", "elapsed_s": 9}], Fraction(5, 2)),
        ([{"kind": "a", "elapsed_s": 1}, {"kind": "b", "elapsed_s": 0.5}], Fraction(3, 2)),
        ([{"kind": "a", "ts": 2}], None),
        ([{"kind": "a", "ts": True}, {"kind": "a", "ts": "2"}], None),
        ([{"kind": "a"}], None),
    ],
)
def test_time_is_known_only_where_the_events_say_it(events, seconds):
    assert record(attempt(0, *events)).attempts[0].seconds == seconds


@pytest.mark.parametrize(
    ("sample", "tokens"),
    [
        ({"said": {"usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}}}, 7),
        ({"usage": {"input_tokens": 2, "output_tokens": 5}}, 7),
        ({"usage": {"input_tokens": True}}, None),
        ({"usage": 3}, None),
        ("text", None),
        ({"said": "x"}, None),
    ],
)
def test_tokens_are_those_that_recorded_answers_tell_of(sample, tokens):
    event = {"kind": "model.output", "sample": sample}
    assert record(attempt(0, event)).attempts[0].tokens == tokens


def test_the_models_that_answered_are_gathered():
    samples = [{"model": "m-1"}, {"said": {"model": "m-2"}}, {"model": 3}, {"said": 1}, "x", {"model": ""}]
    events = [{"kind": "model.output", "sample": sample} for sample in samples]
    assert collected(attempt(0, *events)).served == {"m-1", "m-2"}


def test_no_more_than_twenty_models_are_kept():
    events = [{"kind": "model.output", "sample": {"model": f"m-{i}"}} for i in range(30)]
    assert len(collected(attempt(0, *events)).served) == 20


def test_nothing_of_an_event_is_kept(sealed, enveloped):
    long = "x" * 50_000
    envelope = enveloped(sealed({"a": [long, long], "b": [long + "y", "no"]}))
    kept = json.dumps(
        [
            [str(each) for each in row.attempts] + [str(row.parting), str(row.contrast)]
            for row in envelope.tasks
        ]
    )
    assert len(kept) < 10_000
