"""``bench gate``: thresholds over a verified receipt, and an exit code that CI can trust."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import gating, options
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import print_json, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.comparison.evidence import Evidence
    from passfloor.comparison.gate import GateResult
    from passfloor.comparison.thresholds import Threshold

_NOTHING_ASKED = (
    "a gate that asks nothing is always open: give --require-floor 0.8 or another gate flag, "
    "or --sealed-gate for the thresholds sealed in the receipt"
)


@takes_flags
def gate(
    receipt: options.ReceiptPath,
    *,
    flags: gating.GateFlags,
    sealed_gate: Annotated[
        bool,
        typer.Option(
            "--sealed-gate",
            help="Ask what the receipt's signer fixed before the run, in place of thresholds of yours.",
        ),
    ] = False,
    allow_selection: Annotated[
        bool,
        typer.Option("--allow-selection", help="Decide over a part of the suite; else that is undecided."),
    ] = False,
    allow_completion_only: Annotated[
        bool,
        typer.Option(
            "--allow-completion-only",
            help="Decide though no assertion was consulted (--completion-only); else that is undecided.",
        ),
    ] = False,
    verify_flags: options.VerifyFlags,
    as_json: options.Json = False,
) -> None:
    """Verify a receipt and hold it against thresholds: exit 0 passed, 1 failed, 4 undecided.

    Numbers are compared exactly: three tasks at 7 of 10 pass --require-floor 0.7 at k = 1. Errored attempts
    count as not passing; where only they keep a clause from holding, it is undecided. A receipt that does not
    verify decides nothing and exits as bench reliability-verify does.
    """
    from passfloor.comparison.evidence import gather

    asked = _asked(flags, sealed=sealed_gate)
    with options.open_receipt(receipt) as stream:
        evidence = gather(stream, verify_flags.inputs(os.environ))
    result = _decide(
        evidence, asked, allow_selection=allow_selection, allow_completion_only=allow_completion_only
    )
    if as_json:
        from passfloor.report.decision_document import gate_on_receipt

        print_json(gate_on_receipt(evidence, result))
    else:
        from passfloor.report.decision import gate_report, refusal

        print_text(
            refusal("gate", evidence.verification) if result is None else gate_report(evidence, result)
        )
    raise typer.Exit(of_status(str(evidence.verification.status if result is None else result.decision)))


def _asked(flags: gating.GateFlags, *, sealed: bool) -> "tuple[Threshold, ...] | None":
    """What the flags ask; None for what the receipt seals."""
    asked = flags.thresholds()
    if not asked and not sealed:
        raise UsageError(_NOTHING_ASKED)
    if asked and sealed:
        raise UsageError("--sealed-gate and thresholds of yours are two gates: give one of them")
    return asked or None


def _decide(
    evidence: "Evidence",
    asked: "tuple[Threshold, ...] | None",
    *,
    allow_selection: bool,
    allow_completion_only: bool,
) -> "GateResult | None":
    from passfloor.comparison.gate import decide
    from passfloor.comparison.thresholds import unsealed

    outcome = evidence.verification
    if not outcome.matches or outcome.head is None:
        return None
    if asked is None:
        if outcome.head.gate is None:
            raise UsageError("--sealed-gate: the receipt seals no thresholds; give --require-floor or others")
        asked = unsealed(outcome.head.gate)
    whole = None if allow_selection else outcome.suite_tasks
    return decide(
        evidence.rows,
        outcome.head.k,
        asked,
        suite_tasks=whole,
        held=outcome.head.coordination_ok,
        completion_only=outcome.head.completion_only,
        completion_will_do=allow_completion_only,
    )
