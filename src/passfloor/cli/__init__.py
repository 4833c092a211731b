"""The command line: flags to objects, one call below, text or JSON out, an exit code."""

import sys


def main() -> int:
    """Entry point of the ``passfloor`` command; returns the exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from passfloor import __version__

        sys.stdout.write(f"passfloor {__version__}\n")
        return 0
    from passfloor.cli.entry import run

    return run(sys.argv[1:])
