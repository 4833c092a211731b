"""Asking a grader with code: in an empty folder, in a process group of its own, for a bounded time, twice."""

import json
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.codegraders.launcher import SAID_NO, SAID_YES
from passfloor.codegraders.limits import environment, rlimits, seconds
from passfloor.codegraders.placing import put_captured, put_own
from passfloor.errors import EnvironmentFault
from passfloor.grading import Attested, CannotJudge, Evidence
from passfloor.models.assertions import Command, Python
from passfloor.models.suite import Task
from passfloor.workspaces.folder import AttemptFolder, attempt_folder, default_root, read_regular, write_new
from passfloor.workspaces.groups import Ended, run_group

_LAUNCHER = Path(__file__).with_name("launcher.py")
# What a shell says of a program that it cannot start, and of one that a signal ended (POSIX XCU 2.8.2).
_NO_VERDICT = 126
# A function's answer is its exit status and what it wrote; where they differ, somebody else had a hand in it.
_ANSWERS = {(SAID_YES, b"true"): True, (SAID_NO, b"false"): False}
_LONGEST_TOLD = 300
_LONGEST_ANSWER = 16
# One word of a command line holds 128 KiB on Linux, and no more.
_LONGEST_ORDER = 100_000


@dataclass(frozen=True)
class CodeGraders:
    """Runs the graders with code of a suite; threads may share it.

    What runs has the rights of this user: limits of time and size keep accidents small and are no prison, and
    the network is not closed to it.

    Attributes:
        root: Where folders are made, as its real path; None: the system's folder for temporary files.
        tell: Is told, in one line, why a grader gave no answer.
    """

    root: Path | None = None
    tell: Callable[[str], None] = lambda _line: None

    def __call__(self, task: Task, attempt: int, index: int, evidence: Evidence) -> bool:
        """Ask twice; ``passfloor.grading.RunGrader``.

        Args:
            task: What was asked of the agent.
            attempt: The attempt's index.
            index: The position of the assertion.
            evidence: What came of it.

        Raises:
            CannotJudge: there is no answer, or there are two.
            Attested: the assertion's grader is no code.
            EnvironmentFault: the machine stands in the way.
        """
        try:
            return _agreed([self.once(task, index, evidence) for _ in range(2)])
        except CannotJudge as error:
            where = f"task {task.id!a}, attempt {attempt}, assertions[{index}]"
            self.tell(f"{where}: the grader gave no answer to rely on: {error}")
            raise

    def once(self, task: Task, index: int, evidence: Evidence) -> bool:
        """Ask once; raises as a call does."""
        assertion = task.assertions[index]
        if isinstance(assertion, Command):
            return self._command(assertion, evidence)
        if isinstance(assertion, Python):
            return self._python(assertion, evidence)
        raise Attested("its grader is no code")

    def _command(self, assertion: Command, evidence: Evidence) -> bool:
        argv = _argv(assertion)
        own = dict(assertion.files)
        if assertion.answer_file is not None:
            own[assertion.answer_file] = _answer(evidence)
        with self._folder() as (folder, name):
            put_captured(folder.work, evidence, own)
            put_own(folder.work, own)
            order = {"argv": argv, "limits": rlimits(assertion)}
            ended = _run([sys.executable, "-I", "-S", "-B", str(_LAUNCHER)], order, folder, name, assertion)
        if ended.exit_code is None or ended.exit_code >= _NO_VERDICT:
            raise CannotJudge(_how(ended, assertion))
        return ended.exit_code == 0

    def _python(self, assertion: Python, evidence: Evidence) -> bool:
        seen = {
            "output": _answer(evidence),
            "exit_code": evidence.exit_code,
            "files": sorted(evidence.files),
            "tools": list(evidence.tool_calls),
        }
        with self._folder() as (folder, name):
            put_captured(folder.work, evidence, ())
            graders, answer = folder.path / "graders", folder.path / "answer"
            graders.mkdir(mode=0o700)
            put_own(graders, assertion.files)
            write_new(folder.task, json.dumps({**seen, "folder": str(folder.work)}).encode())
            order = {
                "grader": assertion.grader,
                "graders": str(graders),
                "seen": str(folder.task),
                "answer": str(answer),
                "limits": rlimits(assertion),
            }
            ended = _run([sys.executable, "-I", "-B", str(_LAUNCHER)], order, folder, name, assertion)
            said = read_regular(answer, _LONGEST_ANSWER) or b""
            given = None if ended.exit_code is None else _ANSWERS.get((ended.exit_code, said))
        if given is None:
            raise CannotJudge(_how(ended, assertion))
        return given

    @contextmanager
    def _folder(self) -> Iterator[tuple[AttemptFolder, str]]:
        """A new folder and the name by which its processes are known."""
        name = secrets.token_hex(32)
        folder = attempt_folder(self.root or default_root(), name, {})
        try:
            yield folder, name
        finally:
            try:
                folder.remove()
            except EnvironmentFault as fault:
                # The answer is there; a leftover, such as another user's file, is no reason to lose it.
                self.tell(str(fault))


def _agreed(answers: Sequence[bool]) -> bool:
    if len(set(answers)) > 1:
        raise CannotJudge("asked twice, it gave two answers")
    return answers[0]


def _argv(assertion: Command) -> list[str]:
    if assertion.argv is not None:
        return list(assertion.argv)
    if assertion.run is not None:
        return ["sh", "-c", assertion.run]
    raise CannotJudge("it names no program")


def _answer(evidence: Evidence) -> str:
    if evidence.stdout_cut:
        raise CannotJudge("the agent's output was cut short")
    return evidence.stdout


def _run(
    python: list[str], order: Mapping[str, Any], folder: AttemptFolder, name: str, assertion: Command | Python
) -> Ended:
    text = json.dumps(order)
    if len(text) > _LONGEST_ORDER:
        raise CannotJudge("its command line is too long")
    try:
        return run_group(
            [*python, text],
            cwd=folder.work,
            env=environment(folder, name),
            stdin=b"",
            timeout_s=seconds(assertion),
            attempt_id=name,
        )
    except OSError as error:
        raise EnvironmentFault(f"a grader's process cannot be made ({error.strerror})") from error


def _how(ended: Ended, assertion: Command | Python) -> str:
    """How the grader ended, and the last line it said."""
    if ended.timed_out:
        how = f"not done after {seconds(assertion):g} s"
    elif ended.signal is not None:
        how = f"ended by signal {ended.signal}"
    else:
        how = f"exit status {ended.exit_code} without an answer"
    said = ended.stderr.text.strip().splitlines()
    return f"{how}: {said[-1][:_LONGEST_TOLD]}" if said else how
