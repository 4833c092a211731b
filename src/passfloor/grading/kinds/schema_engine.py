"""JSON Schema (draft 2020-12) over untrusted values: no network, no backtracking regex, no endless walk.

``jsonschema`` evaluates; the keywords that would search with Python's ``re``, or compare every item with
every other, are replaced. References stay inside the schema: they start with ``#``, and ``$id`` and
``$schema`` may stand at the root alone. ``format`` is an annotation only, as the draft has it by default.
"""

from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from passfloor.canonical import canonical, parse, text
from passfloor.errors import JsonError
from passfloor.grading.kinds.patterns import found
from passfloor.grading.unjudged import CannotJudge

MAX_STEPS = 500_000
"""Keywords applied and values compared in one evaluation: references can make a small schema exponential."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES = ("$ref", "$dynamicRef")

Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]

_steps: ContextVar[int] = ContextVar("steps")


def validator_of(schema: object) -> Any:
    """The compiled schema.

    Raises:
        CannotJudge: it is not draft 2020-12, refers out of itself, or has a pattern that is not RE2.
    """
    try:
        return _validator(text(schema))
    except JsonError as error:
        raise CannotJudge("the schema is not JSON") from error


def satisfies(validator: Any, instance: object) -> bool:
    """Whether the JSON value satisfies the compiled schema.

    Raises:
        CannotJudge: the schema recurses endlessly, refers to nothing, or takes over ``MAX_STEPS``.
    """
    token = _steps.set(0)
    try:
        return bool(validator.is_valid(instance))
    except CannotJudge:
        raise
    except Exception as error:  # what a hostile schema can provoke inside the library has no closed list
        raise CannotJudge(f"the schema could not be evaluated: {type(error).__name__}") from error
    finally:
        _steps.reset(token)


@lru_cache(maxsize=64)
def _validator(schema_bytes: bytes) -> Any:
    schema: Any = parse(schema_bytes).value
    if isinstance(schema, dict):
        if schema.get("$schema", _DIALECT) != _DIALECT:
            raise CannotJudge(f"$schema is not {_DIALECT}")
        # The library would swap in its own class, and with it Python's re, wherever it meets $schema; and
        # with an $id of the right name "#" would lead out to a schema that the library ships.
        schema = {name: value for name, value in schema.items() if name not in {"$schema", "$id"}}
        _refuse_unsupported(schema)
    try:
        Draft202012Validator.check_schema(schema, format_checker=None)  # type: ignore[arg-type]
        return _Validator(schema, registry=Registry())
    except SchemaError as error:
        raise CannotJudge(f"the schema is invalid at {error.json_path}") from error
    except Exception as error:
        raise CannotJudge(f"the schema could not be read: {type(error).__name__}") from error


def _refuse_unsupported(schema: dict[str, Any]) -> None:
    names: set[str] = set()
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            pending.extend(part)
        elif isinstance(part, dict):
            _refuse_part(part)
            names.update(part)
            pending.extend(part.values())
    if {"unevaluatedProperties", "patternProperties"} <= names:
        # The library finds the evaluated names with Python's re, which no hook reaches.
        raise CannotJudge("unevaluatedProperties beside patternProperties is not supported")


def _refuse_part(part: dict[str, Any]) -> None:
    # A property may bear any of these names; its value is then a schema and no text.
    for name in ("$schema", "$id"):
        if isinstance(part.get(name), str):
            raise CannotJudge(f"{name} stands inside the schema; only the root may have it")
    for name in _REFERENCES:
        if isinstance(part.get(name), str) and not part[name].startswith("#"):
            raise CannotJudge(f"{name} leads out of the schema; it has to start with #")
    patterns = part.get("patternProperties")
    for pattern in (part.get("pattern"), *(patterns if isinstance(patterns, dict) else ())):
        if isinstance(pattern, str):
            found(pattern, "")


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not found(pattern, instance):
        yield ValidationError("no match")


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if found(pattern, name):
                    yield from validator.descend(value, subschema)


def _additional_properties(
    validator: Any, subschema: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name not in named and not any(found(pattern, name) for pattern in patterns):
                yield from validator.descend(value, subschema)


def _unique_items(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not wanted or not validator.is_type(instance, "array"):
        return
    if len({canonical(item) for item in instance}) != len(instance):
        yield ValidationError("not unique")


def _counted(name: str, keyword: Keyword) -> Keyword:
    # The library keeps what was evaluated in a list and searches it for every item.
    square = name.startswith("unevaluated")

    def count(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError] | None:
        steps = _steps.get() + 1
        if isinstance(value, list | dict):
            steps += len(value)
        if square and isinstance(instance, list | dict):
            steps += len(instance) ** 2 // 100
        _steps.set(steps)
        if steps > MAX_STEPS:
            raise CannotJudge(f"the schema takes more than {MAX_STEPS} steps")
        return keyword(validator, value, instance, schema)

    return count


_KEYWORDS: dict[str, Keyword] = {
    **Draft202012Validator.VALIDATORS,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {name: _counted(name, keyword) for name, keyword in _KEYWORDS.items()}
)
