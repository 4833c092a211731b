"""Notices a run that is to record model calls and records none."""

from dataclasses import dataclass, field

from passfloor.errors import UsageError
from passfloor.models.receipt import Attempt
from passfloor.models.suite import Task
from passfloor.projection.vocabulary import ANSWER, ASKED

_CALLS = frozenset({ANSWER, ASKED})


@dataclass
class Silence:
    """Watches the attempts of the first task.

    Attributes:
        task: The first one that is run.
        n: How many attempts it has.
        off: Nothing is watched for.
    """

    task: Task
    n: int
    off: bool = False
    _seen: int = field(default=0, init=False)
    _finished: int = field(default=0, init=False)

    def note(self, attempt: Attempt) -> None:
        """Look at a finished attempt.

        Raises:
            UsageError: All attempts of the first task are there, at least one did not err, and no call was
                recorded in any.
        """
        if self.off or attempt.task_id != self.task.id:
            return
        self._seen += 1
        self._finished += attempt.error is None
        if any(event.get("kind") in _CALLS for event in attempt.receipt.events):
            self.off = True
        elif self._seen == self.n and self._finished:
            raise UsageError(
                f"no model call reached the proxy in {self._seen} attempts of task {self.task.id!a}: "
                "does the agent read OPENAI_BASE_URL or ANTHROPIC_BASE_URL? "
                "point its client there, or leave --record out"
            )
