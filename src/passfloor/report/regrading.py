"""What grading again gave, in text and as the object of ``--json``."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from passfloor.report.escape import show
from passfloor.report.layout import counted, wrapped
from passfloor.report.rates import spelled
from passfloor.report.terminal import finding_lines
from passfloor.report.wording import VERDICTS
from passfloor.stats import percent

if TYPE_CHECKING:  # a verifier must not even load what can run an agent
    from passfloor.checking.regrade import Answer, GradedAgain, Regrading

REGRADINGS = {
    "PASS": "every verdict came out as sealed, every time",
    "UNDECIDED": "could not tell: a grader was not run, or did not keep to one answer",
}
"""What each outcome means, in one sentence; any other is a verification status."""

_MOST = 20
_WORDS = {True: "true", False: "false", None: "no answer"}


def regrading_report(outcome: "Regrading") -> str:
    """The verdict first, then what graders said, then whose disagreement it is."""
    status = outcome.status
    sentence = REGRADINGS.get(status) or VERDICTS[outcome.verification.status]
    lines = [f"regrade: {status}", *wrapped(sentence), *finding_lines(outcome.verification.findings), ""]
    declared = counted(outcome.declared, "answer")
    lines += wrapped(
        f"declared assertions: {declared}, pure functions of what is sealed: graded again they cannot flip",
        "",
        "  ",
    )
    lines += wrapped(_graders(outcome), "", "  ")
    lines += [line for text in _noise(outcome) for line in wrapped(text, "", "  ")]
    told = [text for each in outcome.graded for text in _attempts(each)]
    for text in told[:_MOST]:
        lines += wrapped(text, "  ", "    ")
    if len(told) > _MOST:
        lines.append(f"  and {len(told) - _MOST} more (--json lists all)")
    return "\n".join(lines)


def _graders(outcome: "Regrading") -> str:
    left = len(outcome.verification.attested)
    if not outcome.graded:
        if not left:
            return "graders with code: none in this receipt"
        verdicts = counted(left, "verdict")
        return f"graders with code: not run, {verdicts} stand on the signer's word (--run-graders)"
    answers = sum(len(each.answers) for each in outcome.graded)
    flipped, silent, contradicted = (
        sum(len(getattr(each, name)) for each in outcome.graded)
        for name in ("flipped", "silent", "contradicted")
    )
    return (
        f"graders with code: {counted(answers, 'answer')} graded {outcome.times} times each: {flipped} "
        f"flipped, {silent} without an answer, {contradicted} steady and otherwise than sealed"
    )


def _noise(outcome: "Regrading") -> Iterator[str]:
    noise = outcome.noise
    if noise is None:
        return
    yield f"grader noise: two gradings of one attempt differ {percent(noise.judge)}% of the time"
    if noise.between is None:
        return
    text = (
        f"between attempts: gradings of two attempts of a task differ {percent(noise.between)}% of the time"
    )
    if noise.share is not None:
        part = f"of that the graders alone explain {percent(noise.share)}%"
        text += f"; {part}, the agent the other {percent(1 - noise.share)}%"
    yield text


def _attempts(each: "GradedAgain") -> Iterator[str]:
    noted = {*each.flipped, *each.silent, *each.contradicted}
    for attempt in sorted(noted):
        said = ", ".join(f"{word} x{times}" for word, times in _counts(each.answers[attempt]).items())
        where = f"task {show(each.task_id)}, attempt {attempt}, assertions[{each.index}] ({each.kind})"
        yield f"{where}: sealed {_WORDS[each.sealed[attempt]]}, now {said}"


def _counts(said: "tuple[Answer, ...]") -> dict[str, int]:
    counts = Counter(said)
    return {word: counts[answer] for answer, word in _WORDS.items() if counts[answer]}


def regrading_document(outcome: "Regrading") -> dict[str, Any]:
    """What ``bench regrade`` found."""
    noise = outcome.noise
    return {
        "status": outcome.status,
        "verification": str(outcome.verification.status),
        "receipt_hash": outcome.verification.receipt_hash,
        "times": outcome.times,
        "declared": outcome.declared,
        "attested": len(outcome.verification.attested),
        **spelled(
            grader_disagreement=None if noise is None else noise.judge,
            attempt_disagreement=None if noise is None else noise.between,
            grader_share=None if noise is None else noise.share,
        ),
        "graded": [
            {
                "task_id": each.task_id,
                "assertion": each.index,
                "kind": each.kind,
                "attempts": [
                    {
                        "attempt": attempt,
                        "sealed": each.sealed[attempt],
                        "held": said.count(True),
                        "failed": said.count(False),
                        "no_answer": said.count(None),
                    }
                    for attempt, said in each.answers.items()
                ],
            }
            for each in outcome.graded
        ],
        "findings": [
            {"status": str(finding.status), "code": finding.code, "detail": finding.detail}
            for finding in outcome.verification.findings
        ],
    }
