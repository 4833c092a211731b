"""Where in a suite something is wrong, and how to say it on one line."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from pydantic import ValidationError

from passfloor.errors import SuiteError

SHOWN = 80
"""The most characters of a foreign value that a message repeats."""


@dataclass(frozen=True)
class Place:
    """A member of a suite: the document's ``source``, a ``path`` such as ``tasks[3].files``, the task."""

    source: str
    path: str = ""
    task: str | None = None

    def at(self, *steps: str | int) -> "Place":
        """The place below this one: a number is a position, a text a member."""
        path = self.path
        for step in steps:
            if isinstance(step, int):
                path += f"[{step}]"
            elif step.isidentifier():
                path += f".{step}" if path else step
            else:
                path += f"[{quoted(step)}]"
        return replace(self, path=path)

    def of(self, task: str) -> "Place":
        """This place, inside the task of that id."""
        return replace(self, task=task)

    def say(self, message: str) -> str:
        """``message`` with the place in front, on one line whatever stands in the suite."""
        path = shown(self.path, 300)
        if path and self.task is not None:
            path += f" (task {quoted(self.task)})"
        return ": ".join(part for part in (shown(self.source, 300), path, message) if part)

    def error(self, message: str) -> SuiteError:
        """The same as an error."""
        return SuiteError(self.say(message))


def shown(text: str, limit: int = SHOWN) -> str:
    """``text`` in printable ASCII on one line, everything else escaped, cut after ``limit`` characters."""
    escaped = text[: limit + 1].encode("unicode_escape").decode("ascii")
    return escaped if len(escaped) <= limit else escaped[:limit] + "..."


def quoted(value: object, limit: int = SHOWN) -> str:
    """A JSON value as messages show it: text in quotes, a list or mapping by its size, all bounded."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = shown(value, limit)
        return f'"{escaped}"' if '"' not in escaped else f"'{escaped}'"
    if isinstance(value, dict):
        return f"a mapping of {len(value)}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a number of more than 64 bits"
    if isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


def nearest(word: object, known: Iterable[str]) -> str:
    """``(did you mean "x"?)`` or, where nothing is near, the names there are; with a blank in front."""
    names = sorted(known)
    found = difflib.get_close_matches(word[:100], names, n=1, cutoff=0.6) if isinstance(word, str) else []
    return f' (did you mean "{found[0]}"?)' if found else f" (known: {', '.join(names)})"


_WANTED = {
    "string_type": "write a text (quote it)",
    "list_type": "write a list",
    "dict_type": "write a mapping",
    "int_type": "write a whole number",
    "float_type": "write a number",
    "finite_number": "write a finite number",
    "bool_type": "write true or false",
}


def invalid(place: Place, error: ValidationError, tags: Iterable[str]) -> SuiteError:
    """Turn the first complaint of a model about the value at ``place`` into a one-line error.

    ``tags`` are the words in a location that name a branch of a union and not a member of the document.
    """
    errors = error.errors(include_url=False)
    # A number that is neither whole nor not: the second branch says "a number", the first "a whole number".
    first = errors[1] if len(errors) > 1 and errors[1]["loc"][-1] == "float" else errors[0]
    branches = {"int", "float", "str", "bool", "dict[str,any]", *tags}
    wanted = _WANTED.get(first["type"])
    if wanted is None:
        message = shown(first["msg"], 200)
        wanted = message[:1].lower() + message[1:]
    path = [step for step in first["loc"] if step not in branches]
    return place.at(*path).error(f"{quoted(first['input'])} is not allowed here: {wanted}")
