"""The flags that say where a receipt goes and who signs it, for the verbs that seal a run."""

from dataclasses import dataclass
from typing import Annotated

import typer

from passfloor.cli.options import RECEIPT_OUT, Force, ReceiptOut, StubSigner


@dataclass(frozen=True)
class SealFlags:
    """The flags as given."""

    out: ReceiptOut = RECEIPT_OUT
    force: Force = False
    embed_suite: Annotated[
        bool | None,
        typer.Option(
            "--embed-suite/--no-embed-suite",
            help="Put the suite into the receipt. [default: when it is at most 256 KiB]",
            show_default=False,
        ),
    ] = None
    stub_signer: StubSigner = False


@dataclass(frozen=True)
class ResealFlags(SealFlags):
    """The same, of a verb that may meet a run that was sealed before."""

    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Sign a run that was sealed before once more (as of then where it was sealed here, else as "
            "of now); replace an existing --out.",
        ),
    ] = False
