"""Where attempts are kept: both stores keep the same promise."""

import pytest

from passfloor.journal.header import RunHeader
from passfloor.journal.run_folder import RunFolder
from passfloor.running.attempts import JournalStore, MemoryStore
from passfloor.running.plan import make_plan
from passfloor.running.runner import environment, specify
from passfloor.running.session import open_session
from passfloor.running.worker import TaskBlock

BIG = "x" * 5000


@pytest.fixture
def made(suite_of, scripted, clock):
    """A session, and a maker of finished attempts with a blob each."""
    suite = suite_of("a", "b")
    adapter = scripted(
        lambda task, call: [
            {"kind": "model.output", "sample": 1.0},
            {"kind": "model.artifact", "sample": {"f": {"text": f"{call}{BIG}", "size": 1, "sha256": "0"}}},
        ]
    )
    plan = make_plan(suite, adapter, k=2)
    session = open_session(plan, clock=clock)

    def make(position, index):
        task = suite.tasks[position]
        return TaskBlock(adapter, task, plan).finish(specify(session, task, position, index, 0))

    return session, make


@pytest.fixture(params=["memory", "journal"])
def store(request, made, tmp_path):
    if request.param == "memory":
        yield MemoryStore()
        return
    session, _ = made
    header = RunHeader(
        run=session.run,
        suite_version="s-v1",
        plan=session.plan,
        opening=session.opening,
        seed=0,
        out=None,
        environment=environment(1),
    )
    folder = RunFolder.create(tmp_path, header)
    with folder.write() as journal:
        yield JournalStore(folder, journal)


def test_what_was_finished_is_read_back_as_it_was(store, made):
    _, make = made
    for position, index in ((1, 1), (0, 0)):
        finished = make(position, index)
        assert finished.blobs
        assert not store.has(finished.slot)
        store.begin(finished.slot)
        assert not store.has(finished.slot)
        assert store.unfinished() == [finished.slot]
        store.finish(finished)
        assert store.has(finished.slot)
        assert store.read(finished.slot) == finished
    assert store.finished() == [("b", 1), ("a", 0)]
    assert store.finished(1) == [("b", 1)]
    assert store.count() == 2
    assert store.unfinished() == []
    assert store.interrupted() == {}


def test_what_was_begun_more_than_once_is_counted(store, made):
    _, make = made
    for _ in range(3):
        store.begin(("a", 1))
    store.begin(("b", 0))
    assert store.interrupted() == {("a", 1): 3}
    assert set(store.unfinished()) == {("a", 1), ("b", 0)}
    finished = make(0, 0)
    store.begin(finished.slot)
    store.finish(finished)
    assert store.interrupted() == {("a", 1): 3}
