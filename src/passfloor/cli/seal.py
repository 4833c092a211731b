"""``bench seal``: seal a finished run that was made elsewhere, where the key is."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.exits import Exit, of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import complain, note
from passfloor.errors import PassfloorError, UsageError

if TYPE_CHECKING:
    from passfloor.journal.ledger import Ledger
    from passfloor.journal.run_folder import RunFolder
    from passfloor.journal.state import Sealed
    from passfloor.models.plan import Plan
    from passfloor.models.receipt import ReceiptHead
    from passfloor.models.suite import Suite
    from passfloor.report.view import RunView
    from passfloor.running.recorded import RecordedRun
    from passfloor.running.sealing import Draft

_NO_LIMIT = 2**62


@takes_flags
def seal(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="The id of a run, or the folder it was copied to.", show_default=False
        ),
    ],
    runs_dir: options.RunsDir = options.RUNS_DIR,
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help="The suite that was run. [default: what the run brought along, else the built-in one]",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the receipt is written.")] = Path(
        "reliability.json"
    ),
    force: Annotated[
        bool,
        typer.Option(
            "--force", help="Sign a run that was sealed before once more; replace an existing --out."
        ),
    ] = False,
    embed_suite: Annotated[
        bool | None,
        typer.Option(
            "--embed-suite/--no-embed-suite",
            help="Put the suite into the receipt. [default: when it is at most 256 KiB]",
            show_default=False,
        ),
    ] = None,
    stub_signer: Annotated[
        bool, typer.Option("--stub-signer", help="Sign with the public test stub: test-grade, needs no key.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Seal a run that bench run --no-seal left unsealed: derive everything from its journal, sign, write.

    Every attempt is judged again as a verifier would before anything is signed; a run that does not bear
    itself out is refused with exit 1. Other exit codes as of bench run.
    """
    from passfloor.journal.handover import read_handover
    from passfloor.models.plan import SYNTHETIC
    from passfloor.running.finished import require_finished
    from passfloor.running.preflight import check_out

    check_out(out, force=force)
    folder = _folder(run, runs_dir)
    state = folder.state()
    if state.sealed is not None and not force:
        raise UsageError(
            f"the run {folder.header.run} was sealed already, as {state.sealed.receipt_hash}; "
            "sign that receipt once more with --force"
        )
    if folder.header.plan.subject.adapter in SYNTHETIC and not stub_signer:
        raise UsageError(
            f"adapter {folder.header.plan.subject.adapter!a} drives no real agent: "
            "only --stub-signer may sign for it"
        )
    handover = read_handover(folder.path, folder.header.run)
    whole = _suite(folder, suite, None if handover is None else handover.suite)
    require_finished(folder, state, whole)
    job = Sealing(
        suite=whole,
        folder=folder,
        place=out,
        ended_at=None if handover is None else handover.ended_at,
        force=force,
        embed_suite=embed_suite,
        stub_signer=stub_signer,
        as_json=as_json,
    )
    if state.sealed is None:
        job.require_first()
    raise typer.Exit(job.perform())


