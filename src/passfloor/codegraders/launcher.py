"""The first thing in a grader's process: take the limits, then become the program, or call the function.

Started as a script by its path, with the order as JSON in its one argument. It imports nothing of passfloor.
"""

import importlib
import json
import os
import resource
import signal
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

NO_ANSWER = 125
"""Exit status of a function that gave no answer."""

SAID_YES, SAID_NO = 0, 3
"""Exit statuses of one that did. The answer is written down as well: nobody but the process itself sets its
exit status, whereas what the function starts could write to any file, and what it imports could exit."""


def main(order: dict[str, Any]) -> None:
    """Carry out the order."""
    for name, value in order["limits"].items():
        _limit(getattr(resource, name, None), value)
    if "argv" in order:
        _become(order["argv"])
    _call(order)


def _limit(number: int | None, value: int) -> None:
    """Set a limit, soft and hard; where the system lacks it, or holds a lower one, that one stays."""
    if number is None:
        return
    hard = resource.getrlimit(number)[1]
    if hard == resource.RLIM_INFINITY or value < hard:
        try:
            resource.setrlimit(number, (value, value))
        except (ValueError, OSError):
            return


def _become(argv: list[str]) -> NoReturn:
    # What Python ignores, the program would ignore as well.
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606  # running the grader is the purpose
    except OSError as error:
        sys.stderr.write(f"cannot start {argv[0]!a}: {error.strerror}\n")
        sys.stderr.flush()
    # No exit status is taken by this: the caller sees a program that did not end by itself.
    os.kill(os.getpid(), signal.SIGKILL)
    raise SystemExit(NO_ANSWER)


def _call(order: dict[str, Any]) -> None:
    folder = order["graders"]
    sys.path.insert(0, folder)
    seen = json.loads(Path(order["seen"]).read_text(encoding="utf-8"))
    name, _, function = order["grader"].partition(":")
    module = importlib.import_module(name)
    if not Path(module.__file__ or "").is_relative_to(folder):
        sys.stderr.write(f"{name} is another module here: rename it\n")
        raise SystemExit(NO_ANSWER)
    attempt = SimpleNamespace(
        output=seen["output"],
        exit_code=seen["exit_code"],
        folder=Path(seen["folder"]),
        files=tuple(seen["files"]),
        tools=tuple(seen["tools"]),
    )
    answer = getattr(module, function)(attempt)
    if type(answer) is not bool:
        sys.stderr.write(f"{order['grader']} returned {type(answer).__name__}: return True or False\n")
        raise SystemExit(NO_ANSWER)
    place = os.open(order["answer"], os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    os.write(place, b"true" if answer else b"false")
    os.close(place)
    raise SystemExit(SAID_YES if answer else SAID_NO)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
