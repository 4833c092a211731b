"""Runs any program as the agent: a fresh folder, a short environment, the prompt on standard input."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passfloor.adapters.agent_journal import JournalLines, JournalTail, read_journal
from passfloor.adapters.attempts import DEFAULT_TIMEOUT_S, task_document
from passfloor.adapters.closing import Leavings, close
from passfloor.adapters.environment import agent_environment
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.local import Kept, LocalAttempts, put_task
from passfloor.adapters.words import missing_program, resolve
from passfloor.errors import EnvironmentFault
from passfloor.models.suite import Task
from passfloor.workspaces.capture import capture_files
from passfloor.workspaces.folder import AttemptFolder
from passfloor.workspaces.groups import Ended, run_group

if TYPE_CHECKING:
    from passfloor.recording.attempts import AttemptRecording

# What is wrong with this machine rather than with the agent when a process cannot be started.
_MACHINE_ERRORS = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})


class ProcessAdapter(LocalAttempts):
    """Drives a program, one fresh folder and one process group an attempt.

    It holds the variables that are let through, and nothing else of the environment. It may be copied,
    pickled and used from several threads.

    Attributes:
        key: The adapter's name in the receipt.
        notes: Sentences for the operator: words that are passed as absolute paths, folders that were kept or
            could not be removed.
        observer: Told how each program ended, with what it read and left running; None: nobody looks.
        recording: Records model calls; None where they are not recorded.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Sequence[str] = (),
        timeout_s: float = DEFAULT_TIMEOUT_S,
        workspace_root: Path | None = None,
        keep_workspaces: Kept | None = None,
        environ: Mapping[str, str] | None = None,
        start_folder: Path | None = None,
        key: str = "process",
    ) -> None:
        """Fix how the agent is invoked.

        Args:
            argv: The program and its words; names of existing files and folders become absolute paths.
            env: Names of variables to let through.
            timeout_s: Seconds an attempt has where its task does not say.
            workspace_root: Where attempts' folders are made; default: the system's temporary folder.
            keep_workspaces: Which folders stay: of attempts that did not pass, all, or none.
            environ: Where variables are looked up; default: this process's environment.
            start_folder: From where relative names are seen; default: the current folder.
            key: The adapter's name in the receipt.

        Raises:
            UsageError: No program, a variable that is never let through, or no positive time.
        """
        environ = os.environ if environ is None else environ
        super().__init__(
            env=env,
            timeout_s=timeout_s,
            workspace_root=workspace_root,
            keep_workspaces=keep_workspaces,
            environ=environ,
        )
        self.key = key
        self._words = resolve(argv, environ, Path.cwd() if start_folder is None else start_folder.absolute())
        self.notes += self._words.notes
        self.observer: Callable[[Ended], None] | None = None

    def check(self) -> None:
        """Look for the program, the variables and the folder for the attempts.

        Raises:
            UsageError: One of them is missing.
        """
        if not self._words.found or not os.access(self._words.argv[0], os.X_OK):
            raise missing_program(self._words)
        super().check()

    def identity(self) -> dict[str, Any]:
        """``{adapter, argv, env}``: each word, files by digest, and the names of the variables let through.

        Raises:
            EnvironmentFault: A file of the command cannot be read.
        """
        return {"adapter": self.key, "argv": self.identity_argv(), "env": list(self._env)}

    def identity_argv(self) -> list[Any]:
        """The words of the command for ``identity``."""
        return self._words.named()

    def _events(self, task: Task, attempt: AttemptSpec, folder: AttemptFolder) -> list[dict[str, Any]]:
        put_task(folder, task_document(task))
        tail = JournalTail(folder.journal)
        recording = self.recording
        recorded = (
            nullcontext()
            if recording is None
            else recording.attempt(attempt.attempt_id, str(folder.path), tail.read)
        )
        with recorded as recorder:
            left = self._run(task, attempt, folder, recorder, tail)
            words = {str(folder.path): "${attempt}", attempt.attempt_id: "${attempt_id}"}
            events = close(task, attempt.seed, left, words)
            return events if recorder is None else recorder.seal(events)

    def _run(
        self,
        task: Task,
        attempt: AttemptSpec,
        folder: AttemptFolder,
        recorder: "AttemptRecording | None",
        tail: JournalTail,
    ) -> Leavings:
        timeout_s = self._seconds(task)
        ended: Ended | None = None
        spawn_fault = ""
        try:
            ended = run_group(
                self._words.argv,
                cwd=folder.work,
                env=agent_environment(self._passed, task, attempt, folder, recorder),
                stdin=task.description.encode(),
                timeout_s=timeout_s,
                attempt_id=attempt.attempt_id,
                watch=self.observer is not None,
            )
        except OSError as error:
            if error.errno in _MACHINE_ERRORS:
                raise EnvironmentFault(f"no process can be started ({error.strerror})") from error
            spawn_fault = f"{Path(self._words.argv[0]).name} cannot be started: {error.strerror}"
        if ended is not None and self.observer is not None:
            self.observer(ended)
        files = capture_files(folder.work)
        if recorder is None:
            return Leavings(ended, spawn_fault, files, read_journal(folder.journal), timeout_s)
        taken = recorder.finish()
        return Leavings(ended, spawn_fault, files, JournalLines(fault=tail.fault), timeout_s, taken)
