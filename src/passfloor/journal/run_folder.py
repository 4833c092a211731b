"""A run's folder: ``plan.json``, there before the first attempt, and ``journal.jsonl``, one line an event."""

import contextlib
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

from passfloor import chains
from passfloor.errors import JournalError, UsageError
from passfloor.journal import lines, places
from passfloor.journal.header import RunHeader, read_header
from passfloor.journal.state import Begun, Event, Finished, RunState, Slot, event_of
from passfloor.journal.writer import ChainWriter
from passfloor.models.plan import Stage
from passfloor.models.receipt import Environment

__all__ = ["RunFolder", "RunHeader", "RunJournal", "find_runs", "named_run", "newest_unfinished"]

_PLAN = "plan.json"
_JOURNAL = "journal.jsonl"
_CHAIN = "passfloor/run-journal/v1"
_RUN_ID = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}")


class RunFolder:
    """One run on disk. Reading changes nothing; one process at a time may write.

    Attributes:
        path: the folder, named after the run.
        header: what was fixed before the first attempt.
    """

    def __init__(self, path: Path, header: RunHeader) -> None:
        """Made by ``create`` and ``open``."""
        self.path = path
        self.header = header
        # The header's digest starts the chain: neither can be exchanged without the other.
        self._before = chains.start(_CHAIN, header.run, header.digest())

    @classmethod
    def create(cls, runs_dir: Path, header: RunHeader) -> Self:
        """Make the folder of a new run under ``runs_dir``, which is made where it is missing.

        ``runs_dir`` gets a ``.gitignore`` that keeps all of it out of git. A folder without ``plan.json`` is
        what a crash in here leaves, and is no run.

        Raises:
            UsageError: the run is there already.
            EnvironmentFault: the folder cannot be written to.
            JsonError: the header has no JSON form, such as an ``out`` that is not Unicode.
        """
        data = header.data()
        places.make_folder(runs_dir, private=False)
        if not (runs_dir / ".gitignore").exists():
            places.write_file(runs_dir / ".gitignore", b"*\n")
        path = runs_dir / header.run
        places.make_folder(path, new=True)
        folder = cls(path, header)
        ChainWriter.open(path / _JOURNAL, folder._before, create=True).close()
        places.write_file(path / _PLAN, data)
        places.sync_folder(runs_dir)
        return folder

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open the folder of a run.

        Raises:
            UsageError: there is no such folder, or it bears another name than its run.
            JournalError: its header is missing or malformed.
        """
        if not path.is_dir():
            raise UsageError(f"there is no run {str(path)!a}; see `bench runs list`")
        header = read_header(places.read_file(path / _PLAN), str(path / _PLAN))
        if header.run != path.absolute().name:
            raise UsageError(f"{str(path)!a} holds the run {header.run}: name the folder after it")
        return cls(path, header)

    def write(self) -> "RunJournal":
        """Lock the run, mend a torn last line, and go on where it stands.

        Raises:
            JournalError: the journal is missing or damaged.
            UsageError: another process is running it.
            EnvironmentFault: it cannot be read or written.
        """
        state = self._nothing()

        def visit(offset: int, body: Any) -> None:
            state.apply(event_of(body), offset)

        writer = ChainWriter.open(self.path / _JOURNAL, self._before, create=False, visit=visit)
        state.torn = writer.torn > 0
        return RunJournal(writer, state)

    def state(self) -> RunState:
        """Where the run stands by now; another process may be taking it further.

        Raises:
            JournalError: the journal is missing or damaged; names the line.
        """
        state = self._nothing()
        reader = lines.ChainReader(self.path / _JOURNAL, self._before)
        reader.replay(lambda offset, body: state.apply(event_of(body), offset))
        state.torn = reader.torn > 0
        return state

    def read(self, offset: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """A finished attempt and the blobs that came with it, from an offset of ``RunState.finished``.

        Raises:
            JournalError: no such line stands there.
        """
        body = lines.read_line(self.path / _JOURNAL, offset)
        if not isinstance(event_of(body), Finished):
            raise JournalError(f"{str(self.path / _JOURNAL)!a}: no finished attempt stands at byte {offset}")
        return body["attempt"], body["blobs"]

    def _nothing(self) -> RunState:
        return RunState(self.header.plan, self.header.opening.started_at, self.header.environment)


class RunJournal:
    """A run that is being written; threads may share it.

    Attributes:
        state: where it stands, kept up to date.
    """

    def __init__(self, writer: ChainWriter, state: RunState) -> None:
        """Made by ``RunFolder.write``."""
        self.state = state
        self._writer = writer
        self._lock = threading.Lock()
        self._finishing: set[Slot] = set()

    def begin(self, task_id: str, index: int) -> None:
        """Say that an attempt begins; call it before anything of the attempt happens. Not synced.

        Raises:
            JournalError: it is finished already, or outside the plan.
            EnvironmentFault: it cannot be written.
        """
        self._record({"event": "begin", "task_id": task_id, "index": index}, sync=False)

    def finish(self, attempt: Mapping[str, Any], blobs: Mapping[str, Any]) -> None:
        """Keep a finished attempt. When this returns it is on the disk, and counts.

        Args:
            attempt: the attempt as it will stand in the receipt.
            blobs: the large values that it refers to, sha256 -> value.

        Raises:
            JournalError: it was never begun, or is finished already.
            EnvironmentFault: it cannot be written; it does not count.
            JsonError: it is no JSON.
        """
        body = {"event": "finish", "attempt": dict(attempt), "blobs": dict(blobs)}
        event = event_of(body)
        if not isinstance(event, Finished):
            raise JournalError("the attempt names no task and index")
        with self._claimed(event):
            # Outside the lock, so that those that finish together are synced together.
            offset = self._writer.append(body, sync=True)
            with self._lock:
                self.state.apply(event, offset)

    def stage(self, stage: Stage, environment: Environment) -> None:
        """Raise the number of attempts of a sealed run; the run is unsealed until it is sealed anew.

        Args:
            stage: what is added: its n, its plan's hash, when, and the hash of the receipt it extends.
            environment: where it runs.

        Raises:
            JournalError: the run is not sealed, n does not grow, or something besides n differs.
            EnvironmentFault: it cannot be written.
        """
        body = {"event": "stage", **stage.model_dump(), "environment": environment.model_dump()}
        self._record(body, sync=True)

    def sealed(
        self, receipt_hash: str, ended_at: str, emitted_at: float, *, out: str | None, suite_embedded: bool
    ) -> None:
        """Keep that a receipt was made of all attempts; sealed again, the last one counts.

        Args:
            receipt_hash: of the receipt.
            ended_at: the session's.
            emitted_at: the receipt's.
            out: where it is written, for people.
            suite_embedded: whether it holds the suite.

        Raises:
            JournalError: an attempt is unfinished.
            EnvironmentFault: it cannot be written.
        """
        body = {
            "receipt_hash": receipt_hash,
            "ended_at": ended_at,
            "emitted_at": emitted_at,
            "out": out,
            "suite_embedded": suite_embedded,
        }
        self._record({"event": "seal", **body}, sync=True)

    def close(self) -> None:
        """Let others write."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _record(self, body: dict[str, Any], *, sync: bool) -> None:
        event = event_of(body)
        with self._lock:
            self._check(event)
            self.state.apply(event, self._writer.append(body, sync=sync))

    def _check(self, event: Event) -> None:
        try:
            self.state.check(event)
        except JournalError as error:
            raise JournalError(f"the journal refuses an event that {error}") from None
        if isinstance(event, Begun | Finished) and event.slot in self._finishing:
            raise JournalError(f"task {event.slot[0]!a}, attempt {event.slot[1]} is being finished already")

    @contextlib.contextmanager
    def _claimed(self, event: Finished) -> Iterator[None]:
        with self._lock:
            self._check(event)
            self._finishing.add(event.slot)
        try:
            yield
        finally:
            with self._lock:
                self._finishing.discard(event.slot)


