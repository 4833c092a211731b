"""What the adapters share whose attempts run on this machine, each in a fresh folder."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from passfloor.adapters.attempts import NamedAttempts, check_timeout
from passfloor.adapters.environment import check_names, passed_on
from passfloor.adapters.interface import AttemptSpec
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.models.suite import Task
from passfloor.workspaces.folder import (
    AttemptFolder,
    attempt_folder,
    default_root,
    remove_leftover,
    write_new,
)
from passfloor.workspaces.strays import end_strays

if TYPE_CHECKING:
    from passfloor.recording.attempts import Recording

Kept = Literal["failed", "all"]
"""Which attempts' folders stay: of those that did not pass, or all."""


class LocalAttempts(NamedAttempts):
    """Makes an attempt's folder, has the attempt run in it, and puts it away.

    It holds the variables that are let through, and nothing else of the environment.

    Attributes:
        timeout_s: Seconds an attempt has where its task does not say.
        notes: Sentences for the operator: folders that were kept or could not be removed.
        recording: Records model calls; None where they are not recorded.
    """

    def __init__(
        self,
        *,
        env: Sequence[str],
        timeout_s: float,
        workspace_root: Path | None,
        keep_workspaces: Kept | None,
        environ: Mapping[str, str],
    ) -> None:
        """Fix what every attempt gets.

        Args:
            env: Names of variables to let through.
            timeout_s: Seconds an attempt has where its task does not say.
            workspace_root: Where attempts' folders are made; default: the system's temporary folder.
            keep_workspaces: Which folders stay; None: none.
            environ: Where variables are looked up.

        Raises:
            UsageError: A variable that is never let through, or no positive time.
        """
        super().__init__()
        check_names(env)
        self.timeout_s = check_timeout(timeout_s)
        self.notes: list[str] = []
        self.recording: Recording | None = None
        self._env = tuple(sorted(set(env)))
        self._passed = passed_on(self._env, environ)
        self._root = default_root() if workspace_root is None else workspace_root.resolve()
        self._keep = keep_workspaces

    def record(self, recording: "Recording") -> None:
        """Record the model calls of every attempt from here on; ``close`` ends it."""
        self.recording = recording

    def close(self) -> None:
        """Let go of what is kept ready for further attempts."""
        if self.recording is not None:
            self.recording.close()

    def check(self) -> None:
        """Look for the variables and the folder for the attempts.

        Raises:
            UsageError: One of them is missing.
        """
        if missing := [name for name in self._env if name not in self._passed]:
            raise UsageError(f"the variable {missing[0]} is not set; set it or leave --env {missing[0]} out")
        if not self._root.is_dir() or not os.access(self._root, os.W_OK | os.X_OK):
            raise UsageError(
                f"{self._root} is not a folder that can be written; name one by --workspace-root"
            )

    def options(self) -> dict[str, Any]:
        """The time-out."""
        return {"timeout_s": self.timeout_s}

    def variables(self) -> dict[str, str]:
        """Name -> value of the variables that reach the agent: where a run looks for secrets."""
        return dict(self._passed)

    def run_attempt(
        self,
        task: Task,
        attempt: AttemptSpec,
        scheduler_config: Mapping[str, Any],  # noqa: ARG002  # of the agent's scheduler, which has none here
    ) -> dict[str, Any]:
        """Run one attempt.

        Raises:
            EnvironmentFault: Its folder exists or cannot be made, or the machine is out of something.
            UsageError: The task's starting files exclude each other on this disk.
        """
        folder = attempt_folder(self._root, attempt.attempt_id, task.file_bytes)
        keep = False
        try:
            receipt = {"events": self._events(task, attempt, folder)}
            keep = self._is_kept(task, receipt)
        finally:
            self._put_away(folder, keep=keep)
        return receipt

    def discard(self, attempt_id: str) -> None:
        """End and remove what a killed run left of an attempt, so that it can be run again.

        Raises:
            EnvironmentFault: Its folder could not be removed.
        """
        end_strays(attempt_id)
        remove_leftover(self._root, attempt_id)

    def _events(self, task: Task, attempt: AttemptSpec, folder: AttemptFolder) -> list[dict[str, Any]]:
        """The events of the attempt, run in ``folder``."""
        raise NotImplementedError

    def _seconds(self, task: Task) -> float:
        """What an attempt of the task has."""
        return self.timeout_s if task.timeout_s is None else float(task.timeout_s)

    def _is_kept(self, task: Task, receipt: Mapping[str, Any]) -> bool:
        if self._keep != "failed":
            return self._keep == "all"
        if receipt["events"][-1]["kind"] == "attempt.errored":
            return True
        return bool(task.assertions) and not self.score_task(task, receipt)[0]

    def _put_away(self, folder: AttemptFolder, *, keep: bool) -> None:
        if keep:
            self.notes.append(f"{folder.path} was kept")
            return
        try:
            folder.remove()
        except EnvironmentFault as fault:
            # The evidence is complete; a leftover is no reason to lose it.
            self.notes.append(str(fault))


def put_task(folder: AttemptFolder, document: bytes) -> None:
    """Write the task where the agent may read it.

    Raises:
        EnvironmentFault: The disk is full or failing.
    """
    try:
        write_new(folder.task, document)
    except OSError as error:
        raise EnvironmentFault(f"{folder.task} cannot be written ({error.strerror})") from error
