"""The run: order, identity, when it stops."""

import pytest

from passfloor.digests import attempt_id, attempt_seed
from passfloor.errors import MalformedRunReceiptError, RunStoppedError
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner, specify
from passfloor.running.selection import select
from passfloor.running.session import open_session
from passfloor.scrubbing import Scrubber


def run(suite, adapter, *, n=2, k=1, **options):
    return Runner(suite, adapter, make_plan(suite, adapter, k=k, n=n), **options).run()


def answer(text):
    return [{"kind": "model.output", "sample": text}]


def test_tasks_and_attempts_run_in_plan_order_and_each_is_told(suite_of, scripted, clock):
    told = []
    adapter = scripted(lambda task, call: answer(f"{task.id}{call}"))
    receipt = run(
        suite_of("b", "a"),
        adapter,
        observer=lambda task, attempt: told.append((task.id, attempt.index)),
        clock=clock,
    )
    order = [("b", 0), ("b", 1), ("a", 0), ("a", 1)]
    assert told == order
    assert [(task_id, call) for task_id, call, _ in adapter.seen] == order
    assert [
        (result.task_id, attempt.index) for result in receipt.task_results for attempt in result.attempts
    ] == order


def test_every_task_begins_on_a_fresh_instance(suite_of, scripted):
    class Shared(type(scripted())):
        """Counts calls over all tasks, so that only a fresh instance a task begins at 0."""

        def run_task(self, task, scheduler_config):
            self.calls = {task.id: sum(self.calls.values())}
            return super().run_task(task, scheduler_config)

    adapter = Shared(lambda task, call: answer(str(call)))
    receipt = run(suite_of("a", "b"), adapter)
    samples = [
        [attempt.receipt.events[1]["sample"] for attempt in result.attempts]
        for result in receipt.task_results
    ]
    assert samples == [["0", "1"], ["0", "1"]]


def test_an_attempt_s_identity_follows_from_session_plan_task_and_index(
    suite_of, scripted, clock, random_bytes
):
    suite, adapter = suite_of("a", "b"), scripted()
    plan = make_plan(suite, adapter, k=2)
    session = open_session(plan, clock=clock, random_bytes=random_bytes)
    spec = specify(session, suite.tasks[1], 1, 0, 7)
    task_hash = suite.tasks[1].task_hash
    assert spec.attempt_id == attempt_id(session.opening_hash, session.plan_hash, task_hash, 0)
    assert (spec.run_id, spec.seed) == (f"{session.run}/1/0", 7)
    assert spec.attempt_seed == attempt_seed(7, task_hash, 0)
    receipt = Runner(suite, adapter, plan, session=session, seed=7, clock=clock).run()
    sealed = receipt.task_results[1].attempts[0]
    assert sealed.attempt_id == sealed.receipt.attempt_id == spec.attempt_id
    assert sealed.receipt.run_id == spec.run_id
    everyone = [each.attempt_id for result in receipt.task_results for each in result.attempts]
    assert len(set(everyone)) == 4


def test_outcomes_are_counted_as_they_came(suite_of, scripted, errored_events):
    script = {0: answer("yes"), 1: answer("no"), 2: errored_events()}
    receipt = run(suite_of("a"), scripted(lambda task, call: script[call]), n=3, k=3)
    assert receipt.counts.model_dump() == {
        "tasks": 1, "attempts": 3, "passed": 1, "wrong": 1, "errored": 1, "tasks_any": 1, "tasks_all": 0,
    }  # fmt: skip
    assert (receipt.pass_at_1, receipt.pass_caret_k) == (1.0, 0.0)
    errored = receipt.task_results[0].attempts[2]
    assert errored.error is not None
    assert (errored.outcome, errored.error.type, errored.score) == ("errored", "exit", None)


def test_ten_attempts_that_error_alike_stop_the_run(suite_of, scripted, errored_events):
    adapter = scripted(lambda task, call: errored_events())
    with pytest.raises(RunStoppedError, match=r"first 10 attempts .* 1 remain: .*--keep-going"):
        run(suite_of("a"), adapter, n=11)
    assert len(adapter.seen) == 10


