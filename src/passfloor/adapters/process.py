"""Runs any program as the agent: a fresh folder, a short environment, the prompt on standard input."""

import errno
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from passfloor.adapters.agent_journal import JournalLines, JournalTail, read_journal
from passfloor.adapters.calls import CallCounter
from passfloor.adapters.closing import Leavings, close
from passfloor.adapters.environment import agent_environment, check_names, passed_on
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.words import missing_program, resolve
from passfloor.digests import attempt_seed
from passfloor.errors import EnvironmentFault, UsageError
from passfloor.grading import DeclaredScorer
from passfloor.models.suite import MAX_TIMEOUT_S, Task
from passfloor.workspaces.capture import capture_files
from passfloor.workspaces.folder import (
    AttemptFolder,
    attempt_folder,
    default_root,
    remove_leftover,
    write_new,
)
from passfloor.workspaces.groups import Ended, run_group
from passfloor.workspaces.strays import end_strays

if TYPE_CHECKING:
    from passfloor.recording.attempts import AttemptRecording, Recording

DEFAULT_TIMEOUT_S = 300.0
# What is wrong with this machine rather than with the agent when a process cannot be started.
_MACHINE_ERRORS = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC})


class ProcessAdapter(DeclaredScorer):
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
        keep_workspaces: Literal["failed", "all"] | None = None,
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
        super().__init__()
        check_names(env)
        if not 0 < timeout_s <= MAX_TIMEOUT_S:
            raise UsageError(f"the time-out is {timeout_s} s; give more than 0 and at most {MAX_TIMEOUT_S} s")
        environ = os.environ if environ is None else environ
        self.key = key
        self.timeout_s = timeout_s
        self._env = tuple(sorted(set(env)))
        self._passed = passed_on(self._env, environ)
        self._words = resolve(argv, environ, Path.cwd() if start_folder is None else start_folder.absolute())
        self._root = default_root() if workspace_root is None else workspace_root.resolve()
        self._keep = keep_workspaces
        self._calls = CallCounter()
        self.recording: Recording | None = None
        self.notes = list(self._words.notes)
        self.observer: Callable[[Ended], None] | None = None

    def record(self, recording: "Recording") -> None:
        """Record the model calls of every attempt from here on; ``close`` ends it."""
        self.recording = recording

    def close(self) -> None:
        """Let go of what is kept ready for further attempts."""
        if self.recording is not None:
            self.recording.close()

    def check(self) -> None:
        """Look for the program, the variables and the folder for the attempts.

        Raises:
            UsageError: One of them is missing.
        """
        if not self._words.found or not os.access(self._words.argv[0], os.X_OK):
            raise missing_program(self._words)
        if missing := [name for name in self._env if name not in self._passed]:
            raise UsageError(f"the variable {missing[0]} is not set; set it or leave --env {missing[0]} out")
        if not self._root.is_dir() or not os.access(self._root, os.W_OK | os.X_OK):
            raise UsageError(
                f"{self._root} is not a folder that can be written; name one by --workspace-root"
            )

    def identity(self) -> dict[str, Any]:
        """``{adapter, argv, env}``: each word, files by digest, and the names of the variables let through.

        Raises:
            EnvironmentFault: A file of the command cannot be read.
        """
        return {"adapter": self.key, "argv": self.identity_argv(), "env": list(self._env)}

    def identity_argv(self) -> list[Any]:
        """The words of the command for ``identity``."""
        return self._words.named()

    def options(self) -> dict[str, Any]:
        """The time-out."""
        return {"timeout_s": self.timeout_s}

    def variables(self) -> dict[str, str]:
        """Name -> value of the variables that reach the agent: where a run looks for secrets."""
        return dict(self._passed)

    def run_task(self, task: Task, scheduler_config: Mapping[str, Any]) -> dict[str, Any]:
        """Run call i as attempt i, in a folder of a random name; raises as ``run_attempt`` does."""
        index = self._calls.take(task.task_hash)
        seed = attempt_seed(0, task.task_hash, index)
        attempt = AttemptSpec(index, secrets.token_hex(32), "", 0, seed)
        return self.run_attempt(task, attempt, scheduler_config)

    def run_attempt(
        self,
        task: Task,
        attempt: AttemptSpec,
        scheduler_config: Mapping[str, Any],  # noqa: ARG002  # of the agent's scheduler; a program has none
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
        try:
            write_new(folder.task, _task_document(task))
        except OSError as error:
            raise EnvironmentFault(f"{folder.task} cannot be written ({error.strerror})") from error
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
        timeout_s = self.timeout_s if task.timeout_s is None else task.timeout_s
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


def _task_document(task: Task) -> bytes:
    """The task as the agent may know it: without its assertions, files as path -> SHA-256."""
    document = {name: value for name, value in task.document().items() if name != "assertions"}
    if "files" in document:
        document["files"] = task.file_hashes
    return json.dumps(document, ensure_ascii=False, sort_keys=True).encode() + b"\n"
