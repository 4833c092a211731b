"""``bench export``: a verified receipt as a signed attestation that other tools read."""

import hashlib
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from passfloor.cli import options
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import note, print_json


class Form(StrEnum):
    """The envelope."""

    DSSE = "dsse"


class Predicate(StrEnum):
    """What the statement says."""

    RELIABILITY = "reliability"
    TEST_RESULT = "test-result"


@takes_flags
def export(
    receipt: options.ReceiptPath,
    *,
    form: Annotated[
        Form, typer.Option("--format", metavar="|".join(Form), help="The envelope around the statement.")
    ] = Form.DSSE,
    predicate: Annotated[
        Predicate,
        typer.Option(
            "--predicate",
            metavar="|".join(Predicate),
            help="What it says: counts, floor, ceiling and piles; or in-toto's own test result, in which a "
            "task that passes at times failed.",
        ),
    ] = Predicate.RELIABILITY,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there in place of standard output.")
    ] = None,
    force: options.Force = False,
    flags: options.VerifyFlags,
) -> None:
    """Attest a verified receipt to other tools: an in-toto Statement in a DSSE envelope, signed by your key.

    The receipt is verified first; one that does not verify is refused with the exit code of
    reliability-verify, a test-grade one with exit 3. It is your word on what was derived from this file.
    """
    from passfloor.canonical import canonical
    from passfloor.cli.judging import verified
    from passfloor.cli.signing import signer_for
    from passfloor.exports.statement import PAYLOAD_TYPE, statement
    from passfloor.running.preflight import check_out
    from passfloor.running.saving import save_bytes
    from passfloor.running.session import timestamp
    from passfloor.signing.dsse import envelope
    from passfloor.signing.signers import Ed25519Signer

    if out is not None:
        check_out(out, force=force)
    content, evidence = verified(receipt, flags)
    made = statement(
        evidence,
        predicate.value,
        name=Path(receipt).name,
        sha256=hashlib.sha256(content).hexdigest(),
        verified_at=timestamp(time.time()),
    )
    signer, _ = signer_for(stub=False, runs_dir=options.RUNS_DIR)
    assert isinstance(signer, Ed25519Signer)  # noqa: S101  # the stub was not asked for
    document = envelope(PAYLOAD_TYPE, canonical(made), signer)
    if out is None:
        print_json(document)
        return
    save_bytes(canonical(document) + b"\n", out, replace=force)
    note(f"the {form} envelope stands in {out}, by the word of {signer.fingerprint}")