def test_they_are_counted_over_tasks(suite_of, scripted, errored_events):
    adapter = scripted(lambda task, call: errored_events())
    with pytest.raises(RunStoppedError):
        run(suite_of("a", "b", "c", "d"), adapter, n=3)
    assert len(adapter.seen) == 10


def test_ten_in_all_are_sealed_and_so_are_more_where_it_goes_on(suite_of, scripted, errored_events):
    adapter = scripted(lambda task, call: errored_events())
    assert run(suite_of("a"), adapter, n=10).counts.errored == 10
    assert run(suite_of("a"), adapter, n=11, keep_going=True).counts.errored == 11


@pytest.mark.parametrize("odd", [0, 5, 9])
def test_one_that_finished_or_errored_otherwise_among_the_first_ten_lets_it_go_on(
    suite_of, scripted, errored_events, odd
):
    finished = scripted(lambda task, call: answer("yes") if call == odd else errored_events())
    assert run(suite_of("a"), finished, n=12).counts.errored == 11
    other = scripted(lambda task, call: errored_events(code=3 if call == odd else 1))
    assert run(suite_of("a"), other, n=12).counts.errored == 12
    kinds = scripted(lambda task, call: errored_events(kind="timeout" if call == odd else "exit"))
    assert run(suite_of("a"), kinds, n=12).counts.errored == 12


def test_errors_after_a_good_start_never_stop_it(suite_of, scripted, errored_events):
    adapter = scripted(lambda task, call: errored_events() if call else answer("yes"))
    assert run(suite_of("a"), adapter, n=15).counts.errored == 14


def test_a_malformed_run_receipt_ends_the_run(suite_of, scripted):
    with pytest.raises(MalformedRunReceiptError, match="task 'a', attempt 1: events is NoneType"):
        run(suite_of("a"), scripted(lambda task, call: {} if call else answer("yes")))


def test_divergence_is_sealed_and_admits_no_floor(suite_of, scripted):
    adapter = scripted(lambda task, call: [{"kind": "route", "to": call}] if task.id == "a" else answer("y"))
    receipt = run(suite_of("a", "b"), adapter)
    assert receipt.coordination_ok is False
    diverged, held = receipt.task_results
    assert (diverged.coordination_identical, diverged.coordination_hash) == (False, None)
    assert held.coordination_identical is True
    assert held.coordination_hash is not None


def test_a_run_id_of_the_adapter_s_own_is_identity_and_no_coordination(suite_of, scripted):
    def play(task, call):
        return {"run_id": f"mine-{call}", "events": [{"seq": 0, "kind": "task.started"}]}

    receipt = run(suite_of("a"), scripted(play))
    assert receipt.coordination_ok is True
    kept = [attempt.receipt.model_extra for attempt in receipt.task_results[0].attempts]
    assert kept == [{"adapter_run_id": "mine-0"}, {"adapter_run_id": "mine-1"}]


def test_of_a_selection_only_the_chosen_tasks_run_and_the_whole_suite_is_embedded(suite_of, scripted):
    whole, adapter = suite_of("a", "b", "c"), scripted()
    chosen, selection = select(whole, tasks=["b", "c"])
    plan = make_plan(chosen, adapter, k=1, selection=selection)
    receipt = Runner(whole, adapter, plan).run()
    assert [task_id for task_id, _, _ in adapter.seen] == ["b", "c"]
    assert [result.task_id for result in receipt.task_results] == ["b", "c"]
    assert [task["id"] for task in receipt.suite["tasks"]] == ["a", "b", "c"]
    assert (receipt.suite_hash, receipt.selection.of) == (chosen.suite_hash, whole.suite_hash)
    assert receipt.task_results[0].attempts[0].receipt.run_id.endswith("/0/0")
    assert receipt.counts.tasks == 2


def test_what_is_observed_stored_and_sealed_is_scrubbed(suite_of, scripted):
    told, adapter = [], scripted(lambda task, call: answer("ticket 4711"))
    receipt = run(
        suite_of("a"),
        adapter,
        observer=lambda task, attempt: told.append(attempt),
        scrubber=Scrubber(patterns=["[0-9]{4}"]),
    )
    for attempt in (*told, *receipt.task_results[0].attempts):
        assert attempt.receipt.events[1]["sample"] == "ticket [scrubbed]"
