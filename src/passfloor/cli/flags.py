"""Flags declared once: a dataclass of them becomes parameters of a verb, which is handed the object.

A group is a frozen dataclass whose fields are ``Annotated`` with ``typer.Option``; a field that is a group
itself stands for all of that one's flags. A verb names a group as the type of a parameter::

    @takes_flags
    def verify(receipt: ReceiptPath, flags: VerifyFlags, as_json: Json = False) -> None: ...

A further flag is one more field; every verb that takes its group has it from then on.
"""

import copy
import dataclasses
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeGuard, get_args

from typer.models import ArgumentInfo, ParameterInfo

from passfloor.errors import UsageError

PLACES = frozenset({"BASE", "DIR", "FILE", "FOLDER", "NEW", "NONCE|FILE", "PATH", "RECEIPT", "SUITE"})
"""What the value of a flag is called that names a file or a folder; an empty one names none."""


def takes_flags(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb, in place of each parameter that is a group, parameters for that group's flags.

    Where a value is called one of ``PLACES`` an empty one is refused: a path of no letters would be the
    folder one stands in, and is what a variable gives that was never set.
    """
    signature = inspect.signature(verb)
    groups = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if _is_group(parameter.annotation)
    }

    def made(**values: Any) -> None:
        objects = {name: _collect(group, values) for name, group in groups.items()}
        verb(**values, **objects)

    flags = [flag for parameter in signature.parameters.values() for flag in _flags_of(parameter)]
    made.__name__, made.__doc__, made.__module__ = verb.__name__, verb.__doc__, verb.__module__
    made.__signature__ = signature.replace(parameters=flags)  # type: ignore[attr-defined]
    made.__annotations__ = {flag.name: flag.annotation for flag in flags}
    return made


def _flags_of(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    if not _is_group(parameter.annotation):
        yield parameter.replace(
            kind=inspect.Parameter.KEYWORD_ONLY, annotation=_looked_at(parameter.annotation)
        )
        return
    for field in dataclasses.fields(parameter.annotation):
        default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield from _flags_of(
            inspect.Parameter(
                field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=field.type
            )
        )


def _is_group(kind: Any) -> TypeGuard[type[Any]]:
    return isinstance(kind, type) and dataclasses.is_dataclass(kind)


def _collect(group: type[Any], values: dict[str, Any]) -> Any:
    """The group's object; what it is made of is taken out of ``values``."""
    members: Mapping[str, Any] = {
        field.name: _collect(field.type, values) if _is_group(field.type) else values.pop(field.name)
        for field in dataclasses.fields(group)
    }
    return group(**members)


def _looked_at(annotation: Any) -> Any:
    """The annotation with a parser that refuses an empty value, where that would name a place."""
    kind, *notes = get_args(annotation) if hasattr(annotation, "__metadata__") else (annotation,)
    infos = [note for note in notes if isinstance(note, ParameterInfo) and note.metavar in PLACES]
    if not infos or infos[0].parser is not None:
        return annotation
    info = copy.copy(infos[0])
    into = Path if kind is Path or Path in get_args(kind) else str
    info.parser = partial(_place, _name(info), into)
    return Annotated[kind, info]


def _name(info: ParameterInfo) -> str:
    # The first word of an option declared with Annotated stands where typer looks for a default.
    words = [] if isinstance(info, ArgumentInfo) else [info.default, *(info.param_decls or ())]
    return next((str(word) for word in words if str(word).startswith("--")), info.metavar or "a value")


def _place(name: str, into: type[Any], value: Any) -> Any:
    if value == "":
        raise UsageError(f"{name} is empty: name a place, or leave it out (is its variable set?)")
    return into(value)
