"""The audit: make a few fresh attempts with the auditor's own agent, and test the claimed counts by them.

What is run is the operator's own adapter, never anything the receipt names. The attempts are new ones, under
ids and seeds that whoever sealed the receipt could not know.
"""

import random
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import BinaryIO

from passfloor.adapters.describe import AnyAdapter, describe
from passfloor.adapters.interface import AttemptSpec, is_attempt_adapter
from passfloor.canonical import digest
from passfloor.checking.again import plan_of
from passfloor.digests import attempt_seed
from passfloor.errors import UsageError
from passfloor.executors import local
from passfloor.grading import RunGrader
from passfloor.models.audit import AuditedAgent, AuditPower, Decision
from passfloor.models.plan import Plan
from passfloor.models.receipt import Attempt, ReceiptHead
from passfloor.models.suite import Suite, Task
from passfloor.running.worker import TaskBlock
from passfloor.scrubbing import Scrubber
from passfloor.stats.auditing import ALPHA, Comparison, Detection, Spot, compare_spots, deal
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.result import Verification
from passfloor.verification.verifier import verify
from passfloor.workspaces.groups import end_all

RUNS = 20
"""Of so many runs the best is taken, to say how often such a claim would be found."""

_MOST_DRAWS, _FEWEST_DRAWS, _DRAWN = 1000, 200, 600_000

FindAgent = Callable[[str, Sequence[Task]], tuple[AnyAdapter, Scrubber]]
"""Gives the auditor's own agent, told the suite's version and tasks, and what takes its secrets out."""


@dataclass(frozen=True)
class Sampling:
    """What is drawn.

    Attributes:
        budget: Fresh attempts in all, 1 or more.
        seed: Draws which tasks get the odd attempts, and seeds them.
        alpha: The chance with which an honest claim is found inconsistent, at most.
        suite: Tasks to run in place of the receipt's own, by id; None: its own.
        concurrency: Attempts side by side.
    """

    budget: int
    seed: int
    alpha: Fraction = ALPHA
    suite: Suite | None = None
    concurrency: int = 1


@dataclass(frozen=True)
class Sampled:
    """One task, and how its fresh attempts went."""

    task_id: str
    spot: Spot
    errored: int
    p_value: float | None = None
    against: bool = False


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes:
        verification: What the receipt itself gave.
        sampling: What was drawn.
        tasks: One a task of the receipt, in its order; empty where the receipt was refused.
        comparison: What the fresh attempts say; None where it was refused.
        power: What could have been found.
        agent: What was run.
        without_errors: Whether the claim holds where errored fresh attempts are set aside.
    """

    verification: Verification
    sampling: Sampling
    tasks: tuple[Sampled, ...] = ()
    comparison: Comparison | None = None
    power: AuditPower | None = None
    agent: AuditedAgent | None = None
    without_errors: bool = True

    @property
    def decision(self) -> Decision:
        """Whether the claim stands; ``undecided`` where too little was drawn, or errors alone speak."""
        if self.comparison is None or self.power is None:
            return "undecided"
        if not self.comparison.consistent:
            return "undecided" if self.without_errors and self.errored else "inconsistent"
        return "undecided" if self.power.least_drop is None or self.errored == self.attempts else "consistent"

    @property
    def attempts(self) -> int:
        """Fresh attempts in all."""
        return sum(each.spot.r for each in self.tasks)

    @property
    def passed(self) -> int:
        """How many of them passed."""
        return sum(each.spot.s for each in self.tasks)

    @property
    def errored(self) -> int:
        """How many of them did not finish."""
        return sum(each.errored for each in self.tasks)

    @property
    def same_agent(self) -> bool:
        """Whether what was run is, by its digest, what the receipt is about."""
        head = self.verification.head
        return head is not None and self.agent is not None and self.agent == claimed_agent(head)


Finished = Callable[[Task, Attempt], None]
"""Is told of each fresh attempt."""


def audit(
    stream: BinaryIO,
    inputs: Inputs,
    find_agent: FindAgent,
    sampling: Sampling,
    *,
    finished: Finished = lambda _task, _attempt: None,
    run_grader: RunGrader | None = None,
) -> Audit:
    """Verify the receipt in ``stream``, make fresh attempts of its tasks, and test its counts by them.

    Args:
        stream: The receipt, at its start.
        inputs: What verification needs.
        find_agent: Called once the receipt was found sound; nothing is run before.
        sampling: What is drawn.
        finished: Is told of each fresh attempt as it is over.
        run_grader: Runs the suite's graders with code; None: they are not run.

    Raises:
        UsageError: The tasks cannot be judged, or those given in their place do not have their ids.
    """
    claims = _Claims()
    verification = verify(stream, replace(inputs, observe=claims.take))
    outcome = Audit(verification, sampling)
    head = verification.head
    if not verification.matches or head is None:
        return outcome
    tasks = claims.tasks_to_run(sampling.suite)
    order = random.Random(sampling.seed).sample(range(len(tasks)), len(tasks))  # noqa: S311  # no secret
    shares = deal(len(tasks), sampling.budget, order)
    adapter, scrubber = find_agent(head.suite_version, tasks)
    about = describe(adapter)
    agent = AuditedAgent(adapter=about.key, adapter_digest=digest(about.identity))
    plan = _plan(head, sampling.suite)
    bench = _Bench(adapter, plan, scrubber, run_grader, sampling.seed, head.session.run)
    counts = _made(bench, tasks, shares, sampling.concurrency, finished)
    drawn = zip(claims.counts, shares, counts, strict=True)
    spots = [Spot(n, c, r, passed) for (n, c), r, (passed, _) in drawn]
    errors = [errored for _, errored in counts]
    return _judged(replace(outcome, agent=agent), head.k, [task.id for task in tasks], spots, errors)


def claimed_agent(head: ReceiptHead) -> AuditedAgent:
    """What a receipt is about."""
    return AuditedAgent(adapter=head.subject.adapter, adapter_digest=head.subject.adapter_digest)


def _judged(
    outcome: Audit, k: int, ids: Sequence[str], spots: Sequence[Spot], errors: Sequence[int]
) -> Audit:
    alpha = outcome.sampling.alpha
    found = compare_spots(spots, k, alpha)
    finished = [spot._replace(r=spot.r - errored) for spot, errored in zip(spots, errors, strict=True)]
    draws = min(_MOST_DRAWS, max(_FEWEST_DRAWS, _DRAWN // (len(spots) + sum(spot.r for spot in spots))))
    detection = Detection(k, alpha, draws)
    power = AuditPower(least_drop=detection.least_drop(spots), best_of_20=detection.of_the_best(spots, RUNS))
    told = zip(ids, spots, errors, found.tasks, strict=True)
    return replace(
        outcome,
        tasks=tuple(
            Sampled(name, spot, errored, p, against=at in found.against)
            for at, (name, spot, errored, p) in enumerate(told)
        ),
        comparison=found,
        power=power,
        without_errors=compare_spots(finished, k, alpha).consistent,
    )


class _Claims:
    """Keeps of every task what is claimed of it, as verification passes by."""

    def __init__(self) -> None:
        self.counts: list[tuple[int, int]] = []
        self._tasks: list[Task] = []

    def take(self, verified: VerifiedTask) -> None:
        attempts = verified.result["attempts"]
        self.counts.append((len(attempts), sum(attempt["passed"] for attempt in attempts)))
        self._tasks.append(verified.task)

    def tasks_to_run(self, suite: Suite | None) -> list[Task]:
        """Those of the receipt, or those of ``suite`` that have their ids."""
        if suite is None:
            for task in self._tasks:
                if any(assertion.kind == "imported" for assertion in task.assertions):
                    raise UsageError(
                        f"task {task.id!a} was imported: its assertions judge a log and no fresh attempt; "
                        "give the suite that its tasks come from with --tasks SUITE"
                    )
            return self._tasks
        given = {task.id: task for task in suite.tasks}
        if missing := [task.id for task in self._tasks if task.id not in given]:
            raise UsageError(
                f"the suite of --tasks has no task {missing[0]!a}, which the receipt counts "
                f"({len(missing)} of {len(self._tasks)} are missing); give one that has them all"
            )
        return [given[task.id] for task in self._tasks]


def _plan(head: ReceiptHead, suite: Suite | None) -> Plan:
    """The receipt's plan; where other tasks stand in, their assertions are judged by what judges now."""
    plan = plan_of(head)
    return plan if suite is None else plan.model_copy(update={"graders": {}, "completion_only": False})