def find_runs(runs_dir: Path) -> list[RunFolder]:
    """The runs of a folder, newest first; a folder that is not there holds none.

    Raises:
        JournalError: the header of a run is malformed.
        EnvironmentFault: the folder cannot be read.
    """
    try:
        names = [entry.name for entry in runs_dir.iterdir() if _RUN_ID.fullmatch(entry.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise places.refused(runs_dir, "read", error) from None
    found = [RunFolder.open(runs_dir / name) for name in names if (runs_dir / name / _PLAN).exists()]
    return sorted(found, key=lambda run: (run.header.opening.started_at, run.header.run), reverse=True)


def named_run(runs_dir: Path, run: str) -> RunFolder:
    """The run of that id.

    Raises:
        UsageError: no id looks like that, or there is no such run.
        JournalError: its header is missing or malformed.
    """
    if not _RUN_ID.fullmatch(run):
        raise UsageError(f"{run!a} is no id of a run, such as 20260131T093000Z-0a1b2c; see `bench runs list`")
    return RunFolder.open(runs_dir / run)


def newest_unfinished(runs_dir: Path, matches: Callable[[RunHeader], bool]) -> RunFolder | None:
    """The newest run that matches and is not sealed, or None.

    Raises:
        JournalError: a header, or the journal of a run that matches, is damaged.
        EnvironmentFault: the folder cannot be read.
    """
    runs = (run for run in find_runs(runs_dir) if matches(run.header))
    return next((run for run in runs if run.state().sealed is None), None)
