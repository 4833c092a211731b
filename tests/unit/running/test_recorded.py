"""A run on disk: its line in the ledger, its stages, and which one is gone on with."""

import io

import pytest

from passfloor import receipts
from passfloor.adapters.mock import MockReplayAdapter, MockScorer
from passfloor.api import load_receipt
from passfloor.errors import JournalError, UsageError
from passfloor.journal.ledger import Ledger
from passfloor.journal.run_folder import RunFolder, find_runs
from passfloor.models.ledger import RunEnd, RunStage, RunStart
from passfloor.running.plan import Claims, make_plan
from passfloor.running.recorded import RecordedRun, check_same, find
from passfloor.running.runner import Runner, SealedBefore
from passfloor.running.saving import save
from passfloor.signing.signers import StubReliabilitySigner
from passfloor.suites import read_suite
from passfloor.verification.inputs import Inputs, Trust
from passfloor.verification.verifier import verify

NOW = 1_700_000_000.25


class Bench:
    """Runs of one suite in one folder, under a clock that goes on a second at every look."""

    def __init__(self, suite, folder):
        self.suite, self.runs = suite, folder / "runs"
        self.ledger = Ledger(folder / "ledger.jsonl")
        self.out = folder / "out.json"
        self.adapter = MockReplayAdapter()
        self.time = NOW

    def clock(self):
        self.time += 1
        return self.time

    def plan(self, **options):
        return make_plan(self.suite, self.adapter, **{"k": 2, **options})

    def start(self, plan=None, ledger=True, seed=0):
        return RecordedRun.start(
            self.runs,
            plan or self.plan(),
            suite_version=self.suite.version,
            seed=seed,
            out=self.out,
            concurrency=2,
            ledger=self.ledger if ledger else None,
            clock=self.clock,
        )

    def resume(self, run, n=2, ledger=True):
        folder = RunFolder.open(self.runs / run)
        kept = self.ledger if ledger else None
        return RecordedRun.resume(folder, n=n, concurrency=3, ledger=kept, clock=self.clock)

    def runner(self, run, **options):
        return Runner(
            self.suite, self.adapter, run.session.plan, session=run.session, store=run.store,
            environments=run.environments, clock=self.clock, **options,
        )  # fmt: skip

    def finish(self, run):
        receipt = self.runner(run).run()
        run.seal(receipt, self.out)
        run.complete(receipt.receipt_hash)
        return receipt

    def again(self, run, **options):
        before = SealedBefore(run.sealed.ended_at, run.sealed.emitted_at)
        with self.runner(run, **options).draft(run.folder, before) as draft:
            check_same(draft, run.sealed, self.out)
            return load_receipt(b"".join(draft.file(draft.head)))

    def find(self, plan=None, seed=0, run=None):
        return find(
            self.runs, plan or self.plan(), suite_version=self.suite.version, seed=seed, out=self.out, run=run
        )

    def status(self, receipt):
        signed = StubReliabilitySigner().sign(receipt)
        inputs = Inputs(
            now=self.time,
            trust=Trust(keys={}, pinned=False, allow_stub=True),
            read_suite=lambda document: read_suite(document, folder=None, source="x"),
            suite=self.suite,
            synthetic_scorers={"mock": MockScorer()},
        )
        return str(verify(io.BytesIO(b"".join(receipts.write(signed.document()))), inputs).status)


@pytest.fixture
def bench(suite_of, tmp_path):
    return Bench(suite_of("a", "b"), tmp_path)


