import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.main import get_command

from passfloor.cli.app import app
from passfloor.cli.entry import run
from passfloor.cli.flags import PLACES, takes_flags
from passfloor.errors import UsageError


@dataclass(frozen=True)
class Inner:
    depth: Annotated[int, typer.Option("--depth", metavar="D")] = 1


@dataclass(frozen=True, kw_only=True)
class Group:
    folder: Annotated[Path | None, typer.Option("--folder", metavar="DIR")] = None
    inner: Inner
    word: Annotated[list[str] | None, typer.Option("--word", metavar="FILE")] = None


SEEN = []


@takes_flags
def verb(
    source: Annotated[str, typer.Argument(metavar="RECEIPT")],
    group: Group,
    *,
    loud: Annotated[bool, typer.Option("--loud")] = False,
) -> None:
    """Do it."""
    SEEN.append((source, group, loud))


def called(*arguments):
    own = typer.Typer()
    own.command()(verb)
    SEEN.clear()
    own(args=list(arguments), standalone_mode=False)
    return SEEN[-1]


def test_a_verb_is_handed_the_objects_that_its_flags_make():
    given = called("r.json", "--folder", "here", "--depth", "3", "--word", "a", "--word", "b", "--loud")
    assert given == ("r.json", Group(folder=Path("here"), inner=Inner(3), word=["a", "b"]), True)


def test_what_is_not_given_is_as_the_group_declares_it():
    assert called("r.json") == ("r.json", Group(inner=Inner()), False)


def test_flags_stand_in_the_order_of_their_declaration():
    assert [*inspect.signature(verb).parameters] == ["source", "folder", "depth", "word", "loud"]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["r.json", "--folder", ""], "--folder"),
        (["r.json", "--folder="], "--folder"),
        (["r.json", "--word", "a", "--word", ""], "--word"),
        ([""], "RECEIPT"),
    ],
)
def test_an_empty_place_is_refused_by_the_name_of_its_flag(arguments, name):
    with pytest.raises(UsageError, match=f"^{name} is empty"):
        called(*arguments)


def commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


PLACE_FLAGS = [
    (*path, parameter.opts[0])
    for path, command in commands(get_command(app))
    for parameter in command.params
    if parameter.metavar in PLACES and parameter.opts[0].startswith("--")
]


@pytest.mark.parametrize("words", PLACE_FLAGS, ids=" ".join)
def test_no_verb_takes_an_empty_value_for_a_place(words, capsys):
    assert run([*words, ""]) == 2
    assert f"{words[-1]} is empty" in capsys.readouterr().err