@dataclass(frozen=True)
class _Bench:
    """What every fresh attempt is made with."""

    adapter: AnyAdapter
    plan: Plan
    scrubber: Scrubber
    run_grader: RunGrader | None
    seed: int
    run: str

    def attempts(self, task: Task, position: int, indices: Sequence[int]) -> Iterator[tuple[Task, Attempt]]:
        """The attempts of a task with these indices, in order."""
        block = TaskBlock(self.adapter, task, self.plan, self.scrubber, self.run_grader)
        for index in indices:
            spec = AttemptSpec(
                index=index,
                attempt_id=secrets.token_hex(32),
                run_id=f"{self.run}/{position}/{index}",
                seed=self.seed,
                attempt_seed=attempt_seed(self.seed, task.task_hash, index),
            )
            yield task, block.finish(spec).attempt

    def units(
        self, tasks: Sequence[Task], shares: Sequence[int]
    ) -> Iterator[local.Unit[tuple[Task, Attempt]]]:
        """One an attempt; of an adapter object whose call i is attempt i, one a task."""
        by_name = is_attempt_adapter(self.adapter)
        for position, (task, share) in enumerate(zip(tasks, shares, strict=True)):
            parts = [(index,) for index in range(share)] if by_name else [tuple(range(share))]
            yield from (partial(self.attempts, task, position, part) for part in parts)


def _made(
    bench: _Bench, tasks: Sequence[Task], shares: Sequence[int], concurrency: int, finished: Finished
) -> list[tuple[int, int]]:
    """Of each task, how many fresh attempts passed and how many errored."""
    seen: dict[str, Counter[str]] = {task.id: Counter() for task in tasks}

    def report(made: tuple[Task, Attempt]) -> None:
        task, attempt = made
        seen[task.id][attempt.outcome] += 1
        finished(task, attempt)

    def end() -> None:
        end_all()
        if interrupt := getattr(bench.adapter, "interrupt", None):
            interrupt()

    spread = local.Spread[tuple[Task, Attempt]](keep=lambda _: None, report=report, end=end)
    local.run(bench.units(tasks, shares), concurrency, spread)
    return [(seen[task.id]["passed"], seen[task.id]["errored"]) for task in tasks]
