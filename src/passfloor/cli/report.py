"""``bench report``: show what a receipt, or bare rows, say about reliability."""

import difflib
import io
import os
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from passfloor.cli import options
from passfloor.cli.exits import of_status
from passfloor.cli.flags import takes_flags
from passfloor.cli.outputs import complain, note, print_text
from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.report.envelope import Envelope, Reading
    from passfloor.report.html import Enclosure
    from passfloor.verification.inputs import Trust
    from passfloor.verification.result import Verification


class Format(StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    JUNIT = "junit"
    HTML = "html"


class WhoChecks(StrEnum):
    """Who looks at an attempt before it takes effect."""

    NOBODY = "nobody"
    ORACLE = "oracle"
    PERSON = "person"
    BATCH = "batch"


@takes_flags
def report(
    receipt: Annotated[
        str | None,
        typer.Argument(
            metavar="RECEIPT", help="The receipt file; none with --from-rows.", show_default=False
        ),
    ] = None,
    *,
    from_rows: Annotated[
        str | None,
        typer.Option(
            "--from-rows",
            metavar="FILE",
            help='Report on bare rows, no receipt: JSON lines {"task", "attempt", "outcome"}. Needs -k.',
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k", "-k", metavar="K", help="Draw size, at most n. [default: that of the run]", min=1
        ),
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="|".join(Format),
            help="How the report is written; html needs passfloor[html].",
        ),
    ] = Format.TEXT,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write it there in place of standard output.")
    ] = None,
    force: options.Force = False,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="ID", help="Show this task's attempts (format text)."),
    ] = None,
    who_checks: Annotated[
        WhoChecks,
        typer.Option(
            "--who-checks",
            metavar="|".join(WhoChecks),
            help="Who looks at an attempt before it takes effect; decides which figure to quote.",
        ),
    ] = WhoChecks.NOBODY,
    picker: Annotated[
        str | None,
        typer.Option("--picker", metavar="TEXT", help="What the oracle or person is called."),
    ] = None,
    unverified: Annotated[
        bool,
        typer.Option("--unverified", help="Report on a receipt that does not verify, marked UNVERIFIED."),
    ] = False,
    flags: options.VerifyFlags,
) -> None:
    """Report on a receipt, which is verified first: both figures, their intervals, the piles, every task.

    One that does not verify is refused with the exit code of reliability-verify.
    """
    from passfloor.report.envelope import Reading

    if picker and who_checks not in {WhoChecks.ORACLE, WhoChecks.PERSON}:
        raise UsageError(f"--picker {picker[:80]!a} with --who-checks {who_checks}: say oracle or person")
    if task is not None and form is not Format.TEXT:
        raise UsageError(
            f"--task with --format {form}: it belongs to format text; the others hold every task"
        )
    if out is not None:
        from passfloor.running.preflight import check_out

        check_out(out, force=force)
    if form is Format.HTML:
        from passfloor.report.html import check_installed

        check_installed()
    reading, enclosure = Reading(k, who_checks.value, picker or ""), None
    if from_rows is not None:
        if receipt is not None or unverified or flags != options.VerifyFlags():
            raise UsageError("--from-rows FILE stands alone: leave out RECEIPT and the flags that verify one")
        envelope = _of_rows(from_rows, reading)
    elif receipt is None:
        raise UsageError("nothing to report on: name a RECEIPT, or rows with --from-rows FILE -k K")
    else:
        envelope, enclosure = _of_receipt(
            receipt, flags, reading, unverified=unverified, enclose=form is Format.HTML
        )
    _deliver(_rendered(envelope, form, task, enclosure), out, force=force)


def _of_receipt(
    path: str, flags: options.VerifyFlags, reading: "Reading", *, unverified: bool, enclose: bool
) -> tuple["Envelope", "Enclosure | None"]:
    """Judge a receipt and boil it down on the way; keep the very bytes that were judged where asked to.

    Raises:
        typer.Exit: it does not verify, or does not hold whole attempts; said on stderr.
    """
    from passfloor.report.envelope import Collector, of_receipt, whole
    from passfloor.report.rejection import rejection
    from passfloor.verification.verifier import verify

    collector = Collector()
    with options.open_receipt(path) as stream:
        inputs = replace(flags.inputs(os.environ), observe=collector.observe)
        content = stream.read(inputs.limits.max_bytes + 1) if enclose else b""
        outcome = verify(io.BytesIO(content) if enclose else stream, inputs)
    reportable = whole(outcome, collector.collected)
    if outcome.matches or (unverified and reportable):
        envelope = of_receipt(outcome, collector.collected, reading, path)
        return envelope, _enclosure(content, outcome, inputs.trust) if enclose else None
    hint = "--unverified reports on it all the same" if reportable else "it does not hold whole attempts"
    raise typer.Exit(
        complain(
            f"{path!a} does not verify: {rejection(outcome)}; look with bench reliability-verify; {hint}",
            of_status(str(outcome.status)),
        )
    )


def _enclosure(content: bytes, outcome: "Verification", trust: "Trust") -> "Enclosure":
    """The receipt's bytes, and the trusted key of the signer that they name."""
    from passfloor.report.html import Enclosure

    fingerprint = outcome.head.signer_fingerprint if outcome.head else None
    trusted = trust.keys.get(fingerprint or "")
    return Enclosure(content, trusted.key.x if trusted else "")


def _of_rows(path: str, reading: "Reading") -> "Envelope":
    from passfloor.receipts import MAX_BYTES
    from passfloor.report.envelope import of_rows, read_rows

    try:
        with Path(path).open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read rows {path!a}: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise UsageError(f"rows {path!a} are larger than {MAX_BYTES} bytes: split the file")
    return of_rows(read_rows(content.split(b"\n")), reading, path)


def _rendered(envelope: "Envelope", form: Format, task: str | None, enclosure: "Enclosure | None") -> str:
    from passfloor.report.formats import FORMATS
    from passfloor.report.text import task_report

    if enclosure is not None:
        from passfloor.report.html import html_report

        return html_report(envelope, enclosure)
    if task is None:
        return FORMATS[form](envelope)
    ids = {row.task_id: row for row in envelope.tasks}
    if task not in ids:
        near = ", ".join(repr(each) for each in difflib.get_close_matches(task, ids, 3))
        raise UsageError(f"--task {task!a}: there is no such task{f'; near it: {near}' if near else ''}")
    return task_report(envelope, ids[task])


def _deliver(text: str, out: Path | None, *, force: bool) -> None:
    """Print the report, or put it whole into its place."""
    if out is None:
        print_text(text)
        return
    from passfloor.running.saving import save_bytes

    save_bytes(f"{text}\n".encode(), out, replace=force)
    note(f"the report stands in {out}")
