"""The output as text."""

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.patterns import found
from passfloor.grading.unjudged import CannotJudge
from passfloor.models.assertions import OutputContains, OutputEquals, OutputMatches, OutputNotContains


def whole_output(evidence: Evidence) -> str:
    """The output.

    Raises:
        CannotJudge: only its beginning was kept.
    """
    if evidence.stdout_cut:
        raise CannotJudge("the output was cut short")
    return evidence.stdout


def without_last_newline(text: str) -> str:
    r"""The text without the one "\n" or "\r\n" it may end with."""
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")


def same_text(actual: str, expected: str, *, exact: bool) -> bool:
    """Whether the texts are equal, one trailing newline of either set aside unless ``exact``."""
    if exact:
        return actual == expected
    return without_last_newline(actual) == without_last_newline(expected)


def output_equals(assertion: OutputEquals, evidence: Evidence) -> bool:
    """Whether the output is the expected text."""
    return same_text(whole_output(evidence), assertion.expected, exact=assertion.exact)


def output_contains(assertion: OutputContains, evidence: Evidence) -> bool:
    """Whether the text stands in the output."""
    return assertion.text in whole_output(evidence)


def output_not_contains(assertion: OutputNotContains, evidence: Evidence) -> bool:
    """Whether the text is missing from the output."""
    return assertion.text not in whole_output(evidence)


def output_matches(assertion: OutputMatches, evidence: Evidence) -> bool:
    """Whether the RE2 pattern is found; ``$`` is then the end before a trailing newline, unless ``exact``."""
    output = whole_output(evidence)
    return found(assertion.pattern, output if assertion.exact else without_last_newline(output))
