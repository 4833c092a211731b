"""What was run here, as a person and a program read it."""

import json

import pytest

from passfloor.adapters.mock import MockReplayAdapter
from passfloor.cli import entry
from passfloor.journal.ledger import Ledger
from passfloor.models.ledger import RunStage
from passfloor.models.suite import Suite, Task
from passfloor.running.plan import make_plan
from passfloor.running.recorded import RecordedRun
from passfloor.running.runner import Runner

NOW = 1_700_000_000.25


class Here:
    """Runs under a home and a runs folder of their own, and the command that tells of them."""

    def __init__(self, folder, capsys):
        self.folder, self.runs, self.capsys = folder, folder / "runs", capsys
        self.ledger = Ledger(folder / "home" / "ledger.jsonl")
        task = {"id": "t", "description": "", "assertions": [{"kind": "completed"}]}
        self.suite = Suite(version="s-v1", tasks=[Task.model_validate(task)])
        self.time = NOW

    def clock(self):
        self.time += 1
        return self.time

    def begin(self):
        adapter = MockReplayAdapter()
        run = RecordedRun.start(
            self.runs,
            make_plan(self.suite, adapter, k=2),
            suite_version="s-v1",
            seed=0,
            out=self.folder / "out.json",
            concurrency=1,
            ledger=self.ledger,
            clock=self.clock,
        )
        plan, session, store = run.session.plan, run.session, run.store
        return run, Runner(self.suite, adapter, plan, session=session, store=store, clock=self.clock)

    def finish(self):
        run, runner = self.begin()
        with run.open():
            receipt = runner.run()
            run.seal(receipt, self.folder / "out.json")
            run.complete(receipt.receipt_hash)
        return run.session.run, receipt.receipt_hash

    def leave(self):
        run, runner = self.begin()
        with run.open():
            runner._store.begin(("t", 0))
            runner._store.begin(("t", 0))
        return run.session.run

    def say(self, *words, code=0):
        assert entry.run(["bench", "runs", *words, "--runs-dir", str(self.runs)]) == code
        return self.capsys.readouterr()


@pytest.fixture
def here(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "home"))
    return Here(tmp_path, capsys)


def test_runs_are_listed_newest_first_with_what_became_of_them(here):
    done, receipt_hash = here.finish()
    left = here.leave()
    lines = here.say("list").out.splitlines()
    assert lines == [
        f"{left}     #2  unfinished  s-v1, k=2, n=2, 0 finished",
        f"{done}     #1  completed   s-v1, k=2, n=2, 2 finished",
    ]
    newest, oldest = json.loads(here.say("list", "--json").out)["runs"]
    assert (newest["run"], newest["status"], newest["receipt_hash"]) == (left, "unfinished", None)
    assert (oldest["run"], oldest["status"], oldest["receipt_hash"]) == (done, "completed", receipt_hash)
    assert (oldest["run_seq"], oldest["finished"], oldest["started_at"]) == (1, 2, "2023-11-14T22:13:21.250Z")


def test_a_run_whose_folder_is_gone_is_known_from_the_ledger(here):
    done, receipt_hash = here.finish()
    started = here.leave()
    here.runs.rename(here.folder / "away")
    newest, oldest = json.loads(here.say("list", "--json").out)["runs"]
    assert (newest["run"], newest["status"]) == (started, "started")
    assert (oldest["run"], oldest["status"], oldest["receipt_hash"]) == (done, "completed", receipt_hash)
    assert (oldest["k"], oldest["finished"]) == (None, None)
    assert f"{done}     #1  completed" in here.say("list").out
    assert "suite_hash       : unknown" in here.say("show", done).out


def test_a_run_whose_folder_is_gone_while_more_of_it_was_run_is_started(here):
    done, receipt_hash = here.finish()
    at = "2023-11-15T00:00:00.000Z"
    here.ledger.stage(RunStage(run=done, plan_hash="0" * 64, after_receipt_hash=receipt_hash, at=at))
    here.runs.rename(here.folder / "away")
    [run] = json.loads(here.say("list", "--json").out)["runs"]
    assert (run["status"], run["receipt_hash"]) == ("started", None)


def test_one_run_is_shown_with_its_stages_and_what_was_begun_more_than_once(here):
    left = here.leave()
    text = here.say("show", left).out
    assert f"run              : {left}\nstatus           : unfinished\n" in text
    assert "stage            : n=2, decided 2023-11-14T22:13:21.250Z\n" in text
    assert text.endswith("interrupted      : t attempt 0, begun 2 times\n")
    shown = json.loads(here.say("show", left, "--json").out)
    assert shown["interrupted"] == [{"task_id": "t", "index": 0, "starts": 2}]
    assert [stage["n"] for stage in shown["stages"]] == [2]


def test_a_run_that_is_not_there_is_refused_and_no_runs_at_all_are_no_error(here):
    refused = here.say("show", "20260131T093000Z-0a1b2c", code=2)
    assert refused.out == ""
    assert "there is no run '20260131T093000Z-0a1b2c'" in refused.err
    assert here.say("list").out.startswith("no runs under ")
    assert json.loads(here.say("list", "--json").out) == {"runs": []}


def test_a_damaged_ledger_is_refused_naming_the_line(here):
    here.finish()
    ledger = here.folder / "home" / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().replace(b'"run_seq":1', b'"run_seq":2'))
    assert "line 1 does not follow" in here.say("list", code=2).err
