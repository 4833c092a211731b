"""What a run says when it is over."""

from typing import TYPE_CHECKING

from passfloor.cli.exits import Exit, of_status
from passfloor.cli.outputs import complain, note, print_json, print_text

if TYPE_CHECKING:
    from passfloor.cli.job import Job
    from passfloor.comparison.gate import GateResult
    from passfloor.models.receipt import ReliabilityReceipt


def tell(job: "Job", receipt: "ReliabilityReceipt") -> Exit:
    """Print the figures of a sealed run, then what weakens their reading."""
    from passfloor.report import view
    from passfloor.report.run_summary import look_closer, run_summary, warnings

    numbers = view.figures(receipt)
    first = view.first_error(receipt)
    gate = _gate(job, receipt)
    out = str(job.place)
    if job.request.as_json:
        _print_json(job, receipt.session.run, out, receipt, gate)
    else:
        parting, tallies = view.divergence(receipt), view.tallies(receipt)
        whole = len(job.suite.tasks)
        print_text(run_summary(receipt, numbers, out, tallies, parting, suite_tasks=whole))
        if gate is not None:
            from passfloor.report.decision import gate_lines

            print_text("\n".join(gate_lines(gate, receipt.k, test_grade=job.request.stub_signer)))
    alike = view.all_outputs_alike(receipt)
    for warning in warnings(receipt, numbers, outputs_alike=alike, first_error=first):
        note(warning)
    if not receipt.coordination_ok:
        return Exit.EVIDENCE_SAYS_NO
    if numbers.counts.errored == numbers.counts.attempts:
        return complain(
            f"every attempt errored (the first: {first}): the figures say nothing about the agent; "
            f"mend it, or {look_closer(job.plan.subject.adapter)}",
            Exit.UNDECIDED,
        )
    return Exit.DONE if gate is None else of_status(gate.decision)


def tell_stopped(job: "Job", run: str, why: str) -> Exit:
    """Say that a run was stopped unsealed."""
    if job.request.as_json:
        _print_json(job, run, None)
    return complain(why, Exit.UNDECIDED)


def _gate(job: "Job", receipt: "ReliabilityReceipt") -> "GateResult | None":
    """The decision on what the plan seals; None where it seals nothing."""
    if receipt.gate is None:
        return None
    from passfloor.comparison.evidence import rows_of
    from passfloor.comparison.gate import decide
    from passfloor.comparison.thresholds import unsealed

    return decide(rows_of(receipt, job.part), receipt.k, unsealed(receipt.gate), held=receipt.coordination_ok)


def _print_json(
    job: "Job",
    run: str,
    path: str | None,
    receipt: "ReliabilityReceipt | None" = None,
    gate: "GateResult | None" = None,
) -> None:
    from passfloor.report import json_document, view

    decided = None
    if gate is not None:
        from passfloor.report import decision_document

        decided = decision_document.gate(gate)

    figures = None if receipt is None else view.figures(receipt)
    print_json(
        json_document.run(
            receipt,
            figures,
            run=run,
            receipt=path,
            plan=job.plan,
            suite_version=job.suite.version,
            identity_created=job.created,
            gate=decided,
        )
    )
