"""The run: every attempt that is due, judged and kept as it finishes; all sealed in plan order."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from passfloor.adapters.describe import AnyAdapter
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.adapters.secrets import scrubber_for
from passfloor.digests import attempt_id, attempt_seed
from passfloor.errors import JournalError, RunStoppedError, UsageError
from passfloor.executors import local
from passfloor.grading import RunGrader
from passfloor.models.assertions import CODE_KINDS
from passfloor.models.plan import Interrupted, Plan, Session
from passfloor.models.receipt import Attempt, Environment, ReliabilityReceipt
from passfloor.models.suite import Suite, Task
from passfloor.running.attempts import AttemptStore, FinishedAttempt, MemoryStore
from passfloor.running.facts import environment_facts
from passfloor.running.hope import STOP_AFTER, Hope
from passfloor.running.sealing import Draft, Frame, Witness, draft, seal
from passfloor.running.selection import part
from passfloor.running.session import Clock, OpenSession, open_session
from passfloor.running.silence import Silence
from passfloor.running.worker import TaskBlock
from passfloor.scrubbing import Scrubber
from passfloor.workspaces.groups import end_all

Observer = Callable[[Task, Attempt], None]


@dataclass(frozen=True)
class SealedBefore:
    """When a receipt was sealed that is sealed again: with these it comes out the same."""

    ended_at: str
    emitted_at: float


class Runner:
    """Runs one plan, from wherever its store stands."""

    def __init__(
        self,
        suite: Suite,
        adapter: AnyAdapter,
        plan: Plan,
        *,
        seed: int = 0,
        keep_going: bool = False,
        observer: Observer | None = None,
        began: Callable[[Task, int], None] | None = None,
        embed_suite: bool | None = None,
        clock: Clock = time.time,
        session: OpenSession | None = None,
        store: AttemptStore | None = None,
        concurrency: int = 1,
        environments: Sequence[Environment] | None = None,
        scrubber: Scrubber | None = None,
        recorded: bool = False,
        run_grader: RunGrader | None = None,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            suite: The whole suite; of its tasks those are run that the plan's selection names.
            adapter: What runs an agent on a task. With a concurrency above 1 threads share it, or make fresh
                instances of it at the same time.
            plan: Made over this suite and adapter.
            seed: The coordination seed, the same in every attempt; 0 to 2**53 - 1.
            keep_going: Do not stop when the first attempts all error alike.
            observer: Told of every attempt as it finishes, in the calling thread.
            began: Told of every attempt as it begins, in any thread.
            embed_suite: Put the suite into the receipt; None: when it is at most 256 KiB.
            clock: Seconds since the epoch.
            session: A session already open; None opens one when the run starts.
            store: Keeps finished attempts; what it holds already is not run again. None: memory.
            concurrency: How many attempts run side by side, at least 1.
            environments: Where each stage runs, one a stage; None: here.
            scrubber: Replaces secrets before anything is hashed or kept; None: those that the adapter knows.
            recorded: The adapter records model calls; a run in which none is recorded is stopped.
            run_grader: Runs the suite's graders with code.
        """
        self._suite = suite
        self._adapter = adapter
        self._plan = plan
        self._seed = seed
        self._observer = observer or (lambda _task, _attempt: None)
        self._began = began or (lambda _task, _index: None)
        self._embed_suite = embed_suite
        self._clock = clock
        self._session = session
        self._store = store or MemoryStore()
        self._concurrency = concurrency
        self._environments = environments
        self._scrubber = scrubber_for(adapter) if scrubber is None else scrubber
        self._run_grader = run_grader
        self._part = part(suite, plan.selection)
        self._total = len(self._part.tasks) * plan.n
        self._hope = Hope(off=keep_going)
        self._silence = Silence(self._part.tasks[0], plan.n, off=not recorded)

    def run(self) -> ReliabilityReceipt:
        """Run every attempt that is due and seal all of them, unsigned.

        Raises:
            RunStoppedError: the first attempts all errored alike; nothing is sealed.
            UsageError: no model call was recorded of the first task, though they are to be; likewise. Or the
                plan judges by graders with code, and nobody is to run them.
            MalformedRunReceiptError: an adapter object gave back no run receipt.
        """
        self.execute()
        return self.seal()

    def execute(self) -> None:
        """Run every attempt that is due, as ``run`` does. What was finished before an error is kept.

        Raises:
            JournalError: the store has attempts of a task that is not run; otherwise as ``run`` does.
        """
        self._require_known()
        if self._store.count() < self._total:
            require_graders(self._plan, allowed=self._run_grader is not None)
        session = self._opened()
        self._recall()
        self._silence.off |= self._store.count() > 0
        self._discard_unfinished(session)
        spread = local.Spread(keep=self._store.finish, report=self._report, end=self._end)
        local.run(self._units(session), self._concurrency, spread)

    def seal(self, before: SealedBefore | None = None) -> ReliabilityReceipt:
        """Seal all attempts, in plan order whatever finished first; with ``before`` as it was sealed then."""
        return seal(self._frame(before), self._part.tasks, self._read, partial(self._close, before))

    def draft(
        self, folder: Path, before: SealedBefore | None = None, *, witness: Witness | None = None
    ) -> Draft:
        """What ``seal`` gives, holding one attempt at a time; the rest waits on the disk of ``folder``.

        Args:
            folder: Where there is room for the receipt.
            before: With it, as it was sealed then.
            witness: Is shown every attempt.

        Raises:
            EnvironmentFault: the disk is full or failing.
        """
        return draft(
            self._frame(before),
            self._part.tasks,
            self._read,
            partial(self._close, before),
            folder=folder,
            witness=witness,
        )

    def _frame(self, before: SealedBefore | None) -> Frame:
        return Frame(
            self._suite,
            self._plan,
            self._environments or [environment(self._concurrency)],
            self._embed_suite,
            self._clock if before is None else lambda: before.emitted_at,
        )

    def _close(self, before: SealedBefore | None) -> Session:
        ended_at = None if before is None else before.ended_at
        return self._opened().close(self._clock(), ended_at=ended_at, interrupted=self._interrupted())

    def _read(self, task: Task, index: int) -> FinishedAttempt:
        return self._store.read((task.id, index))

    def _opened(self) -> OpenSession:
        if self._session is None:
            self._session = open_session(self._plan, clock=self._clock)
        return self._session

    def _units(self, session: OpenSession) -> Iterator[local.Unit[FinishedAttempt]]:
        """What one worker does in order: an attempt, or a task's attempts where call i is attempt i."""
        by_name = is_attempt_adapter(self._adapter)
        # Where attempts are named nothing stands in a block between them, and threads may share it.
        shared = None
        for position, task in enumerate(self._part.tasks):
            due = [index for index in range(self._plan.n) if not self._store.has((task.id, index))]
            if by_name:
                shared = self._block(task)
            for part_due in [[index] for index in due] if by_name else [due] if due else []:
                yield partial(self._attempts, session, task, position, part_due, shared)

    def _attempts(
        self,
        session: OpenSession,
        task: Task,
        position: int,
        due: Sequence[int],
        shared: TaskBlock | None = None,
    ) -> Iterator[FinishedAttempt]:
        block = shared or self._block(task)
        wanted = set(due)
        for index in due if block.by_name else range(due[-1] + 1):
            if index in wanted:
                self._store.begin((task.id, index))
                self._began(task, index)
                yield block.finish(specify(session, task, position, index, self._seed))
            else:
                block.skip()

    def _block(self, task: Task) -> TaskBlock:
        return TaskBlock(self._adapter, task, self._plan, self._scrubber, self._run_grader)

    def _report(self, finished: FinishedAttempt) -> None:
        attempt = finished.attempt
        self._observer(self._part.by_id[attempt.task_id], attempt)
        self._silence.note(attempt)
        remaining = self._total - self._store.count()
        if self._hope.is_lost(attempt) and attempt.error is not None and remaining:
            raise RunStoppedError(
                f"the first {STOP_AFTER} attempts all errored alike ({attempt.error.type}: "
                f"{attempt.error.detail!a}), {remaining} remain: stopped, nothing sealed; "
                "mend the agent or its settings, or run on with --keep-going"
            )

    def _recall(self) -> None:
        """Attempts of an earlier sitting count among the first; but who resumes a stopped run means it."""
        if self._store.count() < self._total and not self._hope.off:
            first = self._store.finished(STOP_AFTER)
            self._hope.recall([self._store.read(slot).attempt for slot in first])

    def _require_known(self) -> None:
        """Refuse a store that is not of this run: what it has would be counted, and could not be sealed."""
        for task_id in self._store.tasks():
            if task_id not in self._part.by_id:
                raise JournalError(
                    f"the journal holds attempts of task {task_id!a}, which is none of this run; "
                    "restore it from a copy, or start a new run"
                )

    def _discard_unfinished(self, session: OpenSession) -> None:
        """What a killed run left, an agent that still runs perhaps, must not disturb what is run now."""
        discard = getattr(self._adapter, "discard", None)
        if discard is None:
            return
        for task_id, index in self._store.unfinished():
            discard(specify(session, self._part.by_id[task_id], 0, index, self._seed).attempt_id)

    def _end(self) -> None:
        end_all()
        # Of the adapters whose attempts are no process groups of this process.
        if interrupt := getattr(self._adapter, "interrupt", None):
            interrupt()

    def _interrupted(self) -> list[Interrupted]:
        starts = self._store.interrupted()
        slots = ((task.id, index) for task in self._part.tasks for index in range(self._plan.n))
        return [
            Interrupted(task_id=slot[0], index=slot[1], starts=starts[slot])
            for slot in slots
            if slot in starts
        ]


def require_graders(plan: Plan, *, allowed: bool) -> None:
    """Refuse a plan whose attempts nobody could judge. ``allowed``: graders with code may be run.

    Raises:
        UsageError: it names graders with code, and they may not.
    """
    kinds = sorted(CODE_KINDS.intersection(plan.graders))
    if kinds and not allowed:
        raise UsageError(
            f"the suite judges by code of its own ({', '.join(kinds)} assertions), which runs with your "
            "rights: look at it, then allow it with --run-graders"
        )


def environment(concurrency: int) -> Environment:
    """The receipt's entry for a stage that runs here."""
    return Environment.model_validate(environment_facts(concurrency))


def specify(session: OpenSession, task: Task, position: int, index: int, seed: int) -> AttemptSpec:
    """The one identity that attempt ``index`` has in a session; ``position`` is its task's of those run."""
    return AttemptSpec(
        index=index,
        attempt_id=attempt_id(session.opening_hash, session.plan_hash_of(index), task.task_hash, index),
        run_id=f"{session.run}/{position}/{index}",
        seed=seed,
        attempt_seed=attempt_seed(seed, task.task_hash, index),
    )
