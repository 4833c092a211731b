"""JSON data in, a suite out: every refusal says where, which value, and what to do."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from passfloor.errors import JsonError, SuiteError
from passfloor.models.names import folded, id_problem
from passfloor.models.suite import Suite, Task
from passfloor.suites.assertions import KINDS, check_assertions
from passfloor.suites.files import read_files
from passfloor.suites.graders import with_files
from passfloor.suites.places import Place, invalid, nearest, quoted, shown

MAX_TASKS = 10_000
"""The most tasks of a suite; a receipt holds no more."""

MAX_SHARED_CHARACTERS = 64 * 1024 * 1024
"""The most characters that ``defaults`` come to over all tasks."""

_LARGEST = 2**53 - 1
_MEMBERS = ("version", "tasks", "defaults")
_TASK_MEMBERS = tuple(Task.model_fields)


def read_suite(document: object, *, folder: Path | None, source: str) -> Suite:
    """Read a suite from JSON data.

    Args:
        document: ``{"version", "tasks", "defaults"?}`` as JSON data; None stands for an empty file.
        folder: The folder that ``{"from": ...}`` files are below; None refuses them (a suite in a receipt).
        source: How to name the document in messages.

    Returns:
        The suite, with ``defaults`` merged into the tasks (a member that the task has wins, whole) and files
        read. Members that neither gives stay unset. A task may be without assertions: see
        ``require_assertions``.

    Raises:
        SuiteError: The document is not a suite. The message is one line and names the place.
    """
    place = Place(source)
    entries, defaults = _outline(document, place)
    _check_ids(entries, place)
    tasks = [
        _read_task(entry, defaults, folder, place.at("tasks", index)) for index, entry in enumerate(entries)
    ]
    try:
        suite = Suite(version=document["version"], tasks=tasks)  # type: ignore[index]
        suite.suite_hash  # noqa: B018 - what cannot be hashed is refused here and not later
    except ValidationError as error:
        raise invalid(place, error, KINDS) from None
    except (JsonError, RecursionError) as error:
        raise place.error(f"has no canonical form: {shown(str(error), 200)}") from None
    return suite


def require_assertions(suite: Suite) -> None:
    """Refuse a suite with a task that nothing judges.

    Raises:
        SuiteError: Names the first task without assertions.
    """
    for index, task in enumerate(suite.tasks):
        if not task.assertions:
            raise _without_assertions(Place(f"suite {suite.version}").at("tasks", index).of(task.id))


def _without_assertions(place: Place) -> SuiteError:
    return place.error("has no assertions; add one, or run with --completion-only")


def _outline(document: object, place: Place) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The task entries and the defaults, each a mapping with known members only."""
    if document is None:
        raise place.error("has no tasks: the document is empty; write 'version' and 'tasks'")
    if not isinstance(document, dict):
        raise place.error(
            f"is {quoted(document)} and not a suite; write a mapping with 'version' and 'tasks'"
        )
    for member in document:
        if member not in _MEMBERS:
            raise place.error(f"a suite has no member {quoted(member)}{nearest(member, _MEMBERS)}")
    if document.get("tasks") in (None, []):
        raise place.error("has no tasks; list at least one under 'tasks'")
    _check_version(document, place)
    entries = document["tasks"]
    if not isinstance(entries, list):
        raise place.at("tasks").error(f"{quoted(entries)} is not allowed here: write a list of tasks")
    if len(entries) > MAX_TASKS:
        raise place.at("tasks").error(f"{len(entries):,} tasks (at most {MAX_TASKS:,}); split the suite")
    defaults = _defaults(document.get("defaults", {}), len(entries), place.at("defaults"))
    for index, entry in enumerate(entries):
        _check_members(entry, place.at("tasks", index), "a task")
    return entries, defaults


def _check_version(document: dict[str, Any], place: Place) -> None:
    if "version" not in document:
        raise place.error("the member 'version' is missing; add one, such as version: my-suite-v1")
    version, place = document["version"], place.at("version")
    if not isinstance(version, str):
        raise place.error(f"{_not_text(version)}")
    problem = id_problem(version)
    if problem:
        raise place.error(f"the version {quoted(version)} {problem}")


