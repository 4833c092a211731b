"""What is wrong with an assertion before any attempt is made."""

from passfloor.grading.kinds.json_values import pointer_tokens
from passfloor.grading.kinds.patterns import compiled
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import Assertion, CallCount, JsonPath, JsonSchema, OutputMatches


def fault_of(assertion: Assertion) -> str | None:
    """Why no evidence could ever be judged by the assertion, in one line; None where nothing is wrong."""
    try:
        if isinstance(assertion, OutputMatches):
            compiled(assertion.pattern)
        elif isinstance(assertion, JsonPath):
            pointer_tokens(assertion.pointer)
        elif isinstance(assertion, JsonSchema):
            from passfloor.grading.kinds.schema_engine import validator_of

            validator_of(assertion.schema_)
        elif isinstance(assertion, CallCount) and assertion.max is not None and assertion.max < assertion.min:
            return f"max {assertion.max} is below min {assertion.min}"
    except CannotJudge as error:
        return str(error)
    return None
