"""The one table of exit codes."""

from enum import IntEnum

from passfloor import errors


class Exit(IntEnum):
    """What the process says when it ends."""

    DONE = 0
    EVIDENCE_SAYS_NO = 1
    USAGE = 2
    POLICY = 3
    UNDECIDED = 4
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143


MEANINGS = {
    Exit.DONE: "done: a receipt was sealed, whatever its verdicts; MATCH; PASS; gate passed; consistent",
    Exit.EVIDENCE_SAYS_NO: "the evidence says no: rejected, coordination diverged, gate failed, regression",
    Exit.USAGE: "usage or bad input: an unknown suite, k > n, a malformed suite, a file that is missing",
    Exit.POLICY: "authentic and consistent, but a demanded policy or trust tier is not met",
    Exit.UNDECIDED: "could not tell: limit, unsupported version, environment fault, all errored, undecided",
    Exit.BUG: "a bug of passfloor itself",
    Exit.INTERRUPTED: "interrupted from the keyboard; finished attempts are kept, --resume goes on",
    Exit.BROKEN_PIPE: "the reader of our output went away",
    Exit.TERMINATED: "told to end by SIGTERM or SIGHUP; finished attempts are kept, --resume goes on",
}

_BY_ERROR: tuple[tuple[type[errors.PassfloorError], Exit], ...] = (
    (errors.UsageError, Exit.USAGE),
    (errors.PolicyError, Exit.POLICY),
    (errors.MalformedRunReceiptError, Exit.EVIDENCE_SAYS_NO),
    (errors.PassfloorError, Exit.UNDECIDED),
)

_BY_STATUS = {
    "MATCH": Exit.DONE,
    "PASS": Exit.DONE,
    "POLICY_FAILED": Exit.POLICY,
    "RESOURCE_LIMIT": Exit.UNDECIDED,
    "UNSUPPORTED": Exit.UNDECIDED,
    "UNDECIDED": Exit.UNDECIDED,
    "passed": Exit.DONE,
    "consistent": Exit.DONE,
    "undecided": Exit.UNDECIDED,
}


def of_error(error: errors.PassfloorError) -> Exit:
    """The exit code of an error."""
    return next(code for kind, code in _BY_ERROR if isinstance(error, kind))


def of_status(status: str) -> Exit:
    """The exit code of a status or a decision; every one that is not named is a rejection."""
    return _BY_STATUS.get(status, Exit.EVIDENCE_SAYS_NO)
