"""The flags of a verb that can sign a statement of what it found."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.cli.outputs import note
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.models.audit import AuditStatement
    from passfloor.models.check import CheckStatement
    from passfloor.models.receipt import ReceiptHead
    from passfloor.signing.signers import Signer
    from passfloor.verification.result import Verification

State = Callable[["ReceiptHead", str, "Signer"], "CheckStatement | AuditStatement"]
"""Makes the statement about a receipt, by its head and hash, for a signer."""


@dataclass(frozen=True)
class StatementFlags:
    """Where a statement goes and who signs it."""

    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write a signed statement of what came out there."),
    ] = None
    force: options.Force = False
    stub_signer: options.StubSigner = False

    def check(self) -> None:
        """See to it, before anything is run, that a statement can be written where one is asked for.

        Raises:
            UsageError: its place is taken, or flags are given that are about none.
        """
        from passfloor.running.preflight import check_out

        if self.out is not None:
            check_out(self.out, force=self.force)
        elif self.force or self.stub_signer:
            raise UsageError(
                "--force and --stub-signer are about the statement: add --out, or leave them out"
            )

    def save(self, verification: "Verification", found: bool, state: State) -> None:
        """Sign what came out and write it down, where anything was found and a statement asked for."""
        from passfloor.checking.statement import save
        from passfloor.cli.signing import signer_for

        head, receipt_hash = verification.head, verification.receipt_hash
        if self.out is None:
            return
        if not found or head is None or receipt_hash is None:
            note(f"nothing was made again, so that {self.out} is not written")
            return
        signer, _ = signer_for(stub=self.stub_signer, runs_dir=options.RUNS_DIR)
        save(state(head, receipt_hash, signer), self.out, replace=self.force)
        note(f"the statement stands in {self.out}, by the word of {signer.fingerprint}")


Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        help="Attempts side by side. [default: the number of processors]",
        min=1,
        max=1000,
    ),
]
