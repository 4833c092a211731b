import copy
import pickle

import pytest

from passfloor.adapters.mock import MockReplayAdapter
from passfloor.adapters.registry import scorer_for
from passfloor.adapters.stochastic import StochasticMockReplayAdapter
from passfloor.errors import UsageError
from passfloor.models.suite import Task

DOUBLES = [MockReplayAdapter, StochasticMockReplayAdapter]


def task(name="t"):
    return Task.model_validate({"id": name, "description": name, "assertions": [{"kind": "completed"}]})


def samples(run):
    return [event.get("sample") for event in run["events"]]


def without_samples(run):
    return [{name: value for name, value in event.items() if name != "sample"} for event in run["events"]]


@pytest.mark.parametrize("make", DOUBLES)
def test_attempts_differ_in_the_sample_of_the_model_output_alone(make):
    adapter = make()
    runs = [adapter.run_task(task(), {}) for _ in range(4)]
    assert all(without_samples(run) == without_samples(runs[0]) for run in runs)
    outputs = [event for event in runs[0]["events"] if event["kind"] == "model.output"]
    assert len(outputs) == 1
    assert len({str(samples(run)) for run in runs}) == 4


@pytest.mark.parametrize("make", DOUBLES)
def test_call_i_on_a_fresh_instance_is_attempt_i_of_that_task(make):
    first, second = make(), make()
    expected = [first.run_task(task("a"), {}) for _ in range(3)]
    found = []
    for _ in range(3):
        found.append(second.run_task(task("a"), {}))
        second.run_task(task("b"), {})
    assert found == expected


@pytest.mark.parametrize("make", DOUBLES)
def test_a_copy_goes_on_where_it_was_made(make):
    adapter = make()
    adapter.run_task(task(), {})
    twins = [copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))]
    expected = adapter.run_task(task(), {})
    assert [twin.run_task(task(), {}) for twin in twins] == [expected, expected]


@pytest.mark.parametrize("make", DOUBLES)
def test_the_seed_changes_the_sample_and_is_told_in_the_first_event(make):
    one, two = make(seed=1).run_task(task(), {}), make(seed=2).run_task(task(), {})
    assert one["events"][0] == {"seq": 0, "kind": "task.started", "task_hash": task().task_hash, "seed": 1}
    assert samples(one) != samples(two)


@pytest.mark.parametrize("make", DOUBLES)
def test_events_are_numbered_from_the_start_to_completion(make):
    run = make().run_task(task(), {})
    assert set(run) == {"events"}
    assert [event["seq"] for event in run["events"]] == list(range(len(run["events"])))
    assert run["events"][-1]["kind"] == "task.completed"


def test_the_mock_always_passes():
    adapter = MockReplayAdapter()
    assert adapter.score_task(task(), adapter.run_task(task(), {})) == (True, 1.0, {})


@pytest.mark.parametrize(("rate", "low", "high"), [(0.0, 0, 0), (1.0, 400, 400), (0.7, 240, 320)])
def test_the_stochastic_double_passes_about_as_often_as_its_rate(rate, low, high):
    adapter = StochasticMockReplayAdapter(seed=3, pass_rate=rate)
    passed = sum(adapter.score_task(task(), adapter.run_task(task(), {}))[0] for _ in range(400))
    assert low <= passed <= high


def test_the_verdict_follows_from_the_sample_without_seed_or_rate():
    adapter = StochasticMockReplayAdapter(seed=9, pass_rate=0.5)
    scorer = scorer_for("stochastic-mock")
    for _ in range(20):
        run = adapter.run_task(task(), {})
        assert scorer.score_task(task(), run) == adapter.score_task(task(), run)


@pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
def test_a_rate_that_is_no_probability_is_refused(rate):
    with pytest.raises(UsageError):
        StochasticMockReplayAdapter(pass_rate=rate)


def test_the_values_are_fixed_so_that_receipts_replay_on_every_machine_and_release():
    run = StochasticMockReplayAdapter(seed=0).run_task(task(), {})
    assert run["events"][4]["sample"]["stdout"] == "PASS 122c5d59027f4f\n"
