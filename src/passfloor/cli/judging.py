"""What verbs share that make something of a receipt: it is read once, and verified before anything else."""

import io
import os
from typing import TYPE_CHECKING

import typer

from passfloor.cli import options
from passfloor.cli.exits import of_status
from passfloor.cli.outputs import complain

if TYPE_CHECKING:
    from passfloor.comparison.evidence import Evidence


def verified(path: str, flags: options.VerifyFlags) -> "tuple[bytes, Evidence]":
    """The receipt's bytes, and what verification found in these very bytes.

    Raises:
        UsageError: it cannot be read, or no suite is known for it.
        typer.Exit: it does not verify; said on stderr, with the exit code of reliability-verify.
    """
    from passfloor.comparison.evidence import gather
    from passfloor.report.rejection import rejection

    inputs = flags.inputs(os.environ)
    with options.open_receipt(path) as stream:
        content = stream.read(inputs.limits.max_bytes + 1)
    evidence = gather(io.BytesIO(content), inputs)
    outcome = evidence.verification
    if outcome.matches:
        return content, evidence
    raise typer.Exit(
        complain(
            f"{path!a} does not verify: {rejection(outcome)}; look with bench reliability-verify",
            of_status(str(outcome.status)),
        )
    )
