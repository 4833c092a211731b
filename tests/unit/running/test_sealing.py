"""What a receipt holds, and that a verifier derives the same."""

import io
import tracemalloc
from collections import Counter
from fractions import Fraction

import pytest

from passfloor import receipts
from passfloor.canonical import sha256_hex
from passfloor.errors import JournalError
from passfloor.models.suite import Suite
from passfloor.report.view import RunView
from passfloor.running.attempts import FinishedAttempt
from passfloor.running.plan import make_plan
from passfloor.running.recorded import RecordedRun
from passfloor.running.runner import Runner
from passfloor.running.sealing import MAX_EMBEDDED

ANSWERS = {"a": ["yes", "yes", "no"], "b": ["yes", "no", "no"]}


@pytest.fixture
def receipt(suite_of, scripted, clock):
    suite = suite_of("a", "b")
    adapter = scripted(lambda task, call: [{"kind": "model.output", "sample": ANSWERS[task.id][call]}])
    return Runner(suite, adapter, make_plan(suite, adapter, k=2, n=3), clock=clock).run()


def test_figures_are_the_doubles_nearest_the_exact_ones(receipt):
    floor = (Fraction(1, 3) + 0) / 2
    ceiling = (1 + Fraction(2, 3)) / 2
    assert receipt.pass_caret_k == floor.numerator / floor.denominator
    assert receipt.pass_at_1 == ceiling.numerator / ceiling.denominator


def test_the_plan_stands_at_the_top_level(receipt):
    document = receipt.document()
    for name in ("suite_hash", "selection", "n", "k", "scheduler_config", "subject", "gate", "graders"):
        assert name in document
    assert document["tool"]["name"] == "passfloor"
    assert document["suite_version"] == "s-v1"
    assert document["environment"][0]["concurrency"] == 1


def test_times_come_from_the_clock_alone(receipt, clock):
    assert receipt.emitted_at == clock()
    assert receipt.session.started_at == receipt.session.ended_at == "2023-11-14T22:13:20.250Z"


def test_the_hash_covers_everything_but_the_seal(receipt):
    document = receipt.document()
    assert document["receipt_hash"] == receipts.receipt_hash(document)
    assert (document["signature"], document["signer_fingerprint"]) == ("", "")
    for name, value in (("k", 1), ("suite_version", "x"), ("emitted_at", 0.0)):
        assert receipts.receipt_hash({**document, name: value}) != document["receipt_hash"]
    assert receipts.receipt_hash({**document, "signature": "x"}) == document["receipt_hash"]


def test_what_is_written_is_read_back(receipt):
    written = b"".join(receipts.write(receipt.document()))
    assert type(receipt).model_validate_json(written) == receipt
    assert [task.value["task_id"] for task in receipts.LineReader(io.BytesIO(written)).tasks()] == ["a", "b"]


@pytest.fixture
def sized(task_of, scripted):
    """Seals a suite whose canonical form has exactly so many bytes."""

    def seal(size, embed_suite):
        bare = Suite(version="s", tasks=[task_of("a", description="")])
        from passfloor.canonical import canonical

        padding = size - len(canonical(bare.document()))
        suite = Suite(version="s", tasks=[task_of("a", description="x" * padding)])
        assert len(canonical(suite.document())) == size
        adapter = scripted()
        return Runner(suite, adapter, make_plan(suite, adapter, k=1), embed_suite=embed_suite).run()

    return seal


@pytest.mark.parametrize(
    ("size", "asked", "embedded"),
    [
        (MAX_EMBEDDED, None, True),
        (MAX_EMBEDDED + 1, None, False),
        (MAX_EMBEDDED + 1, True, True),
        (1000, False, False),
    ],
)
def test_a_suite_is_embedded_up_to_256_kib_or_as_asked(sized, size, asked, embedded):
    assert MAX_EMBEDDED == 256 * 1024
    receipt = sized(size, asked)
    assert (receipt.suite is not None) is embedded
    assert ("suite" in receipt.document()) is embedded


