"""A run on disk: made before the first attempt, written as it runs, read back from where it stands."""

import functools
import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from passfloor.digests import plan_hash
from passfloor.errors import EnvironmentFault, JournalError, JsonError, UsageError
from passfloor.journal.header import RunHeader
from passfloor.journal.run_folder import RunFolder, RunJournal, find_runs, named_run, newest_unfinished
from passfloor.journal.state import RunState
from passfloor.journal.writer import ChainWriter
from passfloor.models.plan import Stage

HASH = "d" * 64
AT = "2026-01-31T09:31:00.000Z"
EMITTED = 1769851860.5


def seal(journal: RunJournal, receipt_hash: str = HASH, *, out: str | None = None) -> None:
    journal.sealed(receipt_hash, AT, EMITTED, out=out, suite_embedded=True)


def stage(header: RunHeader, n: int) -> Stage:
    return Stage(n=n, plan_hash=plan_hash(header.plan, n=n), decided_at=AT, after_receipt_hash=HASH)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "work" / ".passfloor" / "runs"


@pytest.fixture
def folder(runs: Path, header: RunHeader) -> RunFolder:
    return RunFolder.create(runs, header)


def finish(folder: RunFolder, attempt, *slots) -> None:
    with folder.write() as journal:
        for slot in slots:
            journal.begin(*slot)
            journal.finish(attempt(*slot), {})


def add_line(folder: RunFolder, body: object) -> None:
    with ChainWriter.open(folder.path / "journal.jsonl", folder._before, create=False) as writer:
        writer.append(body, sync=True)


def test_a_new_run_has_its_header_an_empty_journal_and_stays_out_of_git(
    runs: Path, folder: RunFolder, header: RunHeader
) -> None:
    assert (runs / ".gitignore").read_text() == "*\n"
    assert folder.path == runs / header.run
    assert sorted(os.listdir(folder.path)) == ["journal.jsonl", "plan.json"]
    assert folder.path.stat().st_mode & 0o777 == 0o700
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.path.iterdir())
    document = json.loads((folder.path / "plan.json").read_bytes())
    assert (document["schema"], document["run"], document["seed"]) == ("passfloor/run/v1", header.run, 0)
    state = folder.state()
    assert (dict(state.starts), dict(state.finished), state.sealed, state.torn) == ({}, {}, None, False)
    assert [stage.model_dump() for stage in state.stages] == [
        {
            "n": 3,
            "plan_hash": plan_hash(header.plan),
            "decided_at": header.opening.started_at,
            "after_receipt_hash": None,
        }
    ]


def test_a_gitignore_that_is_there_is_kept(runs: Path, header: RunHeader) -> None:
    runs.mkdir(parents=True)
    (runs / ".gitignore").write_text("mine\n")
    RunFolder.create(runs, header)
    assert (runs / ".gitignore").read_text() == "mine\n"


def test_a_run_is_made_once(folder: RunFolder, runs: Path, header: RunHeader) -> None:
    with pytest.raises(UsageError, match="exists"):
        RunFolder.create(runs, header)


