"""stdout carries data and nothing else; talk goes to stderr, one line at a time."""

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from passfloor.cli.exits import Exit
from passfloor.report.escape import inert, json_text, show

_LONGEST_LINE = 2000
_hidden: Callable[[str], str] = str


def hide(scrub: Callable[[str], str] = str) -> None:
    """Pass everything that is said on stderr through ``scrub`` from now on; without it, nothing."""
    global _hidden  # noqa: PLW0603  # one process has one stderr, and an error may be said by anybody
    _hidden = scrub


def hidden(text: str) -> str:
    """``text`` as it may be said: passed through what ``hide`` was given."""
    return _hidden(text)


def said(text: str) -> str:
    """``text`` as the one line of talk it becomes: scrubbed, escaped, cut, and no command to a CI log."""
    return inert(show(hidden(text), _LONGEST_LINE))


class OutputLost(Exception):  # noqa: N818  # of the reader, not of ours
    """What was to be printed on stdout did not arrive.

    Attributes:
        gone: The reader went away, which is no fault.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.gone = error.errno == errno.EPIPE


def print_json(document: Any) -> None:
    """Print one JSON document, in ASCII, no line of it a command to a CI log.

    Raises:
        OutputLost: stdout did not take it.
    """
    _deliver(json_text(document) + "\n")


def print_text(text: str) -> None:
    """Print text for people, no line of it a command to a CI log; what the encoding lacks is escaped.

    Raises:
        OutputLost: stdout did not take it.
    """
    _deliver("".join(map(inert, text.splitlines(keepends=True))) + "\n")


def in_ci(environ: Mapping[str, str]) -> bool:
    """Whether the variable ``CI`` says that this is a job of some service."""
    return environ.get("CI", "").lower() not in {"", "0", "false"}


def note(text: str) -> None:
    """Say one line on stderr. Talk that nobody can hear is no reason to stop."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(_encodable(said(text) + "\n", sys.stderr))
            sys.stderr.flush()


def complain(message: str, code: Exit) -> Exit:
    """Say on one line of stderr why this ends here, and return the exit code."""
    note(f"passfloor: {message}")
    return code


def delivered(print_it: Callable[[], int | None]) -> int:
    """Call what prints, and return its exit code (0 where it has none) or that of output which was lost."""
    try:
        return int(print_it() or Exit.DONE)
    except OutputLost as lost:
        _let_go_of_stdout()
        if lost.gone:
            return Exit.BROKEN_PIPE
        return complain(
            f"cannot write the output: {lost}; free the disk or send stdout elsewhere", Exit.UNDECIDED
        )


def check_stdout() -> None:
    """Say whether what was printed by other means than the two functions here has arrived.

    Raises:
        OutputLost: it has not.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise OutputLost(error) from error


def _deliver(text: str) -> None:
    if sys.stdout is None:
        raise OutputLost(OSError(errno.EBADF, "standard output is closed"))
    try:
        sys.stdout.write(_encodable(text, sys.stdout))
        sys.stdout.flush()
    except OSError as error:
        raise OutputLost(error) from error


def _let_go_of_stdout() -> None:
    """What is still buffered has nowhere to go, and the interpreter must not try again while it exits."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _encodable(text: str, stream: Any) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
