"""The report as JUnit XML: one test case a task, its attempts inside, errors apart from failures.

Counts are of tasks. A task of which an attempt was wrong is a failure, one whose attempts only errored, or
errored beside passing ones, is an error; a task is clean where every attempt passed.
"""

import xml.etree.ElementTree as ET

from passfloor.report.block import block_lines, fixed
from passfloor.report.envelope.model import Envelope, TaskRow
from passfloor.report.envelope.records import AttemptRecord
from passfloor.report.envelope.words import standing
from passfloor.report.escape import show
from passfloor.report.imported import rule_words

_LINE = 300


def junit_report(envelope: Envelope) -> str:
    """The XML document; readable by any XML 1.0 parser whatever the ids and the outputs hold."""
    source = envelope.source
    mark = f"{source.mark} " if source.mark else ""
    name = f"{mark}{show(source.suite_version or source.name)}"
    counts = {
        "tests": str(len(envelope.tasks)),
        "failures": str(sum(row.wrong > 0 for row in envelope.tasks)),
        "errors": str(sum(_is_error(row) for row in envelope.tasks)),
    }
    root = ET.Element("testsuites", {"name": name, **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts, "skipped": "0"})
    properties = ET.SubElement(suite, "properties")
    for key, value in _properties(envelope):
        ET.SubElement(properties, "property", {"name": key, "value": value})
    for row in envelope.tasks:
        _case(suite, name, row, envelope.k)
    ET.SubElement(suite, "system-out").text = "\n".join([standing(source), *block_lines(envelope)])
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


def _is_error(row: TaskRow) -> bool:
    return row.errored > 0 and row.wrong == 0


def _properties(envelope: Envelope) -> list[tuple[str, str]]:
    """Exact figures, so that no reader has to parse text."""
    source, at = envelope.source, envelope.at
    return [
        ("status", source.status or source.mark),
        ("completion_only", str(source.completion_only).lower()),
        ("suite_hash", show(source.suite_hash or "")),
        *((("importer", show(source.importer)),) if source.importer else ()),
        *((("import_rule", rule_words(dict(source.import_rule))),) if source.import_rule else ()),
        ("n", str(envelope.n)),
        ("k", str(envelope.k)),
        ("success_rate", str(envelope.success_rate)),
        ("pass_at_k", str(at.ceiling)),
        ("pass_hat_k", str(at.floor)),
    ]


def _case(suite: ET.Element, classname: str, row: TaskRow, k: int) -> None:
    case = ET.SubElement(suite, "testcase", {"classname": classname, "name": show(row.task_id)})
    message = (
        f"{row.passed} of {row.n} passed, {row.wrong} wrong, {row.errored} errored; "
        f"pass@1 {fixed(row.rate)}, pass@{k} {fixed(row.ceiling)}"
    )
    kind = "failure" if row.wrong else "error" if row.errored else ""
    if kind:
        details = [line for attempt in row.attempts for line in _why(attempt)]
        ET.SubElement(case, kind, {"message": message, "type": row.kind}).text = "\n".join(details)
    lines = [message, *(f"attempt {attempt.index}: {attempt.outcome}" for attempt in row.attempts)]
    ET.SubElement(case, "system-out").text = "\n".join(lines)


def _why(attempt: AttemptRecord) -> list[str]:
    """What one attempt that did not pass has to say."""
    if attempt.outcome == "errored":
        return [f"attempt {attempt.index} errored: {show(attempt.error, _LINE)}"]
    if attempt.outcome == "passed":
        return []
    lines = [f"attempt {attempt.index} wrong: {show(attempt.text, _LINE)}"]
    return lines + [
        f"  {show(failure.kind)}: expected {show(failure.expected, _LINE)}, got {show(failure.got, _LINE)}"
        for failure in attempt.failures
    ]
