"""What is known of earlier runs: from the ledger of the identity, and from the folders of runs."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from passfloor.errors import UsageError
from passfloor.journal.run_folder import RunFolder, find_runs
from passfloor.journal.state import RunState
from passfloor.models.ledger import LedgerEntry, RunEnd, RunSeal, RunStage, RunStart

Status = Literal["completed", "unfinished", "aborted", "started"]


@dataclass(frozen=True)
class KnownRun:
    """One run; what neither of the two says is None.

    Attributes:
        run: Its id.
        start: The line of its start in the ledger; a run that was only sealed here has none.
        ends: Its further lines there, in order.
        folder: Its folder.
        state: Where its journal stands.
    """

    run: str
    start: RunStart | None
    ends: tuple[RunEnd | RunSeal | RunStage, ...]
    folder: RunFolder | None
    state: RunState | None

    @property
    def status(self) -> Status:
        """``completed``: a receipt was made of all attempts; ``unfinished``: it can be gone on with.

        Without its folder: as the ledger says, and ``started`` where that has no end of it.
        """
        if self.state is not None:
            return "unfinished" if self.state.sealed is None else "completed"
        match self.ends[-1:]:
            case [RunEnd(status=status)]:
                return status
            case [RunSeal()]:
                return "completed"
        return "started"

    @property
    def started_at(self) -> str:
        """When it started."""
        if self.folder is not None:
            return self.folder.header.opening.started_at
        return next((line.at for line in (self.start, *self.ends) if line is not None), "")

    @property
    def receipt_hash(self) -> str | None:
        """Of the receipt made last; None where there is none, or more was begun since."""
        if self.state is not None:
            return None if self.state.sealed is None else self.state.sealed.receipt_hash
        return next((end.receipt_hash for end in self.ends[-1:] if not isinstance(end, RunStage)), None)


def known_runs(runs_dir: Path, ledger: Iterable[LedgerEntry]) -> list[KnownRun]:
    """All runs that the ledger or a folder knows, newest first.

    Raises:
        JournalError: the ledger or a run is damaged.
        EnvironmentFault: one of them cannot be read.
    """
    starts: dict[str, RunStart] = {}
    ends: dict[str, list[RunEnd | RunSeal | RunStage]] = {}
    for entry in ledger:
        if isinstance(entry, RunStart):
            starts[entry.run] = entry
        else:
            ends.setdefault(entry.run, []).append(entry)
    folders = {folder.header.run: folder for folder in find_runs(runs_dir)}
    found = []
    for run in {**starts, **ends, **folders}:
        folder = folders.get(run)
        state = None if folder is None else folder.state()
        found.append(KnownRun(run, starts.get(run), tuple(ends.get(run, ())), folder, state))
    return sorted(found, key=lambda known: (known.started_at, known.run), reverse=True)


def known_run(run: str, runs_dir: Path, ledger: Iterable[LedgerEntry]) -> KnownRun:
    """The run of that id; raises as ``known_runs``, and UsageError where there is none."""
    for known in known_runs(runs_dir, ledger):
        if known.run == run:
            return known
    raise UsageError(
        f"there is no run {run!a} under {str(runs_dir)!a} or in the ledger; see `bench runs list`"
    )
