"""``bench reliability-verify``: re-derive a receipt offline."""

import os

import typer

from passfloor.cli import options
from passfloor.cli.exits import of_status
from passfloor.cli.outputs import print_json, print_text


def verify(
    receipt: options.ReceiptPath,
    suite: options.SuiteChoice = None,
    use_embedded_suite: options.UseEmbeddedSuite = False,
    signer_key: options.SignerKey = None,
    jwks: options.Jwks = None,
    allow_stub: options.AllowStub = False,
    allow_unrecorded: options.AllowUnrecorded = False,
    max_bytes: options.MaxBytes = None,
    at: options.At = None,
    check: options.CheckFile = None,
    require_replayed_coordination: options.RequireReplayed = False,
    as_json: options.Json = False,
) -> None:
    """Verify a receipt offline: re-derive every verdict, count and figure from the attempts it embeds.

    Nothing is run, fetched or written. MATCH is exit 0; a rejected receipt exit 1.
    """
    from passfloor.report import json_document, terminal
    from passfloor.verification.verifier import verify as judge

    flags = options.VerifyFlags(
        suite,
        use_embedded_suite,
        signer_key,
        jwks,
        allow_stub,
        allow_unrecorded,
        max_bytes,
        at,
        check,
        require_replayed_coordination,
    )
    with options.open_receipt(receipt) as stream:
        outcome = judge(stream, flags.inputs(os.environ))
    if as_json:
        print_json(json_document.verification(outcome))
    else:
        print_text(terminal.verification_report(outcome))
    raise typer.Exit(of_status(str(outcome.status)))
