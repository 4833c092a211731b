"""``bench reliability-verify``: re-derive a receipt offline."""

import os

import typer

from passfloor.cli import options
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text


@takes_flags
def verify(
    receipt: options.ReceiptPath,
    flags: options.VerifyFlags,
    as_json: options.Json = False,
) -> None:
    """Verify a receipt offline: re-derive every verdict, count and figure from the attempts it embeds.

    Nothing is fetched or written, and nothing is run but, with --run-graders, the graders of a suite that
    brings code, once a trusted key's signature was checked. MATCH is exit 0; a rejected receipt exit 1; 3
    where a demand is not met, such as that every verdict was evaluated here.
    """
    from passfloor.report import json_document, terminal
    from passfloor.verification.verifier import verify as judge

    with options.open_receipt(receipt) as stream:
        outcome = judge(stream, flags.inputs(os.environ))
    if as_json:
        print_json(json_document.verification(outcome))
    else:
        print_text(terminal.verification_report(outcome))
    raise typer.Exit(of_status(str(outcome.status)))
