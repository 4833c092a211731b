"""From arguments to an exit code: every refusal one line on stderr, never a traceback."""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

import click

from passfloor.cli.app import app
from passfloor.cli.exits import Exit, of_error
from passfloor.cli.outputs import complain
from passfloor.errors import PassfloorError

_TRACEBACK_VARIABLE = "PASSFLOOR_TRACEBACK"


class Terminated(BaseException):
    """SIGTERM arrived; what runs is ended on the way out."""


def run(arguments: list[str]) -> int:
    """Run the command line and return the exit code."""
    signal.signal(signal.SIGTERM, _terminate)
    try:
        code = _guarded(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still buffered has nowhere to go, and the interpreter must not try again while it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.BROKEN_PIPE
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return complain(f"cannot write the output: {error.strerror}", Exit.UNDECIDED)
    return code


def _guarded(arguments: list[str]) -> int:
    try:
        result = app(args=arguments, prog_name="passfloor", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stdout.write(error.format_message() + "\n")
        return Exit.USAGE
    except click.ClickException as error:
        hint = (
            f" (see {error.ctx.command_path} --help)"
            if isinstance(error, click.UsageError) and error.ctx
            else ""
        )
        return complain(error.format_message() + hint, Exit.USAGE)
    except PassfloorError as error:
        return complain(str(error), of_error(error))
    except (KeyboardInterrupt, click.Abort):
        return complain("interrupted; nothing was sealed", Exit.INTERRUPTED)
    except Terminated:
        return complain("ended by SIGTERM; nothing was sealed", Exit.TERMINATED)
    except MemoryError:
        return complain(
            "out of memory; lower the limit with --max-bytes or give the process more", Exit.UNDECIDED
        )
    except BrokenPipeError:
        raise
    except OSError as error:
        name = f" {error.filename!a}" if error.filename is not None else ""
        return complain(f"the system refused{name}: {error.strerror}", Exit.UNDECIDED)
    except Exception as error:
        if os.environ.get(_TRACEBACK_VARIABLE):
            raise
        return complain(
            f"a bug of passfloor: {type(error).__name__}: {error} (set {_TRACEBACK_VARIABLE}=1 for the traceback)",
            Exit.BUG,
        )
    return int(result) if isinstance(result, int) else Exit.DONE


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    raise Terminated
