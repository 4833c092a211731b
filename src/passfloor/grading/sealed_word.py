"""An attempt's sealed verdict, taken at its word for the assertions that nobody evaluates again."""

from passfloor.grading.evidence import Evidence
from passfloor.grading.grade import grader_error
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import Assertion
from passfloor.models.receipt import Attempt


class SealedWord:
    """Answers with what the attempt says of an assertion; ``passfloor.grading.grade.Elsewhere``.

    The verdict that is then derived differs from the sealed one wherever the sealed one contradicts the
    evidence, the assertions beside, or itself: what is no answer counts as false.

    Attributes:
        asked: The positions of the assertions it was asked about, in order.
    """

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self.asked: list[int] = []

    def __call__(self, index: int, assertion: Assertion, _evidence: Evidence) -> bool:
        """What is sealed.

        Raises:
            CannotJudge: it is sealed that this assertion could not be judged.
        """
        self.asked.append(index)
        answer = sealed_answer(self._attempt, index, assertion.kind)
        if answer is None and could_not_judge(self._attempt, index):
            raise CannotJudge("so it is sealed")
        return answer is True


def sealed_answer(attempt: Attempt, index: int, kind: str) -> bool | None:
    """What the attempt says of its assertion at ``index``, of that kind; None where it says nothing."""
    listed = attempt.harness_output.get("assertions")
    entry = listed[index] if isinstance(listed, list) and index < len(listed) else None
    if not isinstance(entry, dict) or entry.get("kind") != kind:
        return None
    passed = entry.get("passed")
    return passed if isinstance(passed, bool) else None


def could_not_judge(attempt: Attempt, index: int) -> bool:
    """Whether the attempt says that its assertion at ``index`` could not be judged."""
    return attempt.error is not None and attempt.error.model_dump() == grader_error(index)
