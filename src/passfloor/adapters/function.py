"""Runs a Python callable as the agent: a fresh process, interpreter state and folder for every attempt."""

import importlib.machinery
import json
import os
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passfloor.adapters.agent_journal import JournalTail, read_journal, substituted
from passfloor.adapters.attempts import DEFAULT_TIMEOUT_S, task_document
from passfloor.adapters.environment import agent_environment, passed_on
from passfloor.adapters.framing import frame, kept_answer, output_sample
from passfloor.adapters.function_call import ANSWER_CAP
from passfloor.adapters.function_slots import Slots, WorkerEnd
from passfloor.adapters.function_values import FunctionAttempt, FunctionTask, Result
from passfloor.adapters.interface import AttemptSpec
from passfloor.adapters.local import Kept, LocalAttempts, put_task
from passfloor.adapters.words import file_sha256
from passfloor.canonical import MAX_INT
from passfloor.errors import UsageError
from passfloor.models.suite import Task
from passfloor.workspaces.capture import CapturedFiles, capture_files
from passfloor.workspaces.folder import AttemptFolder, attempt_folder, read_regular
from passfloor.workspaces.strays import end_strays
from passfloor.workspaces.streams import StreamText, whole_end

if TYPE_CHECKING:
    from passfloor.recording.attempts import AttemptRecording

__all__ = ["FunctionAdapter", "FunctionAttempt", "FunctionTask", "Result"]

_TARGET = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_PROBE = Task.model_validate({"id": "probe", "description": ""})
_DETAIL_CAP = 300
_HEADER_CAP = 64 * 1024


class FunctionAdapter(LocalAttempts):
    """Calls ``target(task, attempt)``, which returns a text or a ``Result``, or a coroutine of one.

    Every attempt is a process of its own, forked from a worker that never ran the agent's code; it imports
    the module anew, so that nothing (module state, a seeded generator, an open connection) passes from one
    attempt to another or is shared by two. What the callable prints is not its answer: the end of both
    streams together is kept as ``stderr_tail``. Its exit handlers and background threads end with its return.

    It may be copied, pickled and used from several threads.

    Attributes:
        key: The adapter's name in the receipt.
        notes: Sentences for the operator: folders that were kept or could not be removed.
        recording: Records model calls; None where they are not recorded.
    """

    key = "function"

    def __init__(
        self,
        target: str,
        *,
        env: Sequence[str] = (),
        timeout_s: float = DEFAULT_TIMEOUT_S,
        workspace_root: Path | None = None,
        keep_workspaces: Kept | None = None,
        environ: Mapping[str, str] | None = None,
        start_folder: Path | None = None,
    ) -> None:
        """Fix what is called.

        Args:
            target: ``package.module:name``; the module is looked for in the start folder first, then where
                this process looks for modules.
            env: Names of variables to let through.
            timeout_s: Seconds an attempt has where its task does not say.
            workspace_root: Where attempts' folders are made; default: the system's temporary folder.
            keep_workspaces: Which folders stay: of attempts that did not pass, all, or none.
            environ: Where variables are looked up; default: this process's environment.
            start_folder: Default: the current folder.

        Raises:
            UsageError: No target, a variable that is never let through, or no positive time.
        """
        environ = os.environ if environ is None else environ
        super().__init__(
            env=env,
            timeout_s=timeout_s,
            workspace_root=workspace_root,
            keep_workspaces=keep_workspaces,
            environ=environ,
        )
        if not _TARGET.fullmatch(target):
            raise UsageError(f"the function {target!a} is not of the form package.module:name; write it so")
        self.target = target
        self._module, _, self._name = target.partition(":")
        self._start = Path.cwd() if start_folder is None else start_folder.absolute()
        self._awaits = False
        self._slots = Slots(passed_on((), environ), self._start)

    def check(self) -> None:
        """Import the target once, in a process of its own, and look for the variables and the folder.

        Raises:
            UsageError: It cannot be imported or called; or something is missing.
            EnvironmentFault: No process can be started.
        """
        super().check()
        self._module_file()
        attempt = AttemptSpec(0, secrets.token_hex(32), "", 0, 0)
        folder = attempt_folder(self._root, attempt.attempt_id, {})
        try:
            end = self._slots.run(self._request(_PROBE, attempt, folder, self.timeout_s, None))
            header, _ = _read_answer(_answer_file(folder))
            problem = _problem(end, header, timeout_s=self.timeout_s)
        finally:
            self._put_away(folder, keep=False)
        if problem:
            detail = problem["detail"].removeprefix("it cannot be loaded: ")
            raise UsageError(
                f"the function {self.target!r} cannot be used: {detail}; it is looked for from {self._start}"
            )

    def identity(self) -> dict[str, Any]:
        """``{adapter, target, module, env}``: the digest of the module's file, names of the variables.

        Raises:
            UsageError: The module has no file that can be found.
            EnvironmentFault: It cannot be read.
        """
        return {
            "adapter": self.key,
            "target": self.target,
            "module": file_sha256(self._module_file()),
            "env": list(self._env),
        }

    def interrupt(self) -> None:
        """End the attempts that run now, for a run that stops; may be called from another thread."""
        self._slots.interrupt()

    def close(self) -> None:
        """End the idle workers; a later attempt starts new ones."""
        self._slots.close()
        super().close()

    def _events(self, task: Task, attempt: AttemptSpec, folder: AttemptFolder) -> list[dict[str, Any]]:
        document = task_document(task)
        put_task(folder, document)
        if self.recording is None:
            return self._run(task, attempt, folder, document)
        tail = JournalTail(folder.journal, calls=True)
        with self.recording.attempt(attempt.attempt_id, str(folder.path), tail.read) as recorder:
            return recorder.seal(self._run(task, attempt, folder, document, recorder, tail))

    def _run(
        self,
        task: Task,
        attempt: AttemptSpec,
        folder: AttemptFolder,
        document: bytes,
        recorder: "AttemptRecording | None" = None,
        tail: JournalTail | None = None,
    ) -> list[dict[str, Any]]:
        timeout_s = self._seconds(task)
        end = self._slots.run(self._request(task, attempt, folder, timeout_s, document, recorder))
        if end.exit_code != 0:
            # Its worker may have died with it, and with the list of what it had started.
            end_strays(attempt.attempt_id)
        header, answer = _read_answer(_answer_file(folder))
        self._awaits |= bool(header and header.get("awaits"))
        files, output = capture_files(folder.work), output_sample(answer, end.prints)
        problem = _problem(end, header, timeout_s=timeout_s)
        if recorder is not None and tail is not None:
            taken = recorder.finish()
            if problem is None or problem["type"] == "exit":
                problem = taken.fault or problem
            fault = problem or _fault(files, tail.fault)
            return frame(task, attempt.seed, taken.events, output, files.entries, fault, recorded=True)
        journal = read_journal(folder.journal)
        words = {str(folder.path): "${attempt}", attempt.attempt_id: "${attempt_id}"}
        lines = [substituted(event, words) for event in journal.events]
        return frame(
            task, attempt.seed, lines, output, files.entries, problem or _fault(files, journal.fault)
        )

    def _request(
        self,
        task: Task,
        attempt: AttemptSpec,
        folder: AttemptFolder,
        timeout_s: float,
        document: bytes | None,
        recorder: "AttemptRecording | None" = None,
    ) -> dict[str, Any]:
        """What the worker is asked; without a ``document`` of the task, to load the target and no more."""
        return {
            "module": self._module,
            "name": self._name,
            "probe": document is None,
            "document": (document or task_document(task)).decode(),
            "awaits": self._awaits,
            "timeout_s": timeout_s,
            "env": agent_environment(self._passed, task, attempt, folder, recorder),
            "recorded": recorder is not None,
            "recall": "" if recorder is None else recorder.recall,
            "work": str(folder.work),
            "journal": str(folder.journal),
            "answer": str(_answer_file(folder)),
            "seed": attempt.attempt_seed,
            "run_seed": attempt.seed,
            "attempt_id": attempt.attempt_id,
            "index": attempt.index,
        }

    def _module_file(self) -> Path:
        """The file of the target's module, found by its name alone: nothing of the agent's runs here."""
        stem = Path(*self._module.split("."))
        for entry in (self._start, *(Path(path) for path in sys.path if path)):
            for name in (stem / "__init__", stem):
                for suffix in importlib.machinery.all_suffixes():
                    if (path := entry / f"{name}{suffix}").is_file():
                        return path
        raise UsageError(
            f"the module of the function {self.target!r} cannot be found from {self._start}; "
            "start from the folder that holds it, or install it beside passfloor"
        )


