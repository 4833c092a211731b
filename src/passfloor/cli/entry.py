"""From arguments to an exit code: every refusal one line on stderr, never a traceback."""

import errno
import os
import re

from typer.exceptions import Abort, TyperException

from passfloor.cli.app import app
from passfloor.cli.command_line import remember
from passfloor.cli.exits import Exit, of_error
from passfloor.cli.outputs import OutputLost, check_stdout, complain, delivered, hide, note
from passfloor.cli.signals import Stopped
from passfloor.errors import PassfloorError

_NO_NUMBER = re.compile(
    r"Invalid value for ('--?[a-z-]+'(?: / '--?[a-z-]+')*): Input should be a valid (integer|number)"
)
_TRACEBACK_VARIABLE = "PASSFLOOR_TRACEBACK"


def run(arguments: list[str]) -> int:
    """Run the command line and return the exit code."""
    hide()
    remember(arguments)
    try:
        return delivered(lambda: _guarded(arguments))
    except (Stopped, KeyboardInterrupt) as stopped:
        return _stopped(stopped)


def _guarded(arguments: list[str]) -> int:
    try:
        result = app(args=arguments, prog_name="passfloor", standalone_mode=False)
    except TyperException as error:
        return _refuse(error, arguments)
    except PassfloorError as error:
        return complain(str(error), of_error(error))
    except Abort:
        return complain("interrupted", Exit.INTERRUPTED)
    except SystemExit:
        # The parser leaves in this way only when help was being printed and the reader went away.
        raise OutputLost(BrokenPipeError(errno.EPIPE, "Broken pipe")) from None
    except OutputLost:
        raise
    except MemoryError:
        return complain(
            "out of memory; lower the limit with --max-bytes or give the process more", Exit.UNDECIDED
        )
    except OSError as error:
        check_stdout()
        name = f" {error.filename!a}" if error.filename is not None else ""
        return complain(f"the system refused{name}: {error.strerror or error}", Exit.UNDECIDED)
    except Exception as error:
        if os.environ.get(_TRACEBACK_VARIABLE):
            raise
        return complain(
            f"a bug of passfloor: {type(error).__name__}: {error} "
            f"(set {_TRACEBACK_VARIABLE}=1 for the traceback)",
            Exit.BUG,
        )
    return int(result) if isinstance(result, int) else Exit.DONE


def _refuse(error: TyperException, arguments: list[str]) -> int:
    """What the parser refused, on one line; a group without a command shows its help instead."""
    message = error.format_message().rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":
        for line in message.splitlines():
            note(line)
        return Exit.USAGE
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    if found := _NO_NUMBER.match(message):
        names, kind = re.findall("[a-z-]+", found[1]), found[2]
        numbers = {"integer": "a whole number", "number": "a number"}
        message = f"{names[0]} {_value_of(names, arguments)}: give {numbers[kind]}"
    return complain(message + hint, Exit.USAGE)


def _value_of(names: list[str], arguments: list[str]) -> str:
    """What was given for an option, last and so for good, as the parser's own message does not say."""
    for position, word in reversed(list(enumerate(arguments))):
        if word in names:
            return ascii(arguments[position + 1]) if position + 1 < len(arguments) else "without a value"
        name, sign, value = word.partition("=")
        if sign and name in names:
            return ascii(value)
    return "as given"


def _stopped(stopped: Stopped | KeyboardInterrupt) -> int:
    keyboard = isinstance(stopped, KeyboardInterrupt) or stopped.by_keyboard
    detail = "" if isinstance(stopped, KeyboardInterrupt) else stopped.detail
    what = "interrupted" if keyboard else "told to end"
    return complain(
        f"{what}{f' {detail}' if detail else ''}", Exit.INTERRUPTED if keyboard else Exit.TERMINATED
    )