def test_a_run_is_in_the_ledger_before_its_opening_which_holds_its_number(bench):
    with bench.start().open() as run:
        [line] = bench.ledger.entries()
        assert isinstance(line, RunStart)
        assert (line.run, line.run_seq, line.plan_hash) == (run.session.run, 1, run.session.plan_hash)
        assert line.at == run.session.opening.started_at
        assert (run.session.opening.run_seq, run.session.opening.prev_receipt_hash) == (1, None)
        receipt = bench.finish(run)
        run.complete(receipt.receipt_hash)
    ends = [line for line in bench.ledger.entries() if isinstance(line, RunEnd)]
    assert [(line.status, line.receipt_hash) for line in ends] == [("completed", receipt.receipt_hash)]
    assert bench.status(receipt) == "MATCH"
    with bench.start().open() as run:
        opening = run.session.opening
        assert (opening.run_seq, opening.prev_receipt_hash) == (2, receipt.receipt_hash)
        run.abort()
    [*_, last] = bench.ledger.entries()
    assert (last.run, last.status, last.receipt_hash) == (run.session.run, "aborted", None)


def test_a_run_without_a_number_is_in_no_ledger_when_it_ends_either(bench):
    with bench.start(ledger=False).open() as run:
        bench.finish(run)
    with bench.resume(run.session.run).open() as run:
        run.abort()
    assert list(bench.ledger.entries()) == []


def test_what_was_finished_is_not_run_again_and_the_rest_is(bench):
    with bench.start().open() as run:
        for finished in list(bench.runner(run)._attempts(run.session, bench.suite.tasks[0], 0, [0, 1]))[:1]:
            run.store.finish(finished)
    with bench.resume(run.session.run).open() as again:
        assert again.session == run.session
        seen = []
        receipt = bench.runner(
            again, observer=lambda task, attempt: seen.append((task.id, attempt.index))
        ).run()
    assert seen == [("a", 1), ("b", 0), ("b", 1)]
    [entry] = receipt.session.interrupted
    assert (entry.task_id, entry.index, entry.starts) == ("a", 1, 2)
    assert bench.status(receipt) == "MATCH"


def test_a_stage_more_keeps_the_attempts_there_are_and_names_the_receipt_it_extends(bench):
    with bench.start().open() as run:
        first = bench.finish(run)
    with bench.resume(run.session.run, n=4).open() as run:
        assert run.sealed is None
        receipt = bench.finish(run)
    assert [(stage.n, stage.after_receipt_hash) for stage in receipt.session.stages] == [
        (2, None), (4, first.receipt_hash),
    ]  # fmt: skip
    assert [each.concurrency for each in receipt.environment] == [2, 3]
    for before, after in zip(first.task_results, receipt.task_results, strict=True):
        assert after.attempts[:2] == before.attempts
    assert bench.status(receipt) == "MATCH"


def entered(bench):
    """The stages that the ledger holds."""
    lines = [line for line in bench.ledger.entries() if isinstance(line, RunStage)]
    return [(line.run, line.plan_hash, line.after_receipt_hash, line.at) for line in lines]


def test_a_stage_is_in_the_ledger_before_anything_of_it_happens_and_there_once(bench):
    with bench.start().open() as run:
        first = bench.finish(run)
    for _ in range(2):
        with bench.resume(run.session.run, n=4).open() as run:
            stage = run.session.stages[1]
            line = (run.session.run, stage.plan_hash, first.receipt_hash, stage.decided_at)
            assert entered(bench) == [line]
            assert not run.store.unfinished()
    with bench.resume(run.session.run, n=4).open() as run:
        bench.finish(run)
    bench.resume(run.session.run, n=4)
    assert entered(bench) == [line]


def test_a_stage_that_the_journal_alone_has_is_entered_when_it_is_gone_on_with(bench):
    with bench.start().open() as run:
        bench.finish(run)
    with bench.resume(run.session.run, n=4, ledger=False).open() as run:
        decided = run.session.stages[1].decided_at
    assert entered(bench) == []
    with bench.resume(run.session.run, n=4).open():
        assert [line[-1] for line in entered(bench)] == [decided]


def test_a_stage_is_not_entered_where_the_run_did_not_start(bench, tmp_path):
    with bench.start().open() as run:
        bench.finish(run)
    bench.ledger = Ledger(tmp_path / "another.jsonl")
    with bench.resume(run.session.run, n=4).open():
        assert list(bench.ledger.entries()) == []


