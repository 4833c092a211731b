"""The report as Markdown for the summary of a CI job: GitHub's dialect, and no text of others is markup."""

import re
from collections.abc import Iterator, Sequence

from passfloor.aggregate import Pile
from passfloor.report.block import block, fixed, measured, pair
from passfloor.report.envelope.model import Envelope, Source, TaskRow
from passfloor.report.envelope.words import proof, standing
from passfloor.report.escape import show
from passfloor.report.layout import counted
from passfloor.report.plots import envelope_plot
from passfloor.report.wording import not_covered
from passfloor.stats import percent

MOST_ROWS = 200
"""Rows of one table. A job's summary on GitHub may hold 1 MiB."""

_SENTENCE = 1000
_MARKUP = frozenset("\\`*[]<>|&~@$#")
_LINKS = re.compile(r":(?! )|(?<=www)\.", re.IGNORECASE)
_LONE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
"""An underscore inside a word marks nothing in GitHub's dialect."""


def markdown_report(envelope: Envelope) -> str:
    """The whole report."""
    source, at = envelope.source, envelope.at
    subject = "rows" if source.kind == "rows" else text(source.suite_version or "")
    mark = f"{source.mark}: " if source.mark else ""
    parts = [
        f"## {mark}{subject}: {pair(at)}",
        f"> {text(standing(source), _SENTENCE)}",
        *((f"> {text(source.problem, 400)}",) if source.problem else ()),
        _figures(envelope),
        _pile(envelope, "flaky", "Flaky"),
        _pile(envelope, "never", "Never passed"),
        _always(envelope),
        _bullets("What to do", (text(remark.text.strip(), _SENTENCE) for remark in envelope.advice)),
        _bullets("What weakens this reading", (text(remark.text, _SENTENCE) for remark in envelope.warnings)),
        _consistency(envelope),
        _fold(
            "Both figures at every k",
            "\n".join(["```text", *envelope_plot(envelope.curve, envelope.k), "```"]),
        ),
        _proof(source),
        _not_established(envelope),
        *((f"> {text(standing(source), _SENTENCE)}",) if source.mark in {"UNVERIFIED", "UNSEALED"} else ()),
    ]
    between = "\n\n**UNVERIFIED**\n\n" if source.mark == "UNVERIFIED" else "\n\n"
    return between.join(part for part in parts if part)


def text(untrusted: object, limit: int = 200) -> str:
    """Text of others as Markdown and HTML that shows just that: on one line, no markup, no cell divider.

    Character references are never read as markup (CommonMark 0.31 section 2.5). Block markers need no care:
    no block begins with such a text. Addresses are not made into links, nor names into mentions.
    """
    shown = "".join(f"&#{ord(c)};" if c in _MARKUP else c for c in show(untrusted, limit))
    for pattern in (_LINKS, _LONE):
        shown = pattern.sub(lambda found: f"&#{ord(found[0])};", shown)
    return shown


def _figures(envelope: Envelope) -> str:
    """The block, as a table of two columns."""
    rows = [(text(label), text(words, 1000)) for label, words in block(envelope)]
    if envelope.if_passed:
        best, k = envelope.if_passed, envelope.k
        words = (
            f"success rate {percent(best.success_rate)}%, pass@{k} {percent(best.ceiling)}%, "
            f"pass^{k} {percent(best.floor)}%"
        )
        rows.append(("had the errored passed", text(words)))
    return _table(("figure", "value"), ":--", rows)


def _pile(envelope: Envelope, pile: Pile, heading: str) -> str:
    rows = envelope.of_pile(pile)
    if not rows:
        return ""
    cells = [(*_cells(row), text(_what(row), 300)) for row in rows[:MOST_ROWS]]
    table = _table((*_columns(envelope), "what differs"), ":--", cells)
    more = f"\n\nand {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    return f"### {heading}: {len(rows)} of {counted(envelope.counts.tasks, 'task')}\n\n{table}{more}"


def _always(envelope: Envelope) -> str:
    rows = envelope.of_pile("always")
    if not rows:
        return ""
    table = _table(_columns(envelope), ":--", [_cells(row) for row in rows[:MOST_ROWS]])
    more = f"\n\nand {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    return _fold(f"{counted(len(rows), 'task')} passed every attempt", f"{table}{more}")


def _columns(envelope: Envelope) -> tuple[str, ...]:
    return ("task", "passed", "wrong", "errored", "pass@1", f"pass@{envelope.k}", "all passed")


def _cells(row: TaskRow) -> tuple[str, ...]:
    numbers = (f"{row.passed}/{row.n}", str(row.wrong), str(row.errored), fixed(row.rate), fixed(row.ceiling))
    return (text(row.task_id), *numbers, "yes" if row.all_passed else "no")


def _what(row: TaskRow) -> str:
    """Expected against got of the first failing assertion, else where attempts part, else the error."""
    for attempt in row.attempts:
        for failure in attempt.failures:
            return f"attempt {attempt.index}, {failure.kind}: expected {failure.expected}, got {failure.got}"
    if row.parting:
        part = row.parting
        return f"attempts {part.left} and {part.right}, step {part.step}: {part.detail}"
    return next((attempt.error for attempt in row.attempts if attempt.error), "")


def _consistency(envelope: Envelope) -> str:
    if not envelope.consistency:
        return ""
    rows = [
        (text(each.label), measured(each), str(each.tasks), text(each.meaning))
        for each in envelope.consistency
    ]
    return _fold("How alike the attempts are", _table(("measure", "value", "tasks", "meaning"), ":--", rows))


def _proof(source: Source) -> str:
    heading = "Import" if source.imported else "Coordination"
    return _bullets(heading, (text(words, _SENTENCE) for words in proof(source)))


def _not_established(envelope: Envelope) -> str:
    lines = not_covered(envelope.source.not_established, envelope.source.established)
    return _bullets("What the receipt does not establish", (text(line, _SENTENCE) for line in lines))


def _bullets(heading: str, lines: Iterator[str]) -> str:
    items = [f"- {line}" for line in lines]
    return "\n".join([f"**{heading}**", "", *items]) if items else ""


def _fold(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n\n</details>"


def _table(header: Sequence[str], rule: str, rows: Sequence[Sequence[str]]) -> str:
    lines = [header, [rule] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
