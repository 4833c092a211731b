"""What a run says when it is over."""

from typing import TYPE_CHECKING

from passfloor.cli.exits import Exit, of_status
from passfloor.cli.outputs import complain, note, print_json, print_text
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.aggregate import Numbers
    from passfloor.cli.job import Job
    from passfloor.cli.sealing import Sealing, Signed
    from passfloor.comparison.gate import GateResult
    from passfloor.models.receipt import ReceiptHead
    from passfloor.report.view import RunView
    from passfloor.running.recorded import RecordedRun


def tell(job: "Job | Sealing", signed: "Signed", view: "RunView") -> Exit:
    """Print the figures of a sealed run, then what weakens their reading."""
    from passfloor.report.run_summary import look_closer, run_summary, warnings

    receipt, out = signed.receipt, str(signed.place)
    numbers, first = view.figures(receipt.k), view.first_error
    gate = _gate(job, receipt, view)
    if job.as_json:
        _print_json(job, receipt.session.run, signed, numbers, gate)
    else:
        whole = len(job.suite.tasks)
        print_text(run_summary(receipt, numbers, out, view.tallies, view.divergence, suite_tasks=whole))
        if gate is not None:
            from passfloor.report.decision import gate_lines

            print_text("\n".join(gate_lines(gate, receipt.k, test_grade=job.stub_signer)))
    for warning in warnings(
        receipt,
        numbers,
        outputs_alike=view.outputs_alike,
        first_error=first,
        alike_tasks=view.alike_tasks,
        cached=view.cached,
    ):
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


def tell_unsealed(job: "Job", run: "RecordedRun") -> Exit:
    """Say that a run is finished and was left unsealed, and how to go on."""
    if job.as_json:
        _print_json(job, run.session.run)
    else:
        print_text(
            f"run          : {run.session.run}\n"
            f"attempts     : {run.store.count()}, all there; nothing is sealed (--no-seal)\n"
            f"folder       : {show(str(run.folder), 1000)}"
        )
    note("copy the folder to where the key is, and seal it there with: passfloor bench seal FOLDER")
    return Exit.DONE


def tell_stopped(job: "Job", run: str, why: str) -> Exit:
    """Say that a run was stopped unsealed."""
    if job.as_json:
        _print_json(job, run)
    return complain(why, Exit.UNDECIDED)


def _gate(job: "Job | Sealing", receipt: "ReceiptHead", view: "RunView") -> "GateResult | None":
    """The decision on what the plan seals; None where it seals nothing."""
    if receipt.gate is None:
        return None
    from passfloor.comparison.evidence import TaskRow
    from passfloor.comparison.gate import decide
    from passfloor.comparison.thresholds import unsealed

    by_id = job.part.by_id
    rows = [
        TaskRow(t.task_id, by_id[t.task_id].task_hash, by_id[t.task_id].cluster, t.n, t.passed, t.errored)
        for t in view.tallies
    ]
    return decide(
        rows,
        receipt.k,
        unsealed(receipt.gate),
        held=receipt.coordination_ok,
        completion_only=receipt.completion_only,
        completion_will_do=True,  # who gives both flags asks for just that
    )


def _print_json(
    job: "Job | Sealing",
    run: str,
    signed: "Signed | None" = None,
    numbers: "Numbers | None" = None,
    gate: "GateResult | None" = None,
) -> None:
    from passfloor.report import json_document

    decided = None
    if gate is not None:
        from passfloor.report import decision_document

        decided = decision_document.gate(gate)

    print_json(
        json_document.run(
            None if signed is None else signed.receipt,
            numbers,
            run=run,
            receipt=None if signed is None else str(signed.place),
            plan=job.plan,
            suite_version=job.suite.version,
            identity_created=signed is not None and signed.created,
            gate=decided,
        )
    )
