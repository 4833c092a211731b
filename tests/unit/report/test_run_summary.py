"""The text that ends a run."""

import pytest

from passfloor.report.run_summary import is_process_error, run_summary, warnings
from passfloor.report.view import RunView

BLOCK = """\
flaky        : flaky  3 of 4 passed
never        : never  0 of 4 passed, 2 errored
suite        : own-v1, 3 tasks x 4 attempts
               {suite_hash}
pass^2 floor : 50.0%   all 2 of 2 drawn from 4 must pass
pass@2       : 66.7%   any of 2 drawn passed: the ceiling (pass_at_1 in the receipt)
success rate : 58.3%   7 of 12 attempts; 3 wrong, 2 errored
               a point estimate, not a bound: 4 clean attempts of a task rule
               out only failure rates above 52.7%
coordination : held fixed
receipt      : reliability.json"""

CLEAN = """\
suite        : own-v1, 1 task x 5 attempts
               {suite_hash}
pass^5 floor : 100.0%  all 5 attempts must pass
pass@5       : 100.0%  any attempt passed: the ceiling (pass_at_1 in the receipt)
success rate : 100.0%  5 of 5 attempts; 0 wrong, 0 errored
               a point estimate, not a bound: 5 clean attempts of a task rule
               out only failure rates above 45.1%
coordination : held fixed
receipt      : r.json"""


def summary(receipt, path="reliability.json"):
    view = RunView.of(receipt)
    return run_summary(receipt, view.figures(receipt.k), path, view.tallies, view.divergence)


def warned(receipt):
    view = RunView.of(receipt)
    alike, first = view.outputs_alike, view.first_error
    return list(warnings(receipt, view.figures(receipt.k), outputs_alike=alike, first_error=first))


def warned_of(receipt, **more):
    figures = RunView.of(receipt).figures(receipt.k)
    return list(warnings(receipt, figures, outputs_alike=False, **more))


def test_answers_from_a_cache_weaken_a_run_that_makes_the_calls_itself(sealed):
    receipt = sealed({"a": ["yes", "yep"]}, k=1)[2]
    subject = receipt.subject.model_copy(update={"adapter": "chat"})
    called = receipt.model_copy(update={"subject": subject})
    [said] = warned_of(called, cached=(1, ["age", "x-cache"]))
    assert said.startswith(
        "warning: 1 of 2 attempts were answered from a cache, as the answers say (age, x-cache)"
    )
    assert said.endswith("turn the cache off, then run again")
    assert warned_of(called, cached=(0, [])) == []
    assert warned_of(receipt, cached=(1, ["age"])) == [], "what an adapter object calls so is its own affair"


def test_tasks_whose_attempts_all_say_the_same_are_named_where_others_vary(sealed):
    receipt = sealed({name: ["yes", "yes"] for name in "abcde"} | {"f": ["yes", "yep"]}, k=1)[2]
    view = RunView.of(receipt)
    assert (view.outputs_alike, view.alike_tasks) == (False, list("abcde"))
    [said] = warned_of(receipt, alike_tasks=view.alike_tasks)
    assert said.startswith(
        "warning: in 5 of 6 tasks all attempts gave the same output (a, b, c, ...): expected"
    )
    assert said.endswith("let the agent seed its sampling from PASSFLOOR_ATTEMPT_SEED")
    assert warned_of(receipt, alike_tasks=[]) == []


def test_the_block_is_this(sealed):
    receipt = sealed()[2]
    assert summary(receipt) == BLOCK.format(suite_hash=receipt.suite_hash)


def test_a_clean_run_names_no_task_and_k_of_k_is_all_of_them(sealed):
    receipt = sealed({"a": ["yes"] * 5}, k=5)[2]
    assert summary(receipt, "r.json") == CLEAN.format(suite_hash=receipt.suite_hash)


def test_one_attempt_is_singular(sealed):
    text = summary(sealed({"a": ["yes"]}, k=1)[2])
    assert "the one attempt must pass" in text
    assert "1 of 1 attempt;" in text
    assert "1 clean attempt of a task rules" in text


def test_no_bound_is_spoken_of_where_no_task_is_clean(sealed):
    assert "point estimate" not in summary(sealed({"a": ["yes", "no"]}, k=1)[2])


