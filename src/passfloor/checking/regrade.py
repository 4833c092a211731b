"""Grading sealed outputs again: is it the agent that is unsteady, or the grader?

The receipt is verified first. Declared assertions are pure functions of what is sealed and cannot answer
twice in two ways; graders with code can, and are asked again, attempt by attempt.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from passfloor.errors import UsageError
from passfloor.grading import CannotJudge, Evidence
from passfloor.models.assertions import CODE_KINDS
from passfloor.models.suite import Task
from passfloor.stats import Disagreement, disagreement
from passfloor.verification.findings import Status
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.result import Verification
from passfloor.verification.verifier import verify

MOST_TIMES = 1000
"""How often an attempt can be graded again."""

Ask = Callable[[Task, int, Evidence], bool]
"""Asks a grader with code once: the task, the assertion's position and the evidence in; the answer out. May
raise ``CannotJudge``."""

Answer = bool | None
"""What a grader said; None: nothing to rely on."""


@dataclass(frozen=True)
class GradedAgain:
    """One assertion of one task.

    Attributes:
        task_id: The task.
        index: The assertion's position.
        kind: Its kind.
        sealed: Attempt -> what is sealed of it.
        answers: Attempt -> what its grader said now, each time.
    """

    task_id: str
    index: int
    kind: str
    sealed: dict[int, Answer] = field(default_factory=dict)
    answers: dict[int, tuple[Answer, ...]] = field(default_factory=dict)

    @property
    def flipped(self) -> list[int]:
        """The attempts that it judged in more than one way."""
        return [attempt for attempt, said in self.answers.items() if len(set(said)) > 1]

    @property
    def silent(self) -> list[int]:
        """The attempts on which it never had an answer."""
        return [attempt for attempt, said in self.answers.items() if set(said) == {None}]

    @property
    def contradicted(self) -> list[int]:
        """The attempts that it judged in one way, and otherwise than is sealed."""
        steady = [attempt for attempt, said in self.answers.items() if len(set(said)) == 1]
        return [attempt for attempt in steady if self.answers[attempt][0] is not self.sealed[attempt]]


@dataclass(frozen=True)
class Regrading:
    """What came of it.

    Attributes:
        verification: Of the receipt; what is not sound is not graded again.
        times: How often each attempt was graded.
        declared: How many answers of declared assertions stand in the receipt.
        graded: The assertions whose graders are code, in order.
    """

    verification: Verification
    times: int
    declared: int
    graded: tuple[GradedAgain, ...] = ()

    @property
    def unsteady(self) -> bool:
        """Whether a grader answered in more than one way, had no answer, or was told otherwise once."""
        return any(each.flipped or each.silent or each.contradicted for each in self.graded)

    @property
    def status(self) -> str:
        """``PASS``: every verdict came out as sealed, every time; ``UNDECIDED``; or what verify says."""
        found = self.verification.status
        others = {finding.code for finding in self.verification.findings} - {"attested_verdict"}
        if others or found not in (Status.MATCH, Status.POLICY_FAILED):
            return str(found)
        return "UNDECIDED" if self.unsteady or self.verification.attested else "PASS"

    @property
    def noise(self) -> Disagreement | None:
        """How often graders disagree with themselves, and attempts with each other; None: none was asked."""
        rows = [[*each.answers.values()] for each in self.graded if each.answers]
        return disagreement(rows) if rows else None


def regrade(stream: BinaryIO, inputs: Inputs, ask: Ask | None, times: int) -> Regrading:
    """Verify the receipt in ``stream`` and ask its graders with code again.

    Args:
        stream: The receipt, at its start.
        inputs: What verification needs; who runs graders is taken from ``ask``.
        ask: Asks a grader once; None: graders with code are not run.
        times: How often each is asked about each attempt, 2 to 1,000.

    Raises:
        UsageError: no suite is known for the receipt; or ``times`` is out of range.
        EnvironmentFault: a grader cannot be run on this machine.
    """
    if not 2 <= times <= MOST_TIMES:
        raise UsageError(
            f"--times {times}: noise shows in 2 gradings at least, and {MOST_TIMES} are the most"
        )
    book = _Book(ask, times)
    run = None if ask is None else book.run
    verification = verify(stream, replace(inputs, observe=book.take, run_grader=run))
    return Regrading(verification, times, book.declared, tuple(book.graded()))


class _Book:
    """Keeps what graders said, and hands on what they agree on."""

    def __init__(self, ask: Ask | None, times: int) -> None:
        self._ask = ask
        self._times = times
        self._made: dict[tuple[str, int], GradedAgain] = {}
        self._sealed: dict[tuple[str, int, int], Answer] = defaultdict(lambda: None)
        self.declared = 0

    def take(self, verified: VerifiedTask) -> None:
        """Note what is sealed of a task, not knowing yet whether the receipt is sound."""
        for attempt in verified.result["attempts"]:
            listed = attempt["harness_output"].get("assertions")
            for index, entry in enumerate(listed if isinstance(listed, list) else ()):
                if not isinstance(entry, dict) or type(entry.get("passed")) is not bool:
                    continue
                if entry.get("kind") in [*CODE_KINDS]:
                    self._sealed[verified.task.id, attempt["index"], index] = entry["passed"]
                else:
                    self.declared += 1

    def run(self, task: Task, attempt: int, index: int, evidence: Evidence) -> bool:
        """Ask as often as wanted; ``passfloor.grading.RunGrader``."""
        said = tuple(self._once(task, index, evidence) for _ in range(self._times))
        key = task.id, index
        made = self._made.setdefault(key, GradedAgain(*key, task.assertions[index].kind))
        made.answers[attempt] = said
        made.sealed[attempt] = self._sealed[task.id, attempt, index]
        first = said[0]
        if first is None or len(set(said)) > 1:
            raise CannotJudge("asked again, it did not keep to one answer")
        return first

    def _once(self, task: Task, index: int, evidence: Evidence) -> Answer:
        assert self._ask is not None  # noqa: S101  # nobody is asked without
        try:
            return self._ask(task, index, evidence)
        except CannotJudge:
            return None

    def graded(self) -> Iterator[GradedAgain]:
        """What was graded again, in the receipt's order."""
        yield from self._made.values()
