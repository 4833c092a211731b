"""Named agents, as ``passfloor.toml`` or ``[tool.passfloor]`` in ``pyproject.toml`` declares them."""

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from passfloor.errors import UsageError
from passfloor.models.base import Document

_Text = Annotated[str, Field(min_length=1)]

_WAYS: dict[str, frozenset[str]] = {
    "command": frozenset({"env", "record", "coordination"}),
    "function": frozenset({"env", "record", "coordination"}),
    "url": frozenset({"headers_env", "retries"}),
    "model": frozenset({"base_url", "options", "system", "api_key_env", "retries", "record", "coordination"}),
}
_ALWAYS = frozenset({"timeout_s"})
_WORDS_SHOWN = 80


class Agent(Document):
    """One agent: exactly one of ``command``, ``function``, ``url`` and ``model`` is set.

    Attributes:
        command: A program and its words.
        function: ``package.module:name``.
        url: An agent service.
        model: A model behind ``base_url``.
        env: Names of variables to let through, for ``command`` and ``function``.
        headers_env: Header -> variable, for ``url``.
        options: Members of the request, for ``model``; ``system`` and ``api_key_env`` likewise.
        retries: Further calls allowed in an attempt, for ``url`` and ``model``.
        timeout_s: Seconds an attempt has.
        record: Whether its model calls are recorded, for all but ``url``.
        coordination: By which rule attempts are compared.
    """

    command: Annotated[list[str], Field(min_length=1)] | None = None
    function: _Text | None = None
    url: _Text | None = None
    model: _Text | None = None
    base_url: _Text | None = None
    env: list[str] | None = None
    headers_env: dict[str, str] | None = None
    options: dict[str, Any] | None = None
    system: str | None = None
    api_key_env: _Text | None = None
    retries: Annotated[int, Field(ge=0)] | None = None
    timeout_s: Annotated[float, Field(gt=0)] | None = None
    record: bool | None = None
    coordination: Literal["identical", "causal"] | None = None


@dataclass(frozen=True)
class Profile:
    """A named agent and where its paths are seen from.

    Attributes:
        name: How the operator calls it.
        agent: How it is driven.
        folder: The folder of the file that declares it.
    """

    name: str
    agent: Agent
    folder: Path


def load_profiles(start: Path) -> dict[str, Profile]:
    """The agents that the nearest settings declare, name -> profile, in the order of the file.

    Settings are looked for in ``start`` and then upwards to the root of its git work tree; outside of one in
    ``start`` alone, since they name programs to run.

    Raises:
        UsageError: A file cannot be read, or something in it is unknown or not allowed.
    """
    for folder in _folders(start.absolute()):
        found = [(path, table) for path, table in _tables(folder) if table is not None]
        if len(found) > 1:
            raise UsageError(f"{found[0][0]} and {found[1][0]} both hold settings; keep one of them")
        for path, table in found:
            return _profiles(path, table)
    return {}


def _folders(start: Path) -> list[Path]:
    upwards = [start, *start.parents]
    for count, folder in enumerate(upwards, start=1):
        if (folder / ".git").exists():
            return upwards[:count]
    return [start]


def _tables(folder: Path) -> Iterable[tuple[str, Any]]:
    own, shared = folder / "passfloor.toml", folder / "pyproject.toml"
    yield str(own), _read(own)
    tools = (_read(shared) or {}).get("tool", {})
    yield f"{shared}: tool.passfloor", tools.get("passfloor") if isinstance(tools, dict) else None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(path.read_bytes().decode())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}); make it readable") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {_shown(str(error))}; mend it there") from None


def _profiles(where: str, table: Any) -> dict[str, Profile]:
    folder = Path(where.removesuffix(": tool.passfloor")).parent
    _known(where, _mapping(where, table), {"agents"})
    agents = _mapping(f"{where}: agents", table.get("agents", {}))
    return {
        name: Profile(name, _agent(f"{where}: agents.{_shown(name)}", value), folder)
        for name, value in agents.items()
    }


def _agent(where: str, value: Any) -> Agent:
    members = _mapping(where, value)
    _known(where, members, Agent.model_fields)
    try:
        agent = Agent.model_validate(members)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(step) for step in first["loc"])
        raise UsageError(f"{where}.{path} is not allowed: {_shown(first['msg'])}; mend it") from None
    _consistent(where, members)
    return agent


def _consistent(where: str, members: dict[str, Any]) -> None:
    """Exactly one way to drive the agent, and nothing that this way has no use for."""
    ways = [name for name in _WAYS if name in members]
    if len(ways) != 1:
        said = " and ".join(ways) if ways else "nothing to run"
        raise UsageError(f"{where} names {said}; give exactly one of {', '.join(_WAYS)}")
    way = ways[0]
    for name in sorted(members.keys() - _WAYS[way] - _ALWAYS - {way}):
        raise UsageError(f"{where}.{name} has no meaning beside {way}; leave it out")
    if way == "model" and "base_url" not in members:
        raise UsageError(f"{where} names a model without base_url; say where it is")


def _known(where: str, members: dict[str, Any], names: Iterable[str]) -> None:
    known = sorted(names)
    for name in members:
        if name not in known:
            near = difflib.get_close_matches(name[:_WORDS_SHOWN], known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise UsageError(f"{where}: {_shown(name)} is unknown; {hint}")


def _mapping(where: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} is no table; write [agents.NAME] and its settings below")
    return value


def _shown(text: str) -> str:
    escaped = text.encode("unicode_escape").decode("ascii")
    return escaped if len(escaped) <= _WORDS_SHOWN else f"{escaped[:_WORDS_SHOWN]}..."