def test_a_place_that_cannot_be_written_to_is_a_fault_of_the_machine(
    tmp_path: Path, header: RunHeader, full_after
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is no folder"):
        RunFolder.create(tmp_path / "file", header)
    with pytest.raises(EnvironmentFault, match="cannot be made"):
        RunFolder.create(tmp_path / "file" / "runs", header)
    with full_after(100), pytest.raises(EnvironmentFault, match=r"plan\.json' cannot be written"):
        RunFolder.create(tmp_path / "runs", header)
    assert os.listdir(tmp_path / "runs" / header.run) == ["journal.jsonl"]
    assert find_runs(tmp_path / "runs") == []


def test_a_header_without_a_json_form_is_refused_before_anything_is_made(runs: Path, make_header) -> None:
    with pytest.raises(JsonError):
        RunFolder.create(runs, make_header(out="\udcff"))
    assert not runs.exists()


def test_a_header_is_read_back_as_it_was(folder: RunFolder, header: RunHeader) -> None:
    assert RunFolder.open(folder.path).header == header


def test_a_run_that_is_not_there_is_refused(runs: Path, folder: RunFolder) -> None:
    with pytest.raises(UsageError, match="there is no run"):
        RunFolder.open(runs / "20260131T093000Z-ffffff")
    with pytest.raises(UsageError, match="there is no run"):
        named_run(runs, "20260131T093000Z-ffffff")
    assert named_run(runs, folder.header.run).header == folder.header


@pytest.mark.parametrize(
    "run", ["", "..", "../../x", "a/b", "20260131T093000Z-0a1b2", "20260131T093000Z-0a1b2c\n"]
)
def test_what_is_no_id_of_a_run_is_refused_before_the_disk_is_looked_at(runs: Path, run: str) -> None:
    with pytest.raises(UsageError, match="is no id of a run") as caught:
        named_run(runs, run)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda document: None, "is missing"),
        (lambda document: b"{", "not JSON"),
        (lambda document: b"[]", "schema is not"),
        (lambda document: {**document, "schema": "passfloor/run/v2"}, "schema is not"),
        (lambda document: {**document, "seed": True}, "'seed': Input should be a valid integer"),
        (lambda document: {**document, "seed": 2**53 - 1, "more": 1}, "'more': Extra inputs"),
        (lambda document: {**document, "run": "../x"}, "'run': String should match"),
        (lambda document: {**document, "plan": {**document["plan"], "k": "2"}}, r"'plan\.k': Input"),
        (lambda document: {k: v for k, v in document.items() if k != "opening"}, "'opening': Field required"),
    ],
    ids=["missing", "cut", "a list", "v2", "a bool", "unknown member", "no id", "a text", "no opening"],
)  # fmt: skip
def test_a_malformed_header_is_refused_naming_the_member(folder: RunFolder, change, what: str) -> None:
    path = folder.path / "plan.json"
    changed = change(json.loads(path.read_bytes()))
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())
    with pytest.raises(JournalError, match=what) as caught:
        RunFolder.open(folder.path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_copy_under_another_name_is_no_run_of_its_own(folder: RunFolder, runs: Path) -> None:
    folder.path.rename(runs / "20260131T093000Z-ffffff")
    with pytest.raises(UsageError, match=f"holds the run {folder.header.run}"):
        RunFolder.open(runs / "20260131T093000Z-ffffff")


def test_a_journal_belongs_to_its_header(folder: RunFolder, attempt) -> None:
    finish(folder, attempt, ("a", 0))
    path = folder.path / "plan.json"
    path.write_bytes(path.read_bytes().replace(b'"seed":0', b'"seed":1'))
    changed = RunFolder.open(folder.path)
    assert changed.header.seed == 1
    for look in (changed.state, changed.write):
        with pytest.raises(JournalError, match="line 1 does not follow"):
            look()


def test_a_missing_journal_is_not_an_empty_one(folder: RunFolder) -> None:
    (folder.path / "journal.jsonl").unlink()
    for look in (folder.state, folder.write):
        with pytest.raises(JournalError, match="is missing"):
            look()


def test_finished_attempts_are_read_back_exactly(folder: RunFolder, attempt) -> None:
    with folder.write() as journal:
        for slot in [("a", 0), ("b", 0), ("a", 2)]:
            journal.begin(*slot)
        journal.finish(attempt("b", 0), {HASH: ["large"]})
        journal.finish(attempt("a", 2), {})
        assert journal.state.finished == folder.state().finished
    state = folder.state()
    assert dict(state.starts) == {("a", 0): 1, ("b", 0): 1, ("a", 2): 1}
    assert set(state.finished) == {("b", 0), ("a", 2)}
    assert folder.read(state.finished["b", 0]) == (attempt("b", 0), {HASH: ["large"]})
    assert folder.read(state.finished["a", 2]) == (attempt("a", 2), {})


def test_an_attempt_is_on_the_disk_before_it_counts_and_its_start_need_not_be(
    folder: RunFolder, header: RunHeader, attempt
) -> None:
    synced: list[int] = []

    def flush(descriptor: int) -> None:
        assert not journal.state.finished
        synced.append(os.fstat(descriptor).st_size)

    path = folder.path / "journal.jsonl"
    writer = ChainWriter.open(path, folder._before, create=False, flush=flush)
    with RunJournal(writer, RunState(header.plan, header.opening.started_at, header.environment)) as journal:
        journal.begin("a", 0)
        assert synced == []
        journal.finish(attempt("a", 0), {})
        assert synced == [path.stat().st_size]


def test_a_seal_is_on_the_disk_when_it_is_told(folder: RunFolder, header: RunHeader) -> None:
    synced: list[int] = []
    path = folder.path / "journal.jsonl"
    writer = ChainWriter.open(path, folder._before, create=False, flush=synced.append)
    with RunJournal(writer, RunState(header.plan, header.opening.started_at, header.environment)) as journal:
        seal(journal)
        journal.stage(stage(header, 4), header.environment)
    assert len(synced) == 2


def test_only_the_place_of_a_finished_attempt_is_read(folder: RunFolder, attempt) -> None:
    finish(folder, attempt, ("a", 0))
    with pytest.raises(JournalError, match="no finished attempt stands at byte 0"):
        folder.read(0)
    with pytest.raises(JournalError, match="no line at byte 1;"):
        folder.read(1)


def test_an_attempt_begun_more_than_once_is_reported_with_its_starts(folder: RunFolder, attempt) -> None:
    for _ in range(2):
        with folder.write() as journal:
            journal.begin("b", 1)
            journal.begin("a", 0)
    with folder.write() as journal:
        journal.begin("b", 1)
        journal.finish(attempt("b", 1), {})
        journal.begin("a", 1)
        journal.finish(attempt("a", 1), {})
    assert folder.state().interrupted() == [("b", 1, 3), ("a", 0, 2)]


def test_a_torn_last_line_is_told_and_its_slot_runs_again(folder: RunFolder, attempt) -> None:
    finish(folder, attempt, ("a", 0), ("a", 1))
    path = folder.path / "journal.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    state = folder.state()
    assert state.torn
    assert set(state.finished) == {("a", 0)}
    with folder.write() as journal:
        assert journal.state.torn
        journal.begin("a", 1)
        journal.finish(attempt("a", 1), {})
    state = folder.state()
    assert not state.torn
    assert set(state.finished) == {("a", 0), ("a", 1)}
    assert state.interrupted() == [("a", 1, 2)]


def test_a_run_that_is_being_run_is_not_run_by_another(folder: RunFolder) -> None:
    with folder.write(), pytest.raises(UsageError, match="another process"):
        folder.write()
    folder.write().close()


@pytest.mark.parametrize(
    ("events", "what"),
    [
        (["begin a 0", "begin a 0"], None),
        (["finish a 0"], "finishes task 'a', attempt 0, which was never begun"),
        (["begin a 0", "finish a 0", "finish a 0"], "finishes .* attempt 0, which is finished already"),
        (["begin a 0", "finish a 0", "begin a 0"], "begins task 'a', attempt 0, which is finished already"),
        (["begin a 3"], "begins task 'a', attempt 3, of which the plan has 3"),
        (["begin a 0", "seal"], "seals the run while an attempt is unfinished"),
        (["seal", "begin a 0"], "begins task 'a', attempt 0, after the run was sealed"),
        (["seal", "seal"], None),
        (["stage 4"], "adds a stage to a run that is not sealed"),
        (["seal", "stage 4", "begin a 3"], None),
        (["seal", "stage 4", "stage 5"], "adds a stage to a run that is not sealed"),
        (["seal", "stage 3"], "n can only grow"),
        (["seal", "stage 4 plan"], "only n may differ"),
        (["seal", "stage 4 receipt"], "a receipt that is not the last one"),
    ],
)  # fmt: skip
def test_the_rules_of_a_journal_hold_in_writing_and_in_reading(
    folder: RunFolder, attempt, events: list[str], what: str | None
) -> None:
    def event(words: str) -> tuple[dict[str, object], Callable[[RunJournal], None]]:
        kind, *rest = words.split()
        if kind in {"begin", "finish"}:
            slot = rest[0], int(rest[1])
            if kind == "begin":
                body = {"task_id": slot[0], "index": slot[1]}
                return {"event": kind, **body}, functools.partial(RunJournal.begin, **body)
            body = {"attempt": attempt(*slot), "blobs": {}}
            return {"event": kind, **body}, functools.partial(RunJournal.finish, **body)
        if kind == "seal":
            members = {"receipt_hash": HASH, "ended_at": AT, "emitted_at": EMITTED}
            more = {"out": None, "suite_embedded": True}
            return {"event": kind, **members, **more}, functools.partial(RunJournal.sealed, **members, **more)
        changes = {
            **({"plan_hash": HASH} if "plan" in rest else {}),
            **({"after_receipt_hash": "e" * 64} if "receipt" in rest else {}),
        }
        added = stage(folder.header, int(rest[0])).model_copy(update=changes)
        where = folder.header.environment
        body = {"event": kind, **added.model_dump(), "environment": where.model_dump()}
        return body, functools.partial(RunJournal.stage, stage=added, environment=where)

    *before, last = map(event, events)
    for body, _ in before:
        add_line(folder, body)
    body, write = last
    with folder.write() as journal:
        if what is None:
            write(journal)
            return
        with pytest.raises(JournalError, match=f"the journal refuses an event that .*{what}"):
            write(journal)
    folder.state()
    add_line(folder, body)
    with pytest.raises(JournalError, match=f"line {len(events)} .*{what}"):
        folder.state()


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"event": "pause"},
        {"event": "begin", "task_id": "a"},
        {"event": "begin", "task_id": 1, "index": 0},
        {"event": "begin", "task_id": "a", "index": True},
        {"event": "begin", "task_id": "a", "index": -1},
        {"event": "begin", "task_id": "a", "index": 0, "more": 1},
        {"event": "finish", "attempt": {"index": 0}, "blobs": {}},
        {"event": "finish", "attempt": {"task_id": "a", "index": 0}},
        {"event": "finish", "attempt": {"task_id": "a", "index": 0}, "blobs": {}, "more": 1},
        {"event": "stage", "n": 4},
        {"event": "seal", "receipt_hash": "x", "ended_at": AT, "emitted_at": 1.0, "out": None},
    ],
)
def test_a_line_that_is_no_event_is_an_error_that_names_it(folder: RunFolder, attempt, body: object) -> None:
    finish(folder, attempt, ("a", 0))
    add_line(folder, body)
    with pytest.raises(JournalError, match=r"line 3 (holds no event|names no attempt|has )"):
        folder.state()


