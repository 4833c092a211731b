"""What a task id and a file path may look like. Both reach other people's screens and disks."""

import unicodedata
from pathlib import PurePosixPath

MAX_ID_LENGTH = 200
MAX_PATH_LENGTH = 1024
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"})


def id_problem(value: str) -> str | None:
    """Say why ``value`` cannot be a task id, or None where it can.

    An id is in NFC already, printable, without control, format, private, unassigned or surrogate characters,
    has no blank at either end and 1 to 200 characters. Nothing is normalised: two spellings would be one
    task.
    """
    if not value:
        return "is empty"
    if len(value) > MAX_ID_LENGTH:
        return f"has {len(value)} characters (at most {MAX_ID_LENGTH})"
    for position, character in enumerate(value):
        if unicodedata.category(character) in _REFUSED_CATEGORIES:
            return f"holds the unprintable character U+{ord(character):04X} at position {position}"
    if value != value.strip():
        return "begins or ends with a blank"
    if not unicodedata.is_normalized("NFC", value):
        return "is not in Unicode normal form NFC (write it with composed characters)"
    return None


def path_problem(value: str) -> str | None:
    """Say why ``value`` cannot be a file of a task, or None where it can.

    A path is relative, in POSIX form, stays below its folder on every platform, and is already in its
    plainest spelling (no ``.``, no doubled or trailing slash), so that one file has one name.
    """
    if not value:
        return "is empty"
    if len(value) > MAX_PATH_LENGTH:
        return f"has {len(value)} characters (at most {MAX_PATH_LENGTH})"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in value):
        return "holds a control character"
    if "\\" in value or ":" in value:
        return "holds a backslash or a colon (write it as relative/path)"
    if value.startswith("/"):
        return "is absolute (write it relative to the working directory)"
    if ".." in value.split("/"):
        return "leaves the working directory with '..'"
    if str(PurePosixPath(value)) != value or value == ".":
        return "is not in its plainest form (no '.', no doubled or trailing slash)"
    return None


def folded(value: str) -> str:
    """The form under which two names collide on some disk: case folded and in NFC."""
    return unicodedata.normalize("NFC", value.casefold())
