"""What a grader raises where neither true nor false would be honest."""

from passfloor.errors import PassfloorError


class CannotJudge(PassfloorError):  # noqa: N818 - it is a third answer of a grader, not a fault of the program
    """A grader has no verdict: what it needs was cut short, is no number, or is past what can be examined.

    The attempt is then errored, never passed and never merely wrong.
    """