@dataclass
class Sealing:
    """A finished run that can be sealed.

    Attributes:
        suite: The whole suite.
        place: Where the receipt is written, and stands once it is.
        ended_at: When the run ended; None where it did not say.
        created: Whether the signing identity was made for it.
    """

    suite: "Suite"
    folder: "RunFolder"
    place: Path
    ended_at: str | None
    force: bool
    embed_suite: bool | None
    stub_signer: bool
    as_json: bool
    created: bool = False

    @property
    def plan(self) -> "Plan":
        """The plan of the run's last stage."""
        return self.folder.header.plan.model_copy(update={"n": self.folder.state().n})

    @property
    def part(self) -> "Suite":
        """The tasks that were run."""
        from passfloor.running.selection import part

        return part(self.suite, self.folder.header.plan.selection)

    def perform(self) -> Exit:
        """Derive, judge, sign, write and tell; nothing is signed that does not bear itself out."""
        from passfloor.cli.telling import tell
        from passfloor.report.view import RunView
        from passfloor.running.recorded import RecordedRun, check_same

        view = RunView()
        n = self.folder.state().n
        with RecordedRun.resume(self.folder, n=n, concurrency=1, ledger=self._ledger()).open() as run:
            sealed = run.sealed
            with self._draft(run, sealed, view) as draft:
                if sealed is not None:
                    check_same(draft, sealed, self.place)
                if (refused := self._judged(draft)) is not None:
                    return refused
                receipt = self._signed(run, draft, sealed)
            self._enter(run, receipt)
        return tell(self, receipt, view)

    def _draft(self, run: "RecordedRun", sealed: "Sealed | None", view: "RunView") -> "Draft":
        from passfloor.running.finished import draft_finished
        from passfloor.running.runner import SealedBefore

        if sealed is None:
            return draft_finished(
                run, self.suite, embed_suite=self.embed_suite, ended_at=self.ended_at, witness=view
            )
        before = SealedBefore(sealed.ended_at, sealed.emitted_at)
        return draft_finished(run, self.suite, embed_suite=sealed.suite_embedded, before=before, witness=view)

    def _judged(self, draft: "Draft") -> Exit | None:
        """Why the run is not sealed, said; None where a verifier derives all that it says."""
        from passfloor.adapters.mock import MockReplayAdapter, MockScorer
        from passfloor.adapters.stochastic import StochasticMockReplayAdapter, StochasticMockScorer
        from passfloor.signing.signers import StubReliabilitySigner
        from passfloor.suites import read_suite
        from passfloor.verification.findings import Status
        from passfloor.verification.inputs import Inputs, Limits, Trust
        from passfloor.verification.verifier import verify

        inputs = Inputs(
            now=time.time(),
            trust=Trust(allow_stub=True),
            read_suite=lambda document: read_suite(document, folder=None, source="the embedded suite"),
            suite=self.suite,
            synthetic_scorers={
                MockReplayAdapter.key: MockScorer(),
                StochasticMockReplayAdapter.key: StochasticMockScorer(),
            },
            allow_unrecorded=True,
            limits=Limits(max_bytes=_NO_LIMIT, max_nodes=_NO_LIMIT),
        )
        with tempfile.TemporaryFile(dir=self.folder.path) as stream:
            # The stub stands in for the key, which is not touched before it is known what it would sign.
            stream.writelines(draft.file(StubReliabilitySigner().sign(draft.head)))
            stream.seek(0)
            outcome = verify(stream, inputs)
        if outcome.status in {Status.MATCH, Status.POLICY_FAILED}:
            return None
        first = min(outcome.findings, key=lambda finding: finding.status is not outcome.status)
        where = "" if first.task_id is None else f"task {first.task_id!a}, attempt {first.attempt}: "
        why = f"{outcome.status}/{first.code} ({where}{first.detail}; findings: {len(outcome.findings)})"
        return complain(
            f"the run {self.folder.header.run} is not sealed, a verifier would say {why}; "
            "copy it anew, or run it again",
            of_status(str(outcome.status)),
        )

    def _signed(self, run: "RecordedRun", draft: "Draft", sealed: "Sealed | None") -> "ReceiptHead":
        """The signed receipt, which is written to its place."""
        from passfloor.cli.signing import signer_for
        from passfloor.running.saving import place

        at = draft.head.emitted_at
        signer, self.created = signer_for(stub=self.stub_signer, runs_dir=self.folder.path, at=at)
        receipt = signer.sign(draft.head)
        if sealed is None:
            run.seal(draft.head, self.place)
        wanted = self.place
        self.place = place(draft.file(receipt), wanted, replace=self.force, run=run.session.run)
        if self.place != wanted:
            note(f"{wanted} was made meanwhile; the receipt stands in {self.place}")
        return receipt

    def require_first(self) -> None:
        """See to it that no other copy of the run was sealed under this identity.

        Raises:
            UsageError: one was, and ``force`` was not said.
        """
        from passfloor.models.ledger import RunSeal

        ledger, run = self._ledger(), self.folder.header.run
        if ledger is None or self.force:
            return
        for entry in ledger.entries():
            if isinstance(entry, RunSeal) and entry.run == run:
                raise UsageError(
                    f"a copy of the run {run} was sealed here already, as {entry.receipt_hash}: whoever sees "
                    "the ledger would see two receipts of one run; use that one, or say --force"
                )

    def _ledger(self) -> "Ledger | None":
        from passfloor.journal.ledger import Ledger

        home = None if self.stub_signer else options.store(os.environ).home
        return None if home is None else Ledger(home / "ledger.jsonl")

    def _enter(self, run: "RecordedRun", receipt: "ReceiptHead") -> None:
        """Enter the seal in the ledger of the identity: as the run's end where it started here."""
        from passfloor.models.ledger import RunSeal, RunStart
        from passfloor.running.finished import seal_line

        if (ledger := self._ledger()) is None:
            return
        try:
            lines = [entry for entry in ledger.entries() if entry.run == run.session.run]
            if any(isinstance(entry, RunStart) for entry in lines):
                run.complete(receipt.receipt_hash)
            elif not any(
                isinstance(entry, RunSeal) and entry.receipt_hash == receipt.receipt_hash for entry in lines
            ):
                ledger.seal(seal_line(run, receipt, time.time()))
        except PassfloorError as error:
            note(f"warning: the receipt is sealed, but not in the ledger: {error}")


def _folder(run: str, runs_dir: Path) -> "RunFolder":
    from passfloor.journal.run_folder import RunFolder, named_run

    return RunFolder.open(Path(run)) if os.sep in run or Path(run).is_dir() else named_run(runs_dir, run)


def _suite(folder: "RunFolder", named: str | None, brought: dict[str, Any] | None) -> "Suite":
    """The suite that was named, else the one that the run brought along, else the built-in one.

    Raises:
        UsageError: there is none of them.
        SuiteError: it is malformed.
    """
    from passfloor.suites import builtin_matching, load_suite, read_suite

    header = folder.header
    if named is not None:
        return load_suite(named, completion_only=header.plan.completion_only)
    if brought is not None:
        return read_suite(brought, folder=None, source="unsealed.json")
    selection = header.plan.selection
    wanted = header.plan.suite_hash if selection is None else selection.of
    found = builtin_matching(header.suite_version, wanted)
    if found is None:
        raise UsageError(
            f"the run {header.run} brought no suite along, and no built-in one is called "
            f"{header.suite_version!a}; name the suite that was run with --suite"
        )
    return found
