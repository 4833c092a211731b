"""stdout carries data and nothing else; talk goes to stderr, one line at a time."""

import json
import sys
from typing import Any

from passfloor.cli.exits import Exit
from passfloor.report.escape import show


def print_json(document: Any) -> None:
    """Print one JSON document, ASCII only, so that no locale can break it."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def print_text(text: str) -> None:
    """Print text for people; what the output's encoding lacks is replaced."""
    _write(sys.stdout, text + "\n")


def note(text: str) -> None:
    """Say something on stderr."""
    _write(sys.stderr, text + "\n")


def complain(message: str, code: Exit) -> Exit:
    """Say on one line of stderr why this ends here, and return the exit code."""
    note(f"passfloor: {show(message, 1000)}")
    return code


def _write(stream: Any, text: str) -> None:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
