"""MCPMark's results on disk, in either of two shapes.

An experiment: ``<model>__<service>/run-<i>/<category>__<task>/meta.json``, one folder an attempt. Published:
one file a task, ``{model, service, task, runs: {"run-1": {success, ...}, ...}}``, one folder a model.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from passfloor.canonical.lenient import parse
from passfloor.errors import ImportRefused, JsonError
from passfloor.importers import files, trees, words
from passfloor.importers.interface import Note
from passfloor.importers.streams import Cursor

META = "meta.json"
_RUN = re.compile(r"run-([0-9]{1,6})", re.ASCII)
_WEBARENA = "playwright_webarena"
"""The service's second set of tasks; the tool counts both as ``playwright``."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt: where it stands, not what it says.

    Attributes:
        run: The number in ``run-<i>``; 0 where the run has another name.
    """

    model: str
    service: str
    task: str
    name: str
    run: int
    file: Path

    @property
    def where(self) -> str:
        """For people."""
        if self.file.name == META:
            return trees.plain(*self.file.parts[-4:])
        return f"{trees.plain(self.file.name)}: {trees.plain(self.name)}"


@dataclass(frozen=True)
class Found:
    """What a folder holds: attempts, those that were started and left no result, warnings."""

    attempts: tuple[Attempt, ...]
    lost: tuple[Attempt, ...] = ()
    notes: tuple[Note, ...] = ()


def find(path: Path) -> Found:
    """All attempts in a file or below a folder.

    Raises:
        ImportRefused: there are none, or a file is broken.
    """
    if not trees.is_folder(path):
        return Found(tuple(_published(path)))
    services = list(_services(path))
    if services:
        return _experiment(services)
    attempts = [each for file in _task_files(path) for each in _published(file)]
    if not attempts:
        raise ImportRefused(
            f"{files.shown(path)} holds no MCPMark results: expected <model>__<service>/run-1/<task>/{META} "
            "or files with runs"
        )
    _refuse_cut(path)
    return Found(tuple(attempts))


def shape(path: Path) -> str | None:
    """Which of the shapes a path has, from its names and the start of one file; None for neither.

    Raises:
        ImportRefused: what stands there cannot be read.
    """
    if not trees.is_folder(path):
        return "a file with a task's runs" if _is_published(path) else None
    if next(_services(path), None) is not None:
        return f"an experiment, with run-<i>/<task>/{META}"
    found = any(file.suffix == ".json" and _is_published(file) for file in trees.some(path, 1))
    return "a folder with a file of runs for each task" if found else None


def _services(path: Path) -> Iterator[tuple[str, str, Path]]:
    """Model, service and folder of each ``<model>__<service>`` here; this one alone where it is one."""
    if "__" in path.name and _runs(path):
        model, _, service = path.name.partition("__")
        yield model, service, path
        return
    for folder in trees.folders(path):
        model, _, service = folder.name.partition("__")
        if service and _runs(folder):
            yield model, service, folder


def _runs(folder: Path) -> list[Path]:
    return [each for each in trees.folders(folder) if _RUN.fullmatch(each.name)]


def _experiment(services: list[tuple[str, str, Path]]) -> Found:
    attempts: list[Attempt] = []
    unfinished: list[Attempt] = []
    broken: list[Attempt] = []
    for model, named, folder in services:
        service = "playwright" if named == _WEBARENA else named
        for run in _runs(folder):
            for task in trees.folders(run):
                if "__" not in task.name:
                    continue
                each = _attempt((model, service, task.name), run.name, task / META)
                if not trees.present(each.file):
                    unfinished.append(each)
                    continue
                try:
                    trees.document(each.file)
                except ImportRefused:
                    broken.append(each)
                    continue
                attempts.append(each)
    notes = []
    if unfinished:
        told = words.counted(len(unfinished), "attempt", "attempts")
        notes.append(Note("unfinished", f"{told} started and left no {META}"))
    if broken:
        named = words.listed([each.task for each in broken])
        notes.append(Note("cut", f"the {META} of {named} is no JSON object: it counts as missing"))
    return Found(tuple(attempts), (*unfinished, *broken), tuple(notes))


def _attempt(task: tuple[str, str, str], name: str, file: Path) -> Attempt:
    found = _RUN.fullmatch(name)
    return Attempt(*task, name, int(found.group(1)) if found else 0, file)


def _task_files(path: Path) -> Iterator[Path]:
    for file in files.walk(path, depth=1):
        if file.suffix == ".json" and _is_published(file):
            yield file


def _refuse_cut(path: Path) -> None:
    """Refuse files that are cut so short that nothing says what they were: a task would go uncounted."""
    for file in files.walk(path, depth=1):
        if file.suffix == ".json" and not _is_published(file) and trees.present(file):
            try:
                parse(files.text(file))
            except JsonError as error:
                raise ImportRefused(
                    f"{files.shown(file)}: {error}; get the whole file, or move it away if it is no task's"
                ) from None


def _is_published(file: Path) -> bool:
    start = files.head(file)
    return all(b'"%s"' % name in start for name in (b"model", b"task", b"runs", b"success"))


def _published(file: Path) -> Iterator[Attempt]:
    record = trees.document(file) if trees.present(file) else {}
    runs = record.get("runs")
    model, task = record.get("model"), record.get("task")
    if not isinstance(runs, dict) or not isinstance(model, str) or not isinstance(task, str):
        raise ImportRefused(f"{files.shown(file)} is no MCPMark file: expected model, task and runs")
    service = record.get("service")
    for name, run in runs.items():
        if not isinstance(run, dict):
            raise ImportRefused(f"{files.shown(file)}: {name[:40]!a} of runs is no object")
        place = (model, service if isinstance(service, str) else "", task)
        yield _attempt(place, name, file)


def texts(file: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each run in a published file, as they stand there.

    Raises:
        ImportRefused: it is broken, or a run stands there twice.
    """
    seen: set[str] = set()
    with files.opened(file) as stream:
        cursor = Cursor(stream, files.shown(file))
        if not cursor.enter("runs"):
            raise ImportRefused(f"{files.shown(file)} is no MCPMark file: expected runs in it")
        for name in cursor.members():
            if name in seen:
                raise ImportRefused(f"{files.shown(file)}: {name[:40]!a} stands twice in runs; keep one")
            seen.add(name)
            yield name, cursor.value()


def overall(path: Path) -> dict[str, Any]:
    """The figures of an experiment's ``summary.json`` by model; empty where there is none."""
    file = path / "summary.json"
    try:
        summary = trees.optional(file) if trees.is_folder(path) else {}
    except ImportRefused:
        return {}
    table = summary.get("overall")
    return table if isinstance(table, dict) else {}
