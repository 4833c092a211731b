"""Which rows are repeats of one test: those of one column that agree in ``testCase`` and ``vars``."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from passfloor.errors import ImportRefused
from passfloor.importers import choices
from passfloor.importers.interface import Note, TaskName
from passfloor.importers.promptfoo.rows import Column, Group, Output, Row
from passfloor.importers.words import counted


def columns(found: Output) -> dict[str, Column]:
    """The columns by name: the provider's label or id, with ``#`` and the prompt's number if it has more."""
    prompts: dict[Column, int] = {}
    for row in found.rows:
        prompts[row.column] = min(row.prompt, prompts.get(row.column, row.prompt))
    bases = Counter(column.label or column.provider for column in prompts)
    names: dict[str, Column] = {}
    for column, prompt in sorted(prompts.items(), key=lambda pair: pair[1]):
        base = column.label or column.provider
        name = base if bases[base] == 1 else f"{base}#{prompt}"
        names[name if name not in names else f"{name}#{column.prompt[:12]}"] = column
    return names


def other_names(column: Column) -> tuple[str, ...]:
    """What a column goes by besides its name."""
    return tuple(filter(None, (column.provider, column.label, column.prompt, column.prompt_label)))


def once(rows: list[Row], keep: Literal["first", "last"] | None) -> list[Row]:
    """Each row once, by its test's and prompt's number.

    Raises:
        ImportRefused: two rows have the same, and the user did not choose.
    """
    kept: dict[tuple[int, int], Row] = {}
    for row in rows:
        other = kept.setdefault((row.test, row.prompt), row)
        if other is not row and keep is None:
            raise ImportRefused(
                f"rows {other.position + 1} and {row.position + 1} both have testIdx {row.test} and "
                f"promptIdx {row.prompt}: two evals in one file? choose with --keep first or --keep last"
            )
        if keep == "last":
            kept[row.test, row.prompt] = row
    return sorted(kept.values(), key=lambda row: (row.test, row.prompt))


@dataclass(frozen=True)
class Tests:
    """The tests of a column.

    Attributes:
        names: All tasks, in order.
        planned: Attempts of each; a task is not in it where no repeat is told.
        places: Position of a row -> its task, its number, whether it was replayed.
        notes: Warnings.
    """

    names: tuple[TaskName, ...]
    planned: Mapping[TaskName, int]
    places: Mapping[int, tuple[TaskName, int, bool]]
    notes: tuple[Note, ...]


def tests(rows: list[Row], found: Output, repeat: int) -> Tests:
    """Group the rows of a column.

    Args:
        rows: In order, each once.
        found: What they come from.
        repeat: ``runtimeOptions.repeat``; 0 where it is not told.

    Raises:
        ImportRefused: tests cannot be told apart, since their variables were left out.
    """
    grouped: dict[bytes, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.group, []).append(row)
    names = _names({key: found.groups[key] for key in grouped})
    planned: dict[TaskName, int] = {}
    places: dict[int, tuple[TaskName, int, bool]] = {}
    notes: list[Note] = []
    for key, own in grouped.items():
        name, expected = names[key], found.groups[key].repeat or repeat
        for index, row in enumerate(own):
            places[row.position] = (name, index, row.cached)
        if not expected:
            continue
        times, left = divmod(len(own), expected)
        _check_told_apart(found.groups[key], len(own), expected)
        planned[name] = (times + bool(left)) * expected
        if left or times > 1:
            notes.append(_size_note(name, len(own), expected, left))
    order: list[TaskName] = list(names.values())
    if repeat:
        lost = list(_lost(rows, found, planned, repeat, notes))
        planned |= dict.fromkeys(lost, repeat)
        order += lost
    return Tests(tuple(order), planned, places, tuple(notes))


def _check_told_apart(group: Group, size: int, expected: int) -> None:
    if size > expected and not group.variables and not group.description:
        raise ImportRefused(
            f"{size} rows at repeat {expected} carry neither vars nor a description: tests cannot be told "
            "apart; export the eval with its variables"
        )


def _size_note(name: TaskName, size: int, expected: int, left: int) -> Note:
    shown = ascii(str(name)[:80])
    if left:
        return Note(
            "uneven",
            f"{shown} has {counted(size, 'row', 'rows')}, no multiple of repeat {expected}: the rest is "
            "missing",
        )
    return Note("same_tests", f"{shown} was written {size // expected} times: one task with {size} attempts")


def _lost(
    rows: list[Row], found: Output, planned: Mapping[TaskName, int], repeat: int, notes: list[Note]
) -> Iterator[TaskName]:
    """Tests that left no row, as the gaps in ``testIdx`` tell."""
    numbers = {row.test for row in rows}
    short = sum(planned.values()) - len(rows)
    lost = max(numbers) + 1 - len(numbers) - short
    if lost <= 0 or any(group.filtered for group in found.groups.values()):
        return
    count, odd = divmod(lost, repeat)
    named = count if not odd and count <= 10_000 else 0
    fate = "what they were for is missing" if named else "they are not counted"
    told = counted(lost, "number", "numbers")
    notes.append(Note("missing_rows", f"{told} of testIdx without row and test: {fate}"))
    yield from (f"(unnamed test {position + 1})" for position in range(named))


def _names(groups: Mapping[bytes, Group]) -> dict[bytes, TaskName]:
    """A name for each test: its description, else its variables; with more where two would have one name."""
    descriptions = Counter(group.description for group in groups.values())
    names: dict[bytes, TaskName] = {}
    taken: set[TaskName] = set()
    for position, (key, group) in enumerate(groups.items()):
        name = group.description or group.variables or f"test {position + 1}"
        if group.description and descriptions[group.description] > 1 and group.variables:
            name = f"{group.description} [{group.variables}]"
        if name in taken:
            name = f"{name} #{key.hex()[:12]}"
        taken.add(name)
        names[key] = name
    return names


def chosen(found: Output, agent: str | None) -> tuple[str, Column]:
    """The column that was asked for.

    Raises:
        ImportRefused: there are several and none was chosen.
    """
    named = columns(found)
    name = choices.chosen(
        agent, {name: other_names(column) for name, column in named.items()}, "columns (provider and prompt)"
    )
    return name, named[name]
