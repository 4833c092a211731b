"""The second pass: graders with code are asked again, once the first found everything else in order.

The receipt is read again rather than held. What is given to a grader is what the first pass judged: each
attempt is compared with the digest it had then.
"""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from passfloor.canonical import digest
from passfloor.errors import EnvironmentFault, JsonError
from passfloor.grading import CannotJudge, Evidence, RunGrader
from passfloor.grading.sealed_word import SealedWord, could_not_judge, sealed_answer
from passfloor.models.assertions import CODE_KINDS, Assertion
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.receipts import LayoutError, LineReader, WholeReader
from passfloor.verification.findings import Finding
from passfloor.verification.steps import verdicts
from passfloor.verification.tasks import Bench, derive

_EVIDENCE = 15
"""The last step about the receipt itself; what follows are policies."""


@dataclass
class Due:
    """The attempts of a receipt whose verdicts are in part the signer's word, with what they were.

    Attributes:
        bench: What they are judged with.
        run: Asks the graders with code; None: nobody does, and nothing is due.
        tasks: Position of the task result -> its task, and position of the attempt -> SHA-256 of its RFC 8785
            form.
    """

    bench: Bench
    run: RunGrader | None
    tasks: dict[int, tuple[Task, dict[int, str]]] = field(default_factory=dict)

    def add(self, where: int, task: Task, attempts: Sequence[Any], indices: Sequence[int]) -> None:
        """Note the attempts of one task result as read, by their indices."""
        if self.run is None:
            return
        wanted = set(indices)
        digests = {
            slot: digest(attempt) for slot, attempt in enumerate(attempts) if attempt["index"] in wanted
        }
        if digests:
            self.tasks[where] = task, digests


@dataclass
class Rerun:
    """What the second pass gave.

    Attributes:
        findings: Where a grader says otherwise than the receipt.
        attested: Task id and index of the attempts whose verdict is still in part the signer's word.
        changed: Position of the task result -> its attempts' outcomes as sealed and as derived now.
        evaluated: How many answers of graders were derived again.
    """

    findings: list[Finding] = field(default_factory=list)
    attested: list[tuple[str, int]] = field(default_factory=list)
    changed: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    evaluated: int = 0


def is_sound(findings: Sequence[Finding]) -> bool:
    """Whether a receipt with these findings is one whose graders may be run: steps 0 to 15 found nothing."""
    return all(finding.step > _EVIDENCE for finding in findings)


def run_graders(reopened: Callable[[], LineReader | WholeReader], due: Due, run: RunGrader) -> Rerun:
    """Ask the graders of the attempts that are due.

    Raises:
        EnvironmentFault: the receipt is not what it was; or a grader cannot be run on this machine.
    """
    rerun = Rerun()
    left = dict(due.tasks)
    try:
        for where, parsed in enumerate(reopened().tasks()):
            task, digests = left.pop(where, (None, {}))
            for slot, wanted in digests.items():
                read = _same(parsed.value, slot, wanted)
                assert task is not None  # noqa: S101  # it has attempts
                _ask(due.bench, task, read, (where, slot), run, rerun)
    except (JsonError, LayoutError):
        raise _changed() from None
    if left:
        raise _changed()
    return rerun


def _same(result: Any, slot: int, wanted: str) -> Mapping[str, Any]:
    attempts = result.get("attempts") if isinstance(result, dict) else None
    read = attempts[slot] if isinstance(attempts, list) and slot < len(attempts) else None
    if not isinstance(read, dict) or digest(read) != wanted:
        raise _changed()
    return read


def _changed() -> EnvironmentFault:
    return EnvironmentFault("the receipt was changed while it was verified: verify it again")


def _ask(
    bench: Bench, task: Task, read: Mapping[str, Any], place: tuple[int, int], run: RunGrader, rerun: Rerun
) -> None:
    attempt = Attempt.model_validate(read)
    answers = _Answers(task, attempt, run)
    path = f"task_results[{place[0]}].attempts[{place[1]}]"
    verdict = derive(bench, read["receipt"], task, answers)
    assert verdict is not None  # noqa: S101  # the first pass derived one from the same attempt
    rerun.findings += verdicts.check(attempt, verdict, task.id, path)
    rerun.evaluated += answers.evaluated
    if answers.word.asked:
        rerun.attested.append((task.id, attempt.index))
    if verdict.outcome != attempt.outcome:
        rerun.changed.setdefault(place[0], []).append((attempt.outcome, verdict.outcome))


class _Answers:
    """Runs what can be run, and takes the sealed word where that gives no answer to hold against it.

    A grader that is said to have given no answer is asked too: nothing is held against the receipt then, but
    whoever runs it may count what it says.
    """

    def __init__(self, task: Task, attempt: Attempt, run: RunGrader) -> None:
        self._task = task
        self._attempt = attempt
        self._run = run
        self.word = SealedWord(attempt)
        self.evaluated = 0

    def __call__(self, index: int, assertion: Assertion, evidence: Evidence) -> bool:
        attempt = self._attempt
        silent = could_not_judge(attempt, index)
        answer = None
        if evidence.withheld:
            # Code that is shown less than was judged would answer about something else.
            return self.word(index, assertion, evidence)
        answered = silent or sealed_answer(attempt, index, assertion.kind) is not None
        if assertion.kind in CODE_KINDS and answered:
            with contextlib.suppress(CannotJudge):
                answer = self._run(self._task, attempt.index, index, evidence)
        if answer is None or silent:
            return self.word(index, assertion, evidence)
        self.evaluated += 1
        return answer
