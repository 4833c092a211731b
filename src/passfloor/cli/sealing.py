"""From a draft to a signed receipt in its place; and the sealing of a run that was made elsewhere."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli import options
from passfloor.cli.exits import Exit, of_status
from passfloor.cli.outputs import complain, note
from passfloor.cli.seal_flags import SealFlags
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


@dataclass(frozen=True)
class Signed:
    """A receipt that stands in its place.

    Attributes:
        receipt: Its head.
        place: Where it stands; beside the place that was asked for, where that was taken meanwhile.
        created: Whether the signing identity was made for it.
    """

    receipt: "ReceiptHead"
    place: Path
    created: bool


def sign_and_place(
    run: "RecordedRun", draft: "Draft", flags: SealFlags, *, again: bool, apart: Path
) -> Signed:
    """Sign what was drafted, enter the seal in the run's journal and write the receipt.

    Args:
        run: The run it is of.
        draft: The unsigned receipt.
        flags: Where it goes and who signs.
        again: Whether the run bears this seal already; then nothing is entered, and a receipt that stands in
            its place stays.
        apart: Where agents may have written, so that no key may lie there.

    Raises:
        UsageError: no key can be used.
        EnvironmentFault: it cannot be written.
    """
    from passfloor.cli.signing import signer_for
    from passfloor.running.preflight import holds
    from passfloor.running.saving import place

    signer, created = signer_for(stub=flags.stub_signer, runs_dir=apart, at=draft.head.emitted_at)
    receipt = signer.sign(draft.head)
    if not again:
        run.seal(draft.head, flags.out)
    if not flags.force and holds(flags.out, receipt.receipt_hash):
        return Signed(receipt, flags.out, created)
    stands = place(draft.file(receipt), flags.out, replace=flags.force, run=run.session.run)
    if stands != flags.out:
        note(f"{flags.out} was made meanwhile; the receipt stands in {stands}")
    return Signed(receipt, stands, created)


@dataclass
class Sealing:
    """A finished run that can be sealed.

    Attributes:
        suite: The whole suite.
        n: Attempts a task, of its last stage.
        ended_at: When the run ended; None where it did not say.
    """

    suite: "Suite"
    folder: "RunFolder"
    n: int
    ended_at: str | None
    flags: SealFlags
    as_json: bool

    @property
    def plan(self) -> "Plan":
        """The plan of the run's last stage."""
        return self.folder.header.plan.model_copy(update={"n": self.n})

    @property
    def stub_signer(self) -> bool:
        """Whether the test stub signs."""
        return self.flags.stub_signer

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
        with RecordedRun.resume(self.folder, n=self.n, concurrency=1, ledger=self._ledger()).open() as run:
            sealed = self._own_seal(run)
            with self._draft(run, sealed, view) as draft:
                if sealed is not None:
                    check_same(draft, sealed, self.flags.out)
                if (refused := self._judged(draft)) is not None:
                    return refused
                again = sealed is not None
                signed = sign_and_place(run, draft, self.flags, again=again, apart=self.folder.path)
            self._enter(run, signed.receipt)
        return tell(self, signed, view)

    def _own_seal(self, run: "RecordedRun") -> "Sealed | None":
        """The seal that the run bears, where this identity made it: whoever else did chose the time in it."""
        from passfloor.running.finished import was_sealed_here

        sealed, ledger = run.sealed, self._ledger()
        if sealed is None or self.stub_signer:
            return sealed
        if ledger is not None and was_sealed_here(ledger, run.session.run, sealed.receipt_hash):
            return sealed
        note(
            f"the run came with a seal of which the ledger here says nothing ({sealed.receipt_hash}): "
            "it is sealed anew, as of now"
        )
        self.ended_at = self.ended_at or sealed.ended_at
        return None

    def _draft(self, run: "RecordedRun", sealed: "Sealed | None", view: "RunView") -> "Draft":
        from passfloor.running.finished import draft_finished
        from passfloor.running.runner import SealedBefore

        if sealed is None:
            return draft_finished(
                run, self.suite, embed_suite=self.flags.embed_suite, ended_at=self.ended_at, witness=view
            )
        before = SealedBefore(sealed.ended_at, sealed.emitted_at)
        return draft_finished(run, self.suite, embed_suite=sealed.suite_embedded, before=before, witness=view)

    def _judged(self, draft: "Draft") -> Exit | None:
        """Why the run is not sealed, said; None where a verifier derives all that it says."""
        from passfloor.report.rejection import deciding
        from passfloor.signing.signers import StubReliabilitySigner
        from passfloor.verification.findings import Status
        from passfloor.verification.inputs import Inputs, Limits, Trust
        from passfloor.verification.verifier import verify

        inputs = Inputs(
            now=time.time(),
            trust=Trust(allow_stub=True),
            read_suite=options.read_embedded,
            suite=self.suite,
            synthetic_scorers=options.synthetic_scorers(),
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
        first = deciding(outcome)
        assert first is not None, "only MATCH has none"  # noqa: S101
        where = "" if first.task_id is None else f"task {first.task_id!a}, attempt {first.attempt}: "
        why = f"{outcome.status}/{first.code} ({where}{first.detail}; findings: {len(outcome.findings)})"
        return complain(
            f"the run {self.folder.header.run} is not sealed, a verifier would say {why}; "
            "copy it anew, or run it again",
            of_status(str(outcome.status)),
        )

    def require_first(self) -> None:
        """See to it that no other copy of the run was sealed under this identity.

        Raises:
            UsageError: one was, and ``force`` was not said.
        """
        from passfloor.models.ledger import RunSeal

        ledger, run = self._ledger(), self.folder.header.run
        if ledger is None or self.flags.force:
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
