"""What an assertion must satisfy at load, beyond the types of its members."""

from collections.abc import Iterator
from typing import Any, Final, get_args

from pydantic import ValidationError

from passfloor.models import assertions as models
from passfloor.models.base import Document
from passfloor.models.names import path_problem
from passfloor.suites.graders import check_command, check_python
from passfloor.suites.places import Place, invalid, nearest, quoted, shown

KINDS: Final[dict[str, type[Document]]] = {
    get_args(model.model_fields["kind"].annotation)[0]: model
    for model in get_args(get_args(models.Assertion)[0])
}
"""Every declared kind with its model."""


def check_assertions(entries: object, place: Place) -> None:
    """Refuse what an assertion list of a task must not hold.

    Args:
        entries: The member ``assertions`` as JSON data.
        place: Where it stands.

    Raises:
        SuiteError: Names the first assertion that is not one: its kind or a member is unknown (with the
            nearest name), a member is missing or of the wrong type, a pattern is not RE2, a JSON schema
            is not of draft 2020-12 or refers elsewhere, a pointer is not RFC 6901, a path leaves its folder.
    """
    if not isinstance(entries, list):
        raise place.error(f"{quoted(entries)} is not allowed here: write a list of assertions")
    for index, entry in enumerate(entries):
        _check(entry, place.at(index))


def _check(entry: object, place: Place) -> None:
    if not isinstance(entry, dict):
        raise place.error(f"{quoted(entry)} is not allowed here: write a mapping with 'kind'")
    if "kind" not in entry:
        raise place.error("the member 'kind' is missing; write one, such as kind: output_contains")
    kind = entry["kind"]
    model = KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise place.error(f"unknown assertion kind {quoted(kind)}{nearest(kind, KINDS)}")
    _check_members(entry, model, place, f"assertion {kind}")
    try:
        model.model_validate(entry)
    except ValidationError as error:
        raise invalid(place, error, KINDS) from None
    if isinstance(entry.get("path"), str):
        problem = path_problem(entry["path"])
        if problem:
            raise place.at("path").error(f"the path {quoted(entry['path'])} {problem}")
    check = {
        "output_matches": _check_matches,
        "json_schema": _check_json_schema,
        "json_path": _check_json_path,
        "call_count": _check_call_count,
        "command": check_command,
        "python": check_python,
    }.get(str(kind))
    if check is not None:
        check(entry, place)


def _check_members(entry: dict[str, Any], model: type[Document], place: Place, what: str) -> None:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for member in entry:
        if member not in fields:
            raise place.error(f"{what} has no member {quoted(member)}{nearest(member, fields)}")
    for name, field in fields.items():
        if field.is_required() and name not in entry:
            raise place.error(f"{what} needs the member '{name}'; add it")


def _check_matches(entry: dict[str, Any], place: Place) -> None:
    problem = _unjudgeable(entry)
    if problem:
        raise place.at("pattern").error(
            f"{quoted(entry['pattern'])}: {problem} (RE2 has no look-around and no back-references)"
        )


def _check_json_path(entry: dict[str, Any], place: Place) -> None:
    if _unjudgeable(entry):
        raise place.at("pointer").error(
            f"{quoted(entry['pointer'])} is not a JSON pointer (RFC 6901):"
            " begin with '/', write '~' as ~0 and '/' as ~1"
        )


def _check_call_count(entry: dict[str, Any], place: Place) -> None:
    least, most = entry.get("min"), entry.get("max")
    if least is None and most is None:
        raise place.error("assertion call_count needs 'min' or 'max'; add one")
    if most is not None and (least or 0) > most:
        raise place.error(f"min {least} is above max {most}: no number of calls is both; swap them")


def _check_json_schema(entry: dict[str, Any], place: Place) -> None:
    schema, place = entry["schema"], place.at("schema")
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise place.error(
                f"the reference {quoted(reference)} leads out of the schema; copy its target under $defs"
            )
    _check_targets(schema, place)
    problem = _unjudgeable(entry)
    if problem:
        raise place.error(f"{problem}; write a JSON schema of draft 2020-12 with RE2 patterns")


def _unjudgeable(entry: dict[str, Any]) -> str | None:
    """Why no output could ever be judged by this assertion, in the grader's own words; None where one can."""
    from passfloor.grading import CannotJudge, Evidence, evaluate

    nothing = Evidence(stdout="null", stdout_cut=False, exit_code=0, files={}, tool_calls=(), starting={})
    try:
        evaluate(KINDS[entry["kind"]].model_validate(entry), nothing)  # type: ignore[arg-type]
    except CannotJudge as error:
        return shown(str(error), 200)
    return None


def _check_targets(schema: Any, place: Place) -> None:
    """Refuse a reference to nothing: grading would stumble over it in the middle of a run."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    references = list(_references(schema))
    if not references:
        return
    whole = {key: value for key, value in schema.items() if key not in ("$id", "$schema")}
    resolver = Registry[Any]().resolver_with_root(DRAFT202012.create_resource(whole))
    for reference in references:
        try:
            resolver.lookup(reference)
        except (AttributeError, TypeError):
            return  # not a schema at all: its grader says why
        except (Unresolvable, ValueError, LookupError):
            raise place.error(
                f"the reference {quoted(reference)} leads nowhere; add its target under $defs"
            ) from None


def _references(value: Any) -> Iterator[str]:
    """The texts under ``$ref`` and ``$dynamicRef``, but for those in what keywords hold as plain data."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("$ref", "$dynamicRef") and isinstance(item, str):
                yield item
            if key not in ("const", "default", "enum", "examples"):
                yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)