def _not_text(value: object) -> str:
    if isinstance(value, bool | int | float):
        return f'{quoted(value)} is an unquoted number or truth value; quote it: "{quoted(value)}"'
    return f"{quoted(value)} is not a text; write one"


def _defaults(defaults: object, tasks: int, place: Place) -> dict[str, Any]:
    _check_members(defaults, place, "a task")
    assert isinstance(defaults, dict)  # noqa: S101 - just checked
    if "id" in defaults:
        raise place.at("id").error("an id belongs to one task; move it there")
    shared = _characters(defaults) * tasks
    if shared > MAX_SHARED_CHARACTERS:
        raise place.error(
            f"comes to {shared:,} characters over {tasks:,} tasks (at most {MAX_SHARED_CHARACTERS:,});"
            " put long texts into files"
        )
    return defaults


def _characters(value: object) -> int:
    """The size of JSON data in characters, roughly."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        return 2 + sum(len(str(key)) + _characters(item) for key, item in value.items())
    return 2 + sum(map(_characters, value)) if isinstance(value, list) else 4


def _check_members(entry: object, place: Place, what: str) -> None:
    if not isinstance(entry, dict):
        raise place.error(f"{quoted(entry)} is not allowed here: write a mapping")
    for member in entry:
        if member not in _TASK_MEMBERS:
            raise place.error(f"{what} has no member {quoted(member)}{nearest(member, _TASK_MEMBERS)}")


def _check_ids(entries: list[dict[str, Any]], place: Place) -> None:
    """Every id is a text, allowed, and told apart from every other on every disk."""
    for index, entry in enumerate(entries):
        here = place.at("tasks", index)
        if "id" not in entry:
            raise here.error("the member 'id' is missing; give the task one")
        if not isinstance(entry["id"], str):
            raise here.at("id").error(_not_text(entry["id"]) + _twin(entries, index))
        problem = id_problem(entry["id"])
        if problem:
            raise here.at("id").error(f"the id {quoted(entry['id'])} {problem}")
    seen: dict[str, int] = {}
    for index, entry in enumerate(entries):
        first = seen.setdefault(folded(entry["id"]), index)
        if first != index:
            mine, other = quoted(entry["id"]), quoted(entries[first]["id"])
            how = "repeats" if mine == other else "differs only by letter case from"
            raise place.at("tasks", index, "id").error(
                f"the id {mine} {how} the id {other} of tasks[{first}]; rename one"
            )


def _twin(entries: list[dict[str, Any]], index: int) -> str:
    """Where the id would be a duplicate once it is quoted."""
    text = quoted(entries[index]["id"])
    for other, entry in enumerate(entries):
        if other != index and str(entry.get("id")) == text:
            return f" (and then rename it: tasks[{other}] has that id)"
    return ""


def _check_numbers(value: object, place: Place) -> None:
    """Refuse a number that the canonical form writes as an integer which no strict reader takes (RFC 7493).

    RFC 8785 writes 1e17 as 100000000000000000: a receipt with it inside could not be read again.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            _check_numbers(item, place.at(str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _check_numbers(item, place.at(index))
    elif (
        isinstance(value, int | float)
        and abs(value) > _LARGEST
        and (isinstance(value, int) or abs(value) < 1e21)
    ):
        raise place.error(f"{quoted(value)} is past 2^53-1, which JSON cannot be trusted with; write a text")


def _read_task(entry: dict[str, Any], defaults: dict[str, Any], folder: Path | None, place: Place) -> Task:
    merged = {**defaults, **entry}
    task_place = place.of(entry["id"])

    def at(member: str) -> Place:
        origin = task_place if member in entry else Place(place.source, "defaults")
        return origin.at(member)

    if "description" not in merged:
        raise task_place.error("the member 'description' is missing; write the prompt there")
    if "assertions" in merged:
        merged["assertions"] = with_files(merged["assertions"], folder, at("assertions"))
        check_assertions(merged["assertions"], at("assertions"))
    for member, value in merged.items():
        _check_numbers(value, at(member))
    if "files" in merged:
        merged["files"] = read_files(merged["files"], folder, at("files"))
    try:
        return Task.model_validate(merged)
    except ValidationError as error:
        inherited = error.errors()[0]["loc"][0] not in entry
        raise invalid(Place(place.source, "defaults") if inherited else task_place, error, KINDS) from None