def test_a_stage_that_cannot_be_entered_does_not_begin_and_the_run_is_let_go_of(bench, tmp_path):
    with bench.start().open() as run:
        bench.finish(run)
    path = tmp_path / "ledger.jsonl"
    kept = path.read_bytes()
    path.write_text("{}\n{}\n")
    with pytest.raises(JournalError, match="line 1"):
        bench.resume(run.session.run, n=4)
    path.write_bytes(kept)
    with bench.resume(run.session.run, n=4).open():
        assert len(entered(bench)) == 1


def test_a_sealed_run_gives_the_same_receipt_again(bench):
    with bench.start().open() as run:
        receipt = bench.finish(run)
    with bench.resume(run.session.run).open() as run:
        assert bench.again(run) == receipt
        save(receipt.document(), bench.out, replace=False, run=run.session.run)
        with pytest.raises(UsageError, match=r"its journal gives .* now \(differs: suite\)"):
            bench.again(run, embed_suite=False)
        bench.out.unlink()
        with pytest.raises(UsageError, match=r"differs: what a release of passfloor decides"):
            bench.again(run, embed_suite=False)


def test_a_journal_with_attempts_of_another_suite_is_refused_and_nothing_is_run(bench):
    with bench.start().open() as run:
        run.store.begin(("ghost", 0))
        with pytest.raises(JournalError, match=r"attempts of task 'ghost', which is none of this run"):
            bench.runner(run, began=lambda *_: pytest.fail("something was run")).run()


def test_a_journal_that_says_sealed_and_lacks_attempts_is_refused(bench):
    with bench.start().open() as run:
        run._journal.sealed("0" * 64, "2026-01-31T09:31:00.000Z", 1.0, out=None, suite_embedded=True)
        with pytest.raises(JournalError, match=r"holds no finished attempt 0 of task 'a'"):
            bench.again(run)


def test_the_newest_unfinished_run_of_the_plan_is_found_else_the_newest_finished(bench):
    assert bench.find() is None
    runs = []
    for _ in range(3):
        with bench.start().open() as run:
            runs.append(run.session.run)
    assert bench.find().header.run == runs[2]
    for number in (2, 1, 0):
        with bench.resume(runs[number]).open() as run:
            bench.finish(run)
        assert bench.find().header.run == (runs[number - 1] if number else runs[2])


def test_another_plan_for_the_same_place_is_refused_by_name_and_another_place_is_another_matter(bench):
    with bench.start().open() as run:
        pass
    for options, what in (
        ({"k": 1, "n": 2}, "k: was 2, now 1"),
        ({"claims": Claims(agent_name="x")}, "subject.name"),
        ({"n": 3}, "n: was 2, now 3"),
    ):
        for name in (None, run.session.run):
            with pytest.raises(UsageError, match=f"run {run.session.run} was begun otherwise: {what}"):
                bench.find(bench.plan(**options), run=name)
    with pytest.raises(UsageError, match="seed: was 0, now 1"):
        bench.find(seed=1)
    bench.out = bench.out.with_name("other.json")
    assert bench.find(bench.plan(k=1, n=2)) is None
    assert bench.find().header.run == run.session.run


def test_n_may_grow_once_all_is_sealed_and_never_shrink(bench):
    with bench.start().open() as run:
        bench.finish(run)
    assert bench.find(bench.plan(n=5)).header.run == run.session.run
    with pytest.raises(UsageError, match="n: was 2, now 1"):
        bench.find(bench.plan(k=1), run=run.session.run)


def test_only_one_at_a_time_takes_a_run_further(bench):
    with bench.start().open() as run, pytest.raises(UsageError, match="another process"):
        bench.resume(run.session.run)
    bench.resume(run.session.run)


def test_a_damaged_ledger_stops_a_run_before_it_begins(bench, tmp_path):
    (tmp_path / "ledger.jsonl").write_text("{}\n{}\n")
    with pytest.raises(JournalError, match="line 1"):
        bench.start()
    assert find_runs(bench.runs) == []
