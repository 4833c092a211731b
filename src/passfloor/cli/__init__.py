"""The command line: flags to objects, one call below, text or JSON out, an exit code."""

import sys


def main() -> int:
    """Entry point of the ``passfloor`` command; returns the exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        return _version()
    # Before the imports below, which take most of the time in which somebody may change their mind.
    from passfloor.cli import signals
    from passfloor.keys import hidden

    signals.open_standard_streams()
    signals.install()
    # Before anything is started that could look at them.
    hidden.hide()
    try:
        from passfloor.cli.entry import run
    except signals.Stopped as stopped:
        return 128 + stopped.number
    return run(sys.argv[1:])


def _version() -> int:
    from passfloor import __version__
    from passfloor.cli.outputs import delivered, print_text

    return delivered(lambda: print_text(f"passfloor {__version__}"))