def test_a_run_goes_on_in_a_further_stage_and_is_sealed_anew(folder: RunFolder, attempt, header) -> None:
    finish(folder, attempt, ("a", 0), ("a", 1), ("a", 2))
    with folder.write() as journal:
        seal(journal, out="reliability.json")
    sealed = folder.state().sealed
    assert sealed is not None
    assert sealed.model_dump() == {
        "receipt_hash": HASH, "ended_at": AT, "out": "reliability.json", "emitted_at": EMITTED,
        "suite_embedded": True,
    }  # fmt: skip
    with folder.write() as journal:
        elsewhere = header.environment.model_copy(update={"concurrency": 8})
        journal.stage(stage(header, 5), elsewhere)
        assert (journal.state.n, journal.state.sealed) == (5, None)
        for index in (3, 4):
            journal.begin("a", index)
            journal.finish(attempt("a", index), {})
        seal(journal, "e" * 64)
    state = folder.state()
    assert [stage.n for stage in state.stages] == [3, 5]
    assert state.stages[1] == stage(header, 5)
    assert state.environments == (header.environment, elsewhere)
    assert state.sealed is not None
    assert state.sealed.receipt_hash == "e" * 64


def test_an_attempt_that_could_not_be_written_does_not_count(folder: RunFolder, attempt, full_after) -> None:
    with folder.write() as journal:
        journal.begin("a", 0)
        with full_after(1000), pytest.raises(EnvironmentFault, match="cannot be written"):
            journal.finish({**attempt("a", 0), "large": "x" * 5000}, {})
        assert not journal.state.finished
        with pytest.raises(JsonError):
            journal.finish({**attempt("a", 0), "score": float("inf")}, {})
        journal.finish(attempt("a", 0), {})
    assert set(folder.state().finished) == {("a", 0)}


