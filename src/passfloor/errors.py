"""The error tree: one root, and one line a person can act on.

A *finding* ("this receipt is forged") is a value and never an exception. What stands here are the cases
in which there is nothing to judge: a file that cannot be read, a malformed suite, a run that had to stop.

Every message is a single line that names the value, the limit it broke and what to do next. The process exit
code of each class is decided in one place, ``passfloor.cli.exits``.
"""

from typing import Literal


class PassfloorError(Exception):
    """Root of every error this package raises on purpose. ``str(error)`` is one line for a person."""


class UsageError(PassfloorError):
    """The caller asked for something impossible: an unknown name, k > n, a file that is not there."""


class SuiteError(UsageError):
    """A suite is malformed or cannot be read."""


class ImportRefused(UsageError):  # noqa: N818 - it is what happened to the log
    """A foreign log cannot be read as attempts. One line: what was expected, what was found, what to do."""


class KeyFileError(UsageError):
    """A key cannot be read, is of an unsupported kind, or is too weak to be trusted."""


class JsonError(PassfloorError):
    """Bytes are not strict JSON, or a value has no canonical form.

    Attributes:
        code: ``parse`` (not I-JSON, RFC 7493), ``nonfinite`` (would be JSON but for NaN or an infinity) or
            ``depth`` (nested too deep), ``nodes`` or ``size`` (a resource limit was passed before anything
            was parsed).
    """

    def __init__(
        self, message: str, *, code: Literal["parse", "nonfinite", "depth", "nodes", "size"] = "parse"
    ) -> None:
        super().__init__(message)
        self.code = code


class MalformedRunReceiptError(PassfloorError):
    """An adapter object returned a run receipt that breaks the schema. Names task, attempt and field."""


class EnvironmentFault(PassfloorError):  # noqa: N818 - EnvironmentError is a name of Python's own
    """The machine, not the evidence, stands in the way: disk full, permission denied, no memory."""


class RunStoppedError(PassfloorError):
    """A run was stopped before all its attempts; nothing is sealed."""


class PolicyError(PassfloorError):
    """Authentic and consistent, but a demanded policy is not met."""


class JournalError(UsageError):
    """A run's journal or the ledger is damaged, or does not allow what is asked. Names file and line."""