class TestDraft:
    """The receipt that is put together on disk is the one that is put together in memory."""

    def parts(self, suite_of, scripted, tmp_path, play, n=3):
        suite = suite_of("a", "b")
        adapter = scripted(play)
        plan = make_plan(suite, adapter, k=1, n=n)
        recorded = RecordedRun.start(
            tmp_path, plan, suite_version="s-v1", seed=0, out=tmp_path / "o", concurrency=1, ledger=None
        )
        return recorded, Runner(
            suite, adapter, plan, session=recorded.session, store=recorded.store,
            environments=recorded.environments, clock=lambda: 2_000_000_000.5,
        )  # fmt: skip

    def both(self, suite_of, scripted, tmp_path, play, **options):
        recorded, runner = self.parts(suite_of, scripted, tmp_path, play, **options)
        with recorded.open() as run:
            runner.execute()
            receipt, seen = runner.seal(), Seen()
            with runner.draft(run.folder, witness=seen) as draft:
                written = b"".join(draft.file(draft.head))
            assert sorted(path.name for path in run.folder.iterdir()) == ["journal.jsonl", "plan.json"]
        assert written == b"".join(receipts.write(receipt.document()))
        assert draft.head.receipt_hash == receipt.receipt_hash
        assert [attempt for result in receipt.task_results for attempt in result.attempts] == seen.attempts
        assert [task_id for task_id, _ in seen.tasks] == ["a", "b"]
        return receipt, seen

    def test_of_wrong_and_errored_attempts_and_numbers_of_every_kind(
        self, suite_of, scripted, tmp_path, errored_events
    ):
        def play(task, call):
            if (task.id, call) == ("b", 1):
                return errored_events()
            value = [1, 1.0, 0.5, 1e-7, 1e17, 2.0**60, 1e300, None, "é\ufb33\n"]
            return [{"kind": "value", "value": value}, {"kind": "model.output", "sample": "no" * call}]

        receipt, seen = self.both(suite_of, scripted, tmp_path, play)
        assert receipt.counts.errored == 1
        assert all(shared.identical for _, shared in seen.tasks)

    def test_of_coordination_that_diverged(self, suite_of, scripted, tmp_path):
        def play(task, call):
            return [{"kind": "route", "to": call * (task.id == "b")}]

        receipt, seen = self.both(suite_of, scripted, tmp_path, play)
        assert receipt.coordination_ok is False
        assert seen.tasks[1][1].divergence.detail == "events[1].to (0 != 1)"

    def test_of_attempts_too_large_to_be_held_together(self, suite_of, scripted, tmp_path):
        def play(task, call):
            return [{"kind": "route", "to": "r" * 600_000 + str(call // 3 * (task.id == "b"))}]

        _, seen = self.both(suite_of, scripted, tmp_path, play, n=4)
        assert [shared.identical for _, shared in seen.tasks] == [True, False]
        assert (seen.tasks[1][1].divergence.left, seen.tasks[1][1].divergence.right) == (0, 3)

    def test_of_values_kept_once(self, suite_of, scripted, tmp_path):
        text = "x" * 2000
        files = {"f": {"sha256": sha256_hex(text.encode()), "size": len(text), "text": text}}
        receipt, _ = self.both(
            suite_of, scripted, tmp_path, lambda task, call: [{"kind": "model.artifact", "sample": files}]
        )
        assert list(receipt.blobs.values()) == [text]

    def test_an_attempt_that_is_missing_leaves_nothing_behind(self, suite_of, scripted, tmp_path):
        recorded, runner = self.parts(suite_of, scripted, tmp_path, lambda task, call: [])
        with recorded.open() as run:
            with pytest.raises(JournalError, match="holds no finished attempt 0 of task 'a'"):
                runner.draft(run.folder)
            assert sorted(path.name for path in run.folder.iterdir()) == ["journal.jsonl", "plan.json"]


class Seen:
    """Keeps all it is shown."""

    def __init__(self):
        self.attempts, self.tasks = [], []

    def attempt(self, attempt):
        self.attempts.append(attempt)

    def task(self, task_id, shared):
        self.tasks.append((task_id, shared))


class Forgetful:
    """A store that holds one attempt of each task, and gives it for every other of the task."""

    def __init__(self):
        self.kept, self.counts = {}, Counter()

    def begin(self, slot):
        pass

    def finish(self, finished):
        self.kept[finished.attempt.task_id] = finished
        self.counts[finished.attempt.task_id] += 1

    def has(self, slot):
        return slot[1] < self.counts[slot[0]]

    def read(self, slot):
        finished = self.kept[slot[0]]
        update = {"index": slot[1], "receipt": finished.attempt.receipt.model_copy(deep=True)}
        return FinishedAttempt(finished.attempt.model_copy(update=update), finished.blobs)

    def count(self):
        return self.counts.total()

    def finished(self, most=None):
        return []

    def tasks(self):
        return list(self.kept)

    def unfinished(self):
        return []

    def interrupted(self):
        return {}


def test_memory_does_not_grow_with_the_attempts(suite_of, scripted, tmp_path):
    """10 KB of events an attempt: held, 560 attempts more would take over 5 MB."""

    def peak(attempts):
        suite = suite_of("a", "b")
        adapter = scripted(lambda task, call: [{"kind": "route", "to": "r" * 10_000}])
        plan = make_plan(suite, adapter, k=1, n=attempts // 2)
        tracemalloc.start()
        runner = Runner(suite, adapter, plan, store=Forgetful())
        runner.execute()
        with runner.draft(tmp_path, witness=RunView()) as draft:
            for piece in draft.file(draft.head):
                assert piece
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert draft.head.counts.attempts == attempts
        return most

    peak(16)
    few = peak(240)
    assert peak(800) <= 1.3 * few
