"""What a run says when it is over."""

from typing import TYPE_CHECKING

from passfloor.cli.exits import Exit
from passfloor.cli.outputs import complain, note, print_json, print_text

if TYPE_CHECKING:
    from passfloor.aggregate import Numbers
    from passfloor.cli.job import Job
    from passfloor.models.receipt import ReceiptHead
    from passfloor.report.view import RunView


def tell(job: "Job", receipt: "ReceiptHead", view: "RunView") -> Exit:
    """Print the figures of a sealed run, then what weakens their reading."""
    from passfloor.report.run_summary import look_closer, run_summary, warnings

    numbers, first = view.figures(receipt.k), view.first_error
    out = str(job.place)
    if job.request.as_json:
        _print_json(job, receipt.session.run, out, receipt, numbers)
    else:
        whole = len(job.suite.tasks)
        print_text(run_summary(receipt, numbers, out, view.tallies, view.divergence, suite_tasks=whole))
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
    return Exit.DONE


def tell_stopped(job: "Job", run: str, why: str) -> Exit:
    """Say that a run was stopped unsealed."""
    if job.request.as_json:
        _print_json(job, run, None, None, None)
    return complain(why, Exit.UNDECIDED)


def _print_json(
    job: "Job", run: str, path: str | None, receipt: "ReceiptHead | None", numbers: "Numbers | None"
) -> None:
    from passfloor.report import json_document

    print_json(
        json_document.run(
            receipt,
            numbers,
            run=run,
            receipt=path,
            plan=job.plan,
            suite_version=job.suite.version,
            identity_created=job.created,
        )
    )
