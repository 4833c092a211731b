"""A small suite, adapter objects that do what a test wants, and time that stands still."""

import copy

import pytest

from passfloor.models.suite import Suite, Task

NOW = 1_700_000_000.25


def make_task(task_id="t", **members):
    return Task.model_validate(
        {"id": task_id, "description": task_id, "assertions": [{"kind": "completed"}], **members}
    )


def make_suite(*ids):
    return Suite(version="s-v1", tasks=[make_task(task_id) for task_id in ids])


class Scripted:
    """An adapter object: ``play(task, call)`` gives the members of each event after ``task.started``."""

    def __init__(self, play=lambda task, call: []):
        self.play = play
        self.calls = {}
        self.seen = []

    def __deepcopy__(self, memo):
        made = type(self)(self.play)
        made.calls = copy.deepcopy(self.calls)
        made.seen = self.seen
        return made

    def run_task(self, task, scheduler_config):
        call = self.calls.get(task.id, 0)
        self.calls[task.id] = call + 1
        self.seen.append((task.id, call, dict(scheduler_config)))
        given = self.play(task, call)
        if not isinstance(given, list):
            return given
        events = [{"kind": "task.started"}, *given]
        if not given or given[-1]["kind"] != "attempt.errored":
            events.append({"kind": "task.completed"})
        return {"events": [{"seq": seq, **event} for seq, event in enumerate(events)]}

    def score_task(self, task, receipt):
        outputs = [event["sample"] for event in receipt["events"] if event["kind"] == "model.output"]
        return (passed := "no" not in outputs), float(passed), {}


def errored(kind="exit", code=1):
    return [{"kind": "attempt.errored", "error": {"type": kind, "detail": "why"}, "exit_code": code}]


@pytest.fixture
def clock():
    return lambda: NOW


@pytest.fixture
def random_bytes():
    return lambda count: bytes(range(count))


@pytest.fixture
def scripted():
    return Scripted


@pytest.fixture
def suite_of():
    return make_suite


@pytest.fixture
def task_of():
    return make_task


@pytest.fixture
def errored_events():
    return errored
