"""From tau2-bench results, of either layout, to records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from passfloor.errors import ImportRefused
from passfloor.grading.imported.verdicts import number, text
from passfloor.importers import files, rules, trees
from passfloor.importers.fields import MAX_TRIALS, mapping, task_name, trial, whole
from passfloor.importers.interface import Asked, Convention, Log, Note, Record, Subject, TaskName
from passfloor.importers.streams import Cursor
from passfloor.importers.words import counted

_RESULTS, _FOLDER = "results.json", "simulations"
# What the index repeats of a simulation, and where the simulation has it.
_REPEATED = ("task_id", "trial", "termination_reason")


@dataclass
class _Head:
    """What stands beside the simulations."""

    info: Mapping[str, Any] = field(default_factory=dict)
    tasks: dict[TaskName, None] = field(default_factory=dict)
    index: dict[str, Mapping[str, Any]] | None = None


class Tau2Importer:
    """Reads what ``tau2 run`` writes: one file, or a results file beside a folder of simulations."""

    name = "tau2"
    title = "tau2-bench"
    reads = "a results .json file, or the folder of results.json and simulations/"

    def recognise(self, path: Path) -> str | None:
        """See ``Importer.recognise``."""
        try:
            place = path / _RESULTS if trees.is_folder(path) else path
        except (ImportRefused, OSError):
            return None
        start = files.head(place)
        if start.lstrip()[:1] == b"{" and b'"environment_info"' in start and b'"num_trials"' in start:
            return "it begins with the info of a tau2-bench run (num_trials, environment_info)"
        return None

    def read(self, path: Path, asked: Asked) -> Log:
        """See ``Importer.read``."""
        rule = rules.rule(asked, self.title, "--threshold")
        place, folder = _places(path)
        head = _head(place, beside=folder is not None)
        trials, redone = whole(head.info.get("num_trials")) or 0, 0
        if trials > MAX_TRIALS:
            raise ImportRefused(f"{files.shown(place)} plans {trials} trials, the limit is {MAX_TRIALS}")
        tasks, some = dict(head.tasks), False
        for each, simulation in _simulations(place, folder, head):
            tasks[each.task] = None
            some = True
            trials = max(trials, 1 if each.index is None else each.index + 1)
            redone += bool(whole(simulation.get("hallucination_retries_used")))
        if not some:
            raise ImportRefused(
                f"{files.shown(place)} holds no simulation: nothing ran, or its folder is absent"
            )
        return Log(
            importer=self.name,
            suite=_suite(head.info),
            subject=_subject(head.info),
            rule=rule,
            tasks=tuple(tasks),
            planned=trials or None,
            records=lambda: (each for each, _ in _simulations(place, folder, head)),
            notes=tuple(_notes(head, folder, redone)),
            convention=Convention(
                errors="dropped",
                why="tau2-bench leaves simulations that ended in an infrastructure error, and those that are "
                "absent, out of its metrics; here every planned trial of every task counts.",
            ),
        )


def _places(path: Path) -> tuple[Path, Path | None]:
    """The results file, and the folder of simulations where there is one."""
    place = path / _RESULTS if trees.is_folder(path) else path
    folder = place.parent / _FOLDER
    return place, folder if place.name == _RESULTS and trees.is_folder(folder) else None


def _head(place: Path, *, beside: bool) -> _Head:
    head = _Head()
    with files.opened(place) as stream:
        cursor = Cursor(stream, place.name)
        for name in cursor.members():
            if name == "info":
                head.info = mapping(cursor.value(), f"{place.name}: info")
            elif name == "tasks" and cursor.peek() == "[":
                for position in cursor.elements():
                    where = f"{place.name}: tasks: entry {position + 1}"
                    head.tasks[task_name(mapping(cursor.value(), where).get("id"), where)] = None
            elif name == "simulation_index" and cursor.peek() == "[":
                head.index = _index(cursor, place.name)
            elif name == "simulations" and beside:
                if cursor.value() not in ("[]", "null"):
                    raise ImportRefused(
                        f"{files.shown(place)} holds simulations and stands beside a folder of them: which "
                        "count is not said; move one of the two away"
                    )
            else:
                cursor.skip()
        cursor.end()
    if "num_trials" not in head.info and not head.tasks:
        raise ImportRefused(
            f"{files.shown(place)} has no 'info' and no 'tasks': expected the results of tau2-bench"
        )
    return head


def _index(cursor: Cursor, name: str) -> dict[str, Mapping[str, Any]]:
    index: dict[str, Mapping[str, Any]] = {}
    for position in cursor.elements():
        where = f"{name}: simulation_index: entry {position + 1}"
        entry = mapping(cursor.value(), where)
        key = text(entry.get("id"))
        if key is None or key in index:
            raise ImportRefused(f"{where} has no id of its own: get the file again")
        index[key] = entry
    return index


def _simulations(place: Path, folder: Path | None, head: _Head) -> Iterator[tuple[Record, Mapping[str, Any]]]:
    """All simulations, of the folder where there is one; checked against the index where there is one."""
    left = dict(head.index) if head.index is not None else None
    for content, where in _within(place) if folder is None else _beside(folder):
        simulation = mapping(content, where)
        if left is not None:
            _agree(left.pop(str(simulation.get("id")), None), simulation, where)
        order = tuple(text(simulation.get(name)) or "" for name in ("start_time", "timestamp"))
        index = trial(simulation.get("trial"), where)
        yield Record(task_name(simulation.get("task_id"), where), index, content, where, order), simulation
    if left:
        raise ImportRefused(
            f"{files.shown(place)} lists {counted(len(left), 'simulation', 'simulations')} not there, such "
            f"as {next(iter(left))[:80]!a}: get the whole folder"
        )


def _agree(entry: Mapping[str, Any] | None, simulation: Mapping[str, Any], where: str) -> None:
    if entry is None:
        raise ImportRefused(
            f"{where} is not in the simulation_index: results.json and the folder are of two runs"
        )
    rewards = simulation.get("reward_info")
    reward = rewards.get("reward") if isinstance(rewards, dict) else None
    pairs = {name: (entry.get(name), simulation.get(name)) for name in _REPEATED}
    pairs["reward"] = (number(entry.get("reward")), number(reward))
    for name, (listed, found) in pairs.items():
        # Older indexes leave out what newer ones list.
        if listed != found and not (name == "task_id" and str(listed) == str(found)) and name in entry:
            raise ImportRefused(
                f"{where} and the simulation_index differ in {name}: one of them was changed; get both again"
            )


def _within(place: Path) -> Iterator[tuple[str, str]]:
    with files.opened(place) as stream:
        cursor = Cursor(stream, place.name)
        if cursor.enter("simulations") and cursor.peek() == "[":
            for position in cursor.elements():
                yield cursor.value(), f"{place.name}: simulation {position + 1}"


def _beside(folder: Path) -> Iterator[tuple[str, str]]:
    for path in files.walk(folder, depth=0):
        if path.suffix == ".json":
            yield files.text(path), f"{_FOLDER}/{path.name}"


def _suite(info: Mapping[str, Any]) -> str:
    environment = info.get("environment_info")
    domain = text(environment.get("domain_name")) if isinstance(environment, dict) else None
    return domain or "tasks"


def _subject(info: Mapping[str, Any]) -> Subject:
    agent = info.get("agent_info")
    if not isinstance(agent, dict):
        return Subject()
    return Subject(text(agent.get("implementation")), None, text(agent.get("llm")))


def _notes(head: _Head, folder: Path | None, redone: int) -> Iterator[Note]:
    if folder is not None and head.index is None:
        yield Note("no_index", "results.json has no simulation_index: that the folder is whole is not shown")
    if redone:
        yield Note(
            "retries",
            f"{counted(redone, 'simulation was', 'simulations were')} run again as the simulated user made "
            "things up: one attempt each",
        )
