"""JSON Schema (draft 2020-12) over untrusted values: no network, no backtracking regex, no endless walk.

``jsonschema`` evaluates; the keywords that would search with Python's ``re``, or compare every item with
every other, are replaced. References stay inside the schema: they start with ``#``, and ``$id`` and
``$schema`` may stand at the root alone. ``format`` is an annotation only, as the draft has it by default.
"""

from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import lru_cache, partial
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry

from passfloor.canonical import canonical, parse, text
from passfloor.errors import JsonError
from passfloor.grading.fresh_stack import on_fresh_stack
from passfloor.grading.kinds.patterns import compiled, found_by
from passfloor.grading.unjudged import CannotJudge

MAX_STEPS = 500_000
"""Most work in one evaluation, counted by ``_Work``: references can make a small schema exponential."""
MAX_NODES = 10_000
"""Values in a schema, itself and all that stand inside it."""
MAX_NESTING = 100
"""Keywords applied inside one another; far below what the interpreter's stack holds."""

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REFERENCES = ("$ref", "$dynamicRef")

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


class _Work:
    """What one evaluation has taken, in steps.

    One step is a keyword applied, a name or item looked at, a comparison of two values, or 64 bytes that RE2
    reads; two to start it. A keyword also counts by the weight of its values: the library writes
    those it refuses in messages.
    """

    def __init__(self, *values: object) -> None:
        self.steps = self.nesting = 0
        self._weights: dict[int, int] = {}
        self._automata: dict[str, Any] = {}
        for value in values:
            self._weigh(value)

    def add(self, steps: int) -> None:
        """Count the steps before they are taken.

        Raises:
            CannotJudge: they are more than ``MAX_STEPS`` now.
        """
        self.steps += steps
        if self.steps > MAX_STEPS:
            raise CannotJudge(f"the schema takes more than {MAX_STEPS} steps")

    def automaton(self, pattern: str) -> Any:
        """The compiled pattern, compiled once: the cache of ``re2`` is smaller than a schema can be."""
        if pattern not in self._automata:
            self._automata[pattern] = compiled(pattern)
        return self._automata[pattern]

    def weight(self, value: object) -> int:
        """16 for each value inside the value and for itself, 1 for each character."""
        return 16 + len(value) if isinstance(value, str) else self._weights.get(id(value), 16)

    def _weigh(self, root: object) -> None:
        # Parents come before children in this list, so reversed it has every child weighed first. The values
        # outlive the evaluation: no id is used twice.
        order, pending = [], [root]
        while pending:
            value = pending.pop()
            if isinstance(value, list | dict):
                order.append(value)
                pending.extend(value.values() if isinstance(value, dict) else value)
        for value in reversed(order):
            inside = [*value, *value.values()] if isinstance(value, dict) else value
            self._weights[id(value)] = 16 + sum(map(self.weight, inside))


_work: ContextVar[_Work] = ContextVar("work")


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
    try:
        return on_fresh_stack(lambda: _evaluated(validator, instance))
    except CannotJudge:
        raise
    except Exception as error:  # what a hostile schema can provoke inside the library has no closed list
        raise CannotJudge(f"the schema could not be evaluated: {type(error).__name__}") from error


def _evaluated(validator: Any, instance: object) -> bool:
    # The thread this runs in is new, and its context ends with it.
    _work.set(_Work(validator.schema, instance))
    return bool(validator.is_valid(instance))


@lru_cache(maxsize=64)
def _validator(schema_bytes: bytes) -> Any:
    try:
        schema: Any = parse(schema_bytes, max_nodes=MAX_NODES).value
    except JsonError as error:
        raise CannotJudge(f"the schema has more than {MAX_NODES} values, or is too deep") from error
    if isinstance(schema, dict):
        if schema.get("$schema", _DIALECT) != _DIALECT:
            raise CannotJudge(f"$schema is not {_DIALECT}")
        # The library would swap in its own class, and with it Python's re, wherever it meets $schema; and
        # with an $id of the right name "#" would lead out to a schema that the library ships.
        schema = {name: value for name, value in schema.items() if name not in {"$schema", "$id"}}
        _refuse_unsupported(schema)
    try:
        on_fresh_stack(lambda: Draft202012Validator.check_schema(schema, format_checker=None))  # type: ignore[arg-type]
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
            compiled(pattern)


def _found(pattern: str, text: str) -> bool:
    work = _work.get()
    work.add(2 + len(text) // 64)
    return found_by(work.automaton(pattern), text)


def _pattern(validator: Any, pattern: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if validator.is_type(instance, "string") and not _found(pattern, instance):
        yield ValidationError("no match")


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, _schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if _found(pattern, name):
                    yield from validator.descend(value, subschema)


def _additional_properties(
    validator: Any, subschema: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if validator.is_type(instance, "object"):
        named, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        for name, value in instance.items():
            if name not in named and not any(_found(pattern, name) for pattern in patterns):
                yield from validator.descend(value, subschema)


def _unique_items(validator: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if not wanted or not validator.is_type(instance, "array"):
        return
    _work.get().add(_work.get().weight(instance) // 16)
    if len({canonical(item) for item in instance}) != len(instance):
        yield ValidationError("not unique")


def _counted(
    name: str, keyword: Keyword, validator: Any, value: Any, instance: Any, schema: Any
) -> tuple[ValidationError, ...]:
    """Apply a keyword and count it."""
    work = _work.get()
    work.add(_price(name, value, instance, work))
    work.nesting += 1
    if work.nesting > MAX_NESTING:
        raise CannotJudge(f"the schema applies more than {MAX_NESTING} keywords inside one another")
    # Only whether there is an error matters. Taking the first at once, no keyword is left half applied.
    error = next(iter(keyword(validator, value, instance, schema) or ()), None)
    work.nesting -= 1
    return () if error is None else (error,)


def _price(name: str, value: Any, instance: Any, work: _Work) -> int:
    """The steps of a keyword itself, without those of the schemas it applies."""
    steps = 1 + _size(value) + (work.weight(instance) + work.weight(value)) // 1024
    if name in _EACH_ITEM:
        steps += _size(instance)
    if name in _SEARCHING:
        steps += _size(instance) ** 2 // 100
    if name in _COMPARING:
        wanted = value if name == "enum" and isinstance(value, list) else [value]
        steps += sum(min(work.weight(each), work.weight(instance)) // 16 for each in wanted)
    if name == "dependentRequired" and isinstance(value, dict):
        steps += sum(_size(names) for names in value.values())
    return steps


def _size(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


_EACH_ITEM = frozenset(
    {"additionalProperties", "contains", "items", "patternProperties", "propertyNames", "unevaluatedItems",
     "unevaluatedProperties"}
)  # fmt: skip
_SEARCHING = frozenset({"unevaluatedItems", "unevaluatedProperties"})
"""The library keeps what was evaluated in a list and searches it for every item."""
_COMPARING = frozenset({"const", "enum"})

_KEYWORDS: dict[str, Keyword] = {
    **Draft202012Validator.VALIDATORS,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
}
_Validator: Any = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {name: partial(_counted, name, keyword) for name, keyword in _KEYWORDS.items()}
)
