"""The files of graders with code: written out in the assertion, or taken from beside the suite."""

import sys
from pathlib import Path
from typing import Any

from passfloor.models.assertions import CODE_KINDS
from passfloor.models.names import path_problem
from passfloor.suites.files import read_files
from passfloor.suites.places import Place, quoted


def with_files(entries: object, folder: Path | None, place: Place) -> object:
    """The member ``assertions`` of a task with the content of every grader's files in it.

    The module of a ``python`` assertion is taken from beside the suite where ``files`` does not give it. What
    is no assertion is left as it is: who reads on refuses it.

    Args:
        entries: The member as JSON data.
        folder: The folder of the suite; None where it has none.
        place: Where the member stands.

    Raises:
        SuiteError: A file is refused, as by ``read_files``.
    """
    if not isinstance(entries, list):
        return entries
    return [_filled(entry, folder, place.at(index)) for index, entry in enumerate(entries)]


def _filled(entry: Any, folder: Path | None, place: Place) -> Any:
    if not isinstance(entry, dict) or entry.get("kind") not in [*CODE_KINDS]:
        return entry
    files = entry.get("files", {})
    if isinstance(files, dict):
        module = _module(entry)
        if module is not None and module not in files:
            files = {module: {"from": module}, **files}
    if not files and "files" not in entry:
        return entry
    return {**entry, "files": read_files(files, folder, place.at("files"))}


def _module(entry: dict[str, Any]) -> str | None:
    """Where the module of a ``python`` assertion stands; None of another, or where it names none."""
    grader = entry.get("grader")
    if entry["kind"] != "python" or not isinstance(grader, str):
        return None
    path = grader.partition(":")[0].replace(".", "/") + ".py"
    return None if path_problem(path) else path


def check_command(entry: dict[str, Any], place: Place) -> None:
    """Refuse a ``command`` assertion that names no program, or two, or an answer that stands nowhere.

    Raises:
        SuiteError: Says which.
    """
    given = [name for name in ("argv", "run") if entry.get(name) is not None]
    if len(given) != 1:
        raise place.error("assertion command needs exactly one of 'argv' (words) and 'run' (a text for sh)")
    path = entry.get("answer_file")
    if path is not None:
        problem = path_problem(path)
        if problem:
            raise place.at("answer_file").error(f"the path {quoted(path)} {problem}")
        if path in entry.get("files", {}):
            raise place.at("answer_file").error(f"{quoted(path)} is one of 'files' as well; rename one")


def check_python(entry: dict[str, Any], place: Place) -> None:
    """Refuse a ``python`` assertion whose module would be another one.

    Raises:
        SuiteError: It has the name of a module of Python's own.
    """
    top = entry["grader"].partition(":")[0].partition(".")[0]
    if top in sys.stdlib_module_names:
        raise place.at("grader").error(f"{quoted(top)} is a module of Python's own; rename the file")
