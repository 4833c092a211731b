"""``bench redact``: a receipt without its large values, sealed anew."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from passfloor.cli import options
from passfloor.cli.exits import Exit
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.comparison.evidence import Evidence
    from passfloor.signing.signers import Signer

_ANY = 2**62
"""More values than a file that was verified can have."""


class Kind(StrEnum):
    """What a blob belongs to."""

    FILES = "files"
    REQUESTS = "requests"


@takes_flags
def redact(
    receipt: options.ReceiptPath,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Where the redacted one is written.")
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="FILE",
            help="Write nothing: is this redacted receipt RECEIPT but for what was taken out? Exit 1 if not.",
        ),
    ] = None,
    kind: Annotated[
        list[Kind] | None,
        typer.Option(
            "--kind",
            metavar="|".join(Kind),
            help="Take out what belongs to files that agents left, or to requests to models. Repeatable.",
        ),
    ] = None,
    blob: Annotated[
        list[str] | None,
        typer.Option(
            "--blob", metavar="DIGEST", help="Take out this one, named by eight digits or more. Repeatable."
        ),
    ] = None,
    force: options.Force = False,
    flags: options.VerifyFlags,
    as_json: options.Json = False,
) -> None:
    """Take large values out of a verified receipt, all of them or by choice; their digests stay.

    What is left is sealed by your key and names the seal it had. Verdicts over what was taken out are then
    somebody's word (--allow-attested). Not a cleaner: what is shorter than 1,024 bytes stays, as does what
    agents printed.
    """
    from passfloor.cli.signing import signer_for
    from passfloor.exports import redaction
    from passfloor.running.preflight import check_out
    from passfloor.running.saving import save
    from passfloor.verification.result import Assurance

    if (out is None) == (compare is None):
        raise UsageError(
            "name either --out FILE to write to, or --compare FILE, a redacted receipt to look at"
        )
    if compare is not None:
        if kind or blob or force:
            raise UsageError("--compare writes nothing: leave out --kind, --blob and --force")
        document, _ = _read(receipt, flags)
        raise typer.Exit(_compared(document, compare, flags, as_json=as_json))
    assert out is not None  # noqa: S101  # one of the two is there
    check_out(out, force=force)
    document, evidence = _read(receipt, flags)
    removed = redaction.chosen(document, kinds=[each.value for each in kind or ()], names=blob or ())
    # What anybody could have signed does not get a name by being redacted.
    stub = evidence.verification.assurance is Assurance.TEST
    signer, _ = signer_for(stub=stub, runs_dir=options.RUNS_DIR)
    made = redaction.redact(document, removed, signer)
    save(made, out, replace=force, run=made["session"]["run"])
    _tell(made, out, len(removed), redaction.size_of(document, removed), signer, as_json=as_json)


def _read(receipt: str, flags: options.VerifyFlags) -> "tuple[dict[str, Any], Evidence]":
    from passfloor.canonical import parse
    from passfloor.cli.judging import verified

    content, evidence = verified(receipt, flags)
    document: Any = parse(content, max_nodes=_ANY).value
    return document, evidence


def _compared(document: dict[str, Any], path: str, flags: options.VerifyFlags, *, as_json: bool) -> Exit:
    from passfloor.exports.redaction import is_redacted_from

    redacted, _ = _read(path, replace(flags, allow_attested=True))
    same = is_redacted_from(redacted, document)
    if as_json:
        print_json({"receipt": path, "redacted_from": document["receipt_hash"], "same": same})
    else:
        said = "but for what was taken out, it is" if same else "it is not"
        print_text(f"{path}: {said} receipt {document['receipt_hash']}")
    return Exit.DONE if same else Exit.EVIDENCE_SAYS_NO


def _tell(
    made: dict[str, Any], out: Path, removed: int, size: int, signer: "Signer", *, as_json: bool
) -> None:
    original = made["ext"]["redacted"]
    if as_json:
        print_json(
            {
                "receipt": str(out),
                "receipt_hash": made["receipt_hash"],
                "original": {name: original[name] for name in ("receipt_hash", "signer_fingerprint")},
                "removed": removed,
                "bytes": size,
                "left": len(made["blobs"]),
                "signer_fingerprint": signer.fingerprint,
            }
        )
        return
    print_text(
        f"redacted    : {out}\n"
        f"taken out   : {removed} of {removed + len(made['blobs'])} values, {size} bytes\n"
        f"original    : {original['receipt_hash']}, signed by {original['signer_fingerprint']}\n"
        f"signer      : {signer.fingerprint}\n"
        "left in     : what is shorter than 1,024 bytes, and all that agents printed: look before you publish"
    )
