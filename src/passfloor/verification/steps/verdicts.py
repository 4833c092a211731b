"""Step 12: what the evidence says about each attempt, against what the receipt says."""

from collections.abc import Iterator, Sequence

from passfloor.canonical import canonical, equal
from passfloor.grading import Verdict
from passfloor.models.receipt import Attempt
from passfloor.verification.findings import Finding

_MOST_SHOWN = 200


def check(attempt: Attempt, derived: Verdict, task_id: str, path: str) -> Iterator[Finding]:
    """Compare the sealed verdict, member by member, with the one derived from the attempt's own events."""

    def finding(code: str, claimed: object, found: object, member: str) -> Finding:
        detail = f"claims {_text(claimed)}, the evidence gives {_text(found)}"
        return Finding(12, code, detail, task_id, attempt.index, f"{path}.{member}")

    if attempt.outcome != derived.outcome:
        yield finding("outcome", attempt.outcome, derived.outcome, "outcome")
    error = None if attempt.error is None else attempt.error.model_dump()
    if error != derived.error:
        yield finding("outcome", error, derived.error, "error")
    if attempt.passed is not derived.passed:
        yield finding("passed", attempt.passed, derived.passed, "passed")
    if not _same(attempt.score, derived.score):
        yield finding("score", attempt.score, derived.score, "score")
    if not _same(attempt.harness_output, derived.harness_output):
        yield finding("harness_output", attempt.harness_output, derived.harness_output, "harness_output")


def check_attested(attested: Sequence[tuple[str, int]], attempts: int, *, allowed: bool) -> Iterator[Finding]:
    """Step 16: verdicts that nobody evaluated here count only where the relying party says so.

    Args:
        attested: Task id and index of each attempt with such a verdict.
        attempts: How many attempts there are.
        allowed: It does.
    """
    if attested and not allowed:
        task_id, index = attested[0]
        detail = (
            f"{len(attested)} of {attempts} verdicts are in part the signer's word: a grader with code was "
            "not run here or gave no answer, or what was judged is kept as a digest alone; --run-graders "
            "runs such graders once the signature is checked, --allow-attested accepts the word"
        )
        yield Finding(16, "attested_verdict", detail, task_id, index, "task_results")


def _text(value: object) -> str:
    """The value as JSON, alike whatever the order of its members; long ones by their beginning."""
    words = canonical(value).decode()
    return words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN]}..."


def _same(claimed: object, derived: object) -> bool:
    """Whether two JSON values are equal. One spelling in Python is one value, and quicker to compare."""
    return repr(claimed) == repr(derived) or equal(claimed, derived)