def test_of_two_threads_that_finish_one_attempt_one_is_refused(folder: RunFolder, attempt) -> None:
    together = threading.Barrier(4)

    def finish_it(_: int) -> bool:
        together.wait(60)
        try:
            journal.finish(attempt("a", 0), {})
        except JournalError:
            return False
        return True

    with folder.write() as journal, ThreadPoolExecutor(4) as pool:
        journal.begin("a", 0)
        assert sum(pool.map(finish_it, range(4))) == 1
    assert set(folder.state().finished) == {("a", 0)}


def test_many_threads_write_one_journal(runs: Path, make_header, plan, attempt) -> None:
    folder = RunFolder.create(runs, make_header(plan=plan.model_copy(update={"n": 20})))

    def work(task_id: str) -> None:
        for index in range(20):
            journal.begin(task_id, index)
            journal.finish(attempt(task_id, index), {})

    with folder.write() as journal, ThreadPoolExecutor(8) as pool:
        list(pool.map(work, "abcdefgh"))
    state = folder.state()
    assert len(state.finished) == len(state.starts) == 160
    assert all(folder.read(offset)[0] == attempt(*slot) for slot, offset in state.finished.items())


def test_runs_are_found_newest_first(runs: Path, make_header) -> None:
    assert find_runs(runs) == []
    names = ["20260131T093000Z-0a1b2c", "20260201T000000Z-000000", "20251231T235959Z-ffffff"]
    for name in names:
        RunFolder.create(runs, make_header(name))
    (runs / "20260301T000000Z-000000").mkdir()
    (runs / "notes").mkdir()
    assert [run.header.run for run in find_runs(runs)] == [names[1], names[0], names[2]]


def test_a_malformed_header_among_the_runs_is_named(runs: Path, folder: RunFolder) -> None:
    (folder.path / "plan.json").write_bytes(b"{")
    with pytest.raises(JournalError, match=r"plan\.json' is no header"):
        find_runs(runs)


def test_the_newest_unfinished_run_that_matches_is_found(runs: Path, make_header) -> None:
    old, newer, newest = (
        RunFolder.create(runs, make_header(f"2026010{day}T000000Z-000000", seed=seed))
        for day, seed in ((1, 7), (2, 7), (3, 8))
    )
    assert newest_unfinished(runs, lambda header: header.seed == 9) is None
    found = newest_unfinished(runs, lambda header: header.seed == 7)
    assert found is not None
    assert found.path == newer.path
    with newer.write() as journal:
        seal(journal)
    found = newest_unfinished(runs, lambda header: header.seed == 7)
    assert found is not None
    assert found.path == old.path
    (newest.path / "journal.jsonl").unlink()
    assert newest_unfinished(runs, lambda header: header.seed == 7) is not None
    with pytest.raises(JournalError, match="is missing"):
        newest_unfinished(runs, lambda header: True)