def _answer_file(folder: AttemptFolder) -> Path:
    return folder.path / "answer"


def _read_answer(path: Path) -> tuple[dict[str, Any] | None, StreamText]:
    """The header the attempt's process wrote, None where it did not write all of it, and the answer."""
    nothing = kept_answer("")
    head, _, data = (read_regular(path, ANSWER_CAP + _HEADER_CAP) or b"").partition(b"\n")
    header = _header(head)
    if header is None or header["status"] != "returned":
        return header, nothing
    size = header.get("size")
    # The agent shares the process that writes it, and could have written anything.
    if type(size) is not int or not len(data) <= size <= MAX_INT:
        return None, nothing
    # The worker cut it between two bytes, wherever that was.
    whole = data if len(data) == size else whole_end(data)
    try:
        return header, kept_answer(whole.decode("utf-8", "surrogatepass"), size=size)
    except UnicodeDecodeError:
        return None, nothing


def _header(head: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("status"), str) else None


def _problem(end: WorkerEnd, header: Mapping[str, Any] | None, *, timeout_s: float) -> dict[str, str] | None:
    """Why the callable did not finish, None where it did."""
    if end.timed_out:
        return {"type": "timeout", "detail": f"not finished after {timeout_s:.12g} s"}
    if end.signal is not None:
        return {"type": "worker", "detail": f"worker died, signal {end.signal}"}
    if end.exit_code or header is None:
        return {"type": "worker", "detail": f"worker ended without an answer, exit status {end.exit_code}"}
    detail = _plain(str(header.get("detail", "")))
    match header["status"]:
        case "returned":
            return None
        case "load":
            return {"type": "exit", "detail": f"it cannot be loaded: {detail}"}
        case "unfit":
            return {"type": "exit", "detail": f"returned {detail}, expected a text or a Result"}
        case _:
            return {"type": "exit", "detail": f"raised {detail}"}


def _fault(files: CapturedFiles, journal: str | None) -> dict[str, str] | None:
    if files.fault:
        return {"type": "capture", "detail": files.fault}
    return {"type": "journal", "detail": journal} if journal else None


def _plain(text: str) -> str:
    """What an agent chose, for a message of ours: printable ASCII on one line, capped."""
    quoted = text.encode("unicode_escape").decode("ascii")
    return quoted if len(quoted) <= _DETAIL_CAP else f"{quoted[:_DETAIL_CAP]}..."
