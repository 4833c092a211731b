"""What a grader raises where neither true nor false would be honest, or where nobody here can say which."""

from passfloor.errors import PassfloorError


class CannotJudge(PassfloorError):  # noqa: N818 - it is a third answer of a grader, not a fault of the program
    """A grader has no verdict: what it needs was cut short, is no number, or is past what can be examined.

    The attempt is then errored, never passed and never merely wrong.
    """


class DidNotFinish(PassfloorError):  # noqa: N818 - likewise
    """The evidence says that the attempt did not finish: the record of another tool, imported.

    Attributes:
        error: ``{"type", "detail"}`` of the attempt.
    """

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(f"{error['type']}, {error['detail']}")
        self.error = error


class Attested(PassfloorError):  # noqa: N818 - likewise
    """What the assertion is about cannot be evaluated from this evidence by a pure function.

    Its grader is code, which only somebody who may run it can ask; or what it would look at is kept as a
    digest alone. The attempt's sealed verdict is then its signer's word, unless somebody else evaluates the
    assertion: see ``passfloor.grading.grade.Elsewhere``. ``str`` of it is the reason, in a few words.
    """
