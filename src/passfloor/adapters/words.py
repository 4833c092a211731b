"""The words of an agent's command: split, found on disk, and named for the receipt."""

import hashlib
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.errors import EnvironmentFault, UsageError

_SHELL_SIGNS = ("&&", "|", ">", "$")


@dataclass(frozen=True)
class Words:
    """A command as it will be started.

    Attributes:
        given: The words as the operator wrote them.
        argv: The words as they are passed: the program resolved through PATH, names of existing files and
            folders as absolute paths.
        found: Whether the program was found.
        notes: A sentence for each word that was changed, the program found through PATH apart.
    """

    given: tuple[str, ...]
    argv: tuple[str, ...]
    found: bool
    notes: tuple[str, ...]

    def named(self) -> list[Any]:
        """The words for ``adapter_digest``: as given, a regular file as ``{file: base name, sha256}``.

        Raises:
            EnvironmentFault: A file cannot be read.
        """
        return [_named(word, passed) for word, passed in zip(self.given, self.argv, strict=True)]


def parse_command(text: str) -> list[str]:
    """Split a command as a POSIX shell splits words; nothing is expanded.

    Raises:
        UsageError: A quotation is not closed, or there is no word.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(
            f"the agent command {text!r} cannot be split: {error}; close the quotation"
        ) from None
    if not words:
        raise UsageError("the agent command is empty; write a program and its arguments")
    return words


def resolve(given: Sequence[str], environ: Mapping[str, str], start: Path) -> Words:
    """Find the program and the files that a command names.

    Args:
        given: At least one word.
        environ: Where PATH is looked up.
        start: The absolute folder from which relative names are seen.

    Raises:
        UsageError: There is no word, or one cannot be passed to a program or written as JSON.
    """
    if not given or not given[0]:
        raise UsageError("the agent command names no program; write a program and its arguments")
    for word in given:
        if "\0" in word or not _is_text(word):
            raise UsageError(f"the agent's word {word!r} holds a NUL or is not UTF-8; spell it otherwise")
    program = _find_program(given[0], environ, start)
    notes = []
    argv = [program or given[0]]
    if program == str(start / given[0]) != given[0]:
        notes.append(f"{given[0]} is passed as {program}")
    for word in given[1:]:
        passed = str(start / word) if word and _stands(start / word) else word
        if passed != word:
            notes.append(f"{word} is passed as {passed}")
        argv.append(passed)
    return Words(tuple(given), tuple(argv), program is not None, tuple(notes))


def missing_program(words: Words) -> UsageError:
    """The error for a program that cannot be found or started."""
    name = words.given[0]
    hint = "give its path, or install it so that PATH finds it"
    if any(sign in word for word in words.given for sign in _SHELL_SIGNS):
        hint = f"no shell reads the command; if one should: sh -c {shlex.quote(' '.join(words.given))}"
    elif _is_file(path := Path(words.argv[0])):
        hint = f"{path} is not executable: chmod +x it, or put its interpreter in front"
    return UsageError(f"the agent program {name!r} cannot be found; {hint}")


def _find_program(word: str, environ: Mapping[str, str], start: Path) -> str | None:
    """The program's absolute path: a bare name through PATH; else, or failing that, from ``start``."""
    if "/" not in word and (found := shutil.which(word, path=environ.get("PATH", os.defpath))):
        return str(start / found)
    path = start / word
    return str(path) if _is_file(path) else None


def _named(word: str, passed: str) -> Any:
    path = Path(passed)
    # A word that was not found on disk is no path: it may be a name in whatever folder this is asked from.
    if not path.is_absolute() or not _is_file(path):
        return word
    return {"file": path.name, "sha256": file_sha256(path)}


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes in hex.

    Raises:
        EnvironmentFault: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EnvironmentFault(
            f"{path} cannot be read ({error.strerror}); make it readable, its digest names the agent"
        ) from error


def _stands(path: Path) -> bool:
    """Whether something is there. A prompt that stands among the words may be too long for any path."""
    try:
        return path.exists()
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True