def test_divergence_is_named_in_the_coordination_line(sealed):
    route = [{"kind": "route", "to": value} for value in ("r0", "r1")]
    receipt = sealed({"a": route}, k=1)[2]
    assert "coordination : DIVERGED: task a, attempts 0 and 1: events[1].to ('r0' !=" in summary(receipt)
    assert warned(receipt)[0].startswith("warning: coordination was not held fixed")


def test_labels_stay_in_one_column_however_large_k_is(sealed):
    text = summary(sealed({"a": ["yes"] * 1000}, k=1000)[2])
    columns = {line.index(":") for line in text.splitlines() if line[0] != " "}
    assert len(columns) == 1


def test_many_flaky_tasks_are_counted_and_not_all_listed(sealed):
    text = summary(sealed({f"t{number:02}": ["yes", "no"] for number in range(25)}, k=1)[2])
    assert text.count(" 1 of 2 passed") == 20
    assert "and 5 more tasks" in text


@pytest.mark.parametrize("hostile", ["a\x1b[31mb", "\u202eevil", "x\ny", "[red]x", "\x9b1m"])
def test_ids_versions_and_paths_are_escaped(sealed, hostile):
    receipt = sealed({hostile: ["yes", "no"]}, k=1, version=hostile)[2]
    text = summary(receipt, hostile)
    assert not any(character in text for character in "\x1b\u202e\x9b")
    assert (
        text.count("\n") == len(summary(sealed({"i": ["yes", "no"]}, k=1, version="v")[2]).splitlines()) - 1
    )


def test_every_warning_ends_with_what_removes_it(sealed):
    some = warned(sealed()[2])
    assert some == [
        "warning: 2 of 12 attempts errored (the first: exit, exit status 3); they count as not passing and "
        "partly measure the platform; look at what they left with --keep-workspaces failed, or give them "
        "longer with --timeout"
    ]
    [alike] = warned(sealed({"a": ["yes", "yes"]}, k=1)[2])
    assert alike == (
        "warning: all attempts of every task gave the same output; cached, seeded or deterministic, 2 "
        "attempts say no more than one; turn caches off, or let the agent seed its sampling from "
        "PASSFLOOR_ATTEMPT_SEED"
    )
    assert warned(sealed({"a": ["yes", "yep"]}, k=1)[2]) == []
    assert warned(sealed({"a": ["errored", "errored"]}, k=1)[2]) == []


def test_the_packaged_agent_is_known_to_be_scripted(sealed):
    receipt = sealed({"a": ["yes", "yes"]}, k=1)[2]
    scripted = receipt.model_copy(
        update={"subject": receipt.subject.model_copy(update={"adapter": "reference"})}
    )
    assert warned(scripted)[0].endswith("measure your own with --agent CMD")


@pytest.mark.parametrize(
    ("adapter", "source"),
    [
        ("function", "or let the agent seed its sampling from attempt.seed"),
        ("http", "or let the agent seed its sampling from the request's seed"),
        ("chat", "or let the model sample (--model-option temperature=1)"),
    ],
)
def test_an_agent_that_is_no_program_is_told_what_it_can_do(sealed, adapter, source):
    receipt = sealed({"a": ["yes", "yes"]}, k=1)[2]
    other = receipt.model_copy(update={"subject": receipt.subject.model_copy(update={"adapter": adapter})})
    assert warned(other)[0].endswith(source)


def test_who_has_no_folder_is_sent_to_the_service_and_not_told_how_processes_start(sealed):
    receipt = sealed()[2]
    far = receipt.model_copy(update={"subject": receipt.subject.model_copy(update={"adapter": "http"})})
    assert "look into the log of the service, or give" in warned(far)[0]
    assert is_process_error("timeout", "process")
    assert is_process_error("worker", "function")
    assert not is_process_error("timeout", "http")
    assert not is_process_error("journal", "process")


def test_a_part_of_a_suite_says_of_how_many(sealed):
    receipt = sealed({"a": ["yes", "yep"]}, k=1)[2]
    view = RunView.of(receipt)
    part = run_summary(receipt, view.figures(receipt.k), "r", view.tallies, suite_tasks=20)
    assert "suite        : own-v1, 1 of 20 tasks x 2 attempts" in part


def test_a_synthetic_subject_is_called_so(sealed):
    receipt = sealed({"a": ["yes", "no"]}, k=1)[2]
    mock = receipt.model_copy(update={"subject": receipt.subject.model_copy(update={"adapter": "mock"})})
    assert "subject      : synthetic (mock): no agent was run" in summary(mock)
    assert "synthetic" not in summary(receipt)
