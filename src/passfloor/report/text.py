"""The report as plain text: the verdict, the flaky pile, the block, then what helps to read it."""

import bisect
import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction

from passfloor.report.block import beside, block_lines, fixed, measured
from passfloor.report.envelope.model import Envelope, TaskRow
from passfloor.report.envelope.records import Contrast
from passfloor.report.envelope.words import proof, standing
from passfloor.report.escape import inert, show
from passfloor.report.layout import WIDTH, columns, counted, padded, wrapped
from passfloor.report.plots import envelope_plot
from passfloor.report.wording import not_covered
from passfloor.stats import percent

_MOST_FLAKY = 10
_MOST_SIDE_BY_SIDE = 3
_MOST_ALWAYS = 5
_MOST_ANSWERS = 20
_ID_COLUMNS = 26
_LONG_ID_COLUMNS = 40


def text_report(envelope: Envelope) -> str:
    """The whole report. The block's lines stay whole; all else fits 80 columns."""
    sections = [
        _head(envelope),
        _flaky(envelope),
        block_lines(envelope),
        [line for remark in envelope.advice for line in wrapped(remark.text, hanging="  ")],
        table(envelope),
        _listed("what weakens this reading:", (show(each.text, 600) for each in envelope.warnings)),
        _beside(envelope),
        _consistency(envelope),
        ["both figures at every k:", *envelope_plot(envelope.curve, envelope.k)],
        _foot(envelope),
    ]
    between = f"\n\n{envelope.source.mark}\n" if envelope.source.mark == "UNVERIFIED" else "\n\n"
    return between.join("\n".join(map(inert, lines)) for lines in sections if lines)


def table(envelope: Envelope) -> list[str]:
    """One row a task, worst first; what always passed is folded into a line where it is more than a few."""
    always = envelope.of_pile("always")
    folded = len(always) > _MOST_ALWAYS
    rows = [row for row in envelope.worst_first if not (folded and row.all_passed)]
    at = f"pass@{envelope.k}"
    least = max((columns(inert(show(row.task_id))) for row in rows), default=0)
    width = min(_ID_COLUMNS, max(least, len("task")))
    lines = [f"{'task':<{width}}  passed  wrong  errored  pass@1  {at}  all passed"] if rows else []
    for row in rows:
        lines += _row(
            row,
            width,
            f"{f'{row.passed}/{row.n}':>6}  {row.wrong:>5}  {row.errored:>7}  {fixed(row.rate):>6}  "
            f"{fixed(row.ceiling):>{len(at)}}  {'yes' if row.all_passed else 'no'}",
        )
    if folded:
        names = ", ".join(_fitted(show(row.task_id), _LONG_ID_COLUMNS) for row in always)
        lines += wrapped(f"and {counted(len(always), 'task')} passed every attempt: {names}", hanging="  ")
    return lines


def side_by_side(contrast: Contrast, indent: str = "") -> list[str]:
    """A passing above a failing answer, and a mark below where they part."""
    lines = [f"{indent}{show(contrast.place, 60)}, line {contrast.line}, column {contrast.column}:"]
    width = len(str(max(contrast.left, contrast.right)))
    sides = ((contrast.left, "passed", contrast.left_line), (contrast.right, "wrong ", contrast.right_line))
    for index, outcome, line in sides:
        start = f"{indent}  attempt {index:>{width}} {outcome}  "
        words = "(nothing)" if line is None else show(line, 200)
        lines.append(f"{start}{_fitted(words, WIDTH - len(start))}".rstrip())
    line = contrast.left_line if contrast.left_line is not None else contrast.right_line
    return [*lines, " " * (len(start) + columns(show((line or "")[: contrast.shared]))) + "^"]


def _head(envelope: Envelope) -> list[str]:
    source = envelope.source
    lines = wrapped(standing(source))
    if source.problem:
        lines += wrapped(f"the first thing that it does not support: {show(source.problem, 400)}")
    return lines


def _flaky(envelope: Envelope) -> list[str]:
    flaky = envelope.of_pile("flaky")
    if not flaky:
        return []
    lines = [f"flaky: {len(flaky)} of {counted(envelope.counts.tasks, 'task')} pass sometimes"]
    for position, row in enumerate(flaky[:_MOST_FLAKY]):
        errored = f", {row.errored} errored" if row.errored else ""
        name = _fitted(show(row.task_id), _LONG_ID_COLUMNS)
        lines += wrapped(f"{name}  {row.passed} of {row.n} passed{errored}", "  ", "    ")
        if row.contrast and position < _MOST_SIDE_BY_SIDE:
            lines += side_by_side(row.contrast, "    ")
    if len(flaky) > _MOST_FLAKY:
        lines.append(f"  and {len(flaky) - _MOST_FLAKY} more, in the table below")
    return lines


def _beside(envelope: Envelope) -> list[str]:
    return _listed("beside the pair:", beside(envelope))


def _consistency(envelope: Envelope) -> list[str]:
    if not envelope.consistency:
        return []
    width = max(len(measure.label) for measure in envelope.consistency)
    digits = len(str(envelope.counts.tasks))
    lines = ["how alike the attempts are, each over so many tasks:"]
    for measure in envelope.consistency:
        over = f"over {measure.tasks:>{digits}}"
        lines += wrapped(measure.meaning, f"  {measure.label:<{width}}  {measured(measure):>7}  {over}  ")
    return [*lines, *_answers(envelope)]


def _answers(envelope: Envelope) -> list[str]:
    """The tasks that did not always give one answer, those that agree least first."""
    rows = [row for row in envelope.tasks if (row.distinct_answers or 0) > 1]
    if not rows:
        return []
    rows.sort(key=lambda row: (row.modal_share, row.position))
    width = min(_ID_COLUMNS, max(columns(inert(show(row.task_id))) for row in rows[:_MOST_ANSWERS]))
    width = max(width, len("task"))
    lines = ["", f"{'task':<{width}}  answers  most frequent  attempts part at"]
    for row in rows[:_MOST_ANSWERS]:
        part = row.parting
        where = f"step {part.step}, {show(part.kind, 24)}" if part else ""
        share = f"{percent(row.modal_share or Fraction(0))}%"
        lines += _row(row, width, f"{row.distinct_answers:>7}  {share:>13}  {where}")
    if len(rows) > _MOST_ANSWERS:
        lines.append(f"and {counted(len(rows) - _MOST_ANSWERS, 'more task')}")
    return lines


def _row(row: TaskRow, width: int, cells: str) -> list[str]:
    """A line of a table; an id that is wider than its column has lines of its own."""
    name = inert(show(row.task_id))
    if columns(name) > width:
        return [*_broken(name), f"{'':<{width}}  {cells}"]
    return [f"{padded(name, width)}  {cells}"]


def _foot(envelope: Envelope) -> list[str]:
    source = envelope.source
    if source.kind == "rows":
        return wrapped(standing(source))
    names = not_covered(source.not_established, source.established)
    lines = [f"receipt  : {show(source.name, 1000)}", f"suite    : sha256:{show(source.suite_hash)}"]
    lines.append(f"signer   : {show(source.signer) or 'nobody'}")
    if source.anchor:
        lines.append(f"trusted  : through {show(source.anchor, 1000)}")
    lines += wrapped(f"agent    : {_agent(envelope)}", hanging=" " * 11)
    lines += [line for words in proof(source) for line in wrapped(words, hanging=" " * 11)]
    lines += _listed("what the receipt does not establish:", names)
    return [*lines, "", *wrapped(standing(source))] if source.mark == "UNVERIFIED" else lines


def _agent(envelope: Envelope) -> str:
    return ", ".join(f"{name} {show(value)}" for name, value in envelope.source.subject)


def task_report(envelope: Envelope, row: TaskRow) -> str:
    """One task with all its attempts: what each answered, which assertions it failed, where they part."""
    k, (low, high) = envelope.k, row.rate_interval
    lines = [
        *wrapped(standing(envelope.source)),
        "",
        *wrapped(
            f"task {show(row.task_id)}: {row.passed} of {row.n} passed, {row.wrong} wrong, "
            f"{row.errored} errored"
        ),
        *wrapped(
            f"success rate {percent(row.rate)}% (95% interval {100 * low:.1f} to {100 * high:.1f}, "
            f"Clopper-Pearson); pass^{k} {percent(row.floor)}%, pass@{k} {percent(row.ceiling)}%"
        ),
        *_alike(row),
        "",
        *(line for attempt in _attempts(row) for line in attempt),
    ]
    if row.contrast:
        lines += ["", "the first difference of a passing and a failing answer:"]
        lines += side_by_side(row.contrast, "  ")
    return "\n".join(map(inert, lines))


def _alike(row: TaskRow) -> Iterator[str]:
    if row.distinct_answers is not None and row.modal_share is not None:
        yield (
            f"{counted(row.distinct_answers, 'distinct answer')}, the most frequent in "
            f"{percent(row.modal_share)}% of the attempts that finished"
        )
    if part := row.parting:
        yield from wrapped(
            f"attempts {part.left} and {part.right} part at step {part.step}, "
            f"{show(part.kind, 60)}: {show(part.detail, 300)}"
        )


def _attempts(row: TaskRow) -> Iterator[list[str]]:
    width = len(str(row.n - 1))
    for attempt in row.attempts:
        start = f"  {attempt.index:>{width}}  {attempt.outcome:<7}  "
        words = show(attempt.error or attempt.text.removesuffix("\n"), 400)
        lines = [f"{start}{_fitted(words, WIDTH - len(start))}".rstrip()]
        for failure in attempt.failures:
            indent = " " * len(start)
            for label, text in (("expected", failure.expected), ("got", failure.got)):
                head = f"{indent}{show(failure.kind)} {label:<8} "
                lines.append(f"{head}{_fitted(show(text, 600), max(20, WIDTH - len(head)))}")
        yield lines


def _listed(heading: str, words: Sequence[str] | Iterator[str]) -> list[str]:
    items = [line for each in words for line in wrapped(each, "  ", "    ")]
    return [heading, *items] if items else []


def _fitted(text: str, width: int) -> str:
    """The beginning of escaped ``text`` that fits ``width`` columns."""
    if columns(text) <= width:
        return text
    ends = list(itertools.accumulate(map(columns, text)))
    return f"{text[: bisect.bisect_right(ends, width - 3)]}..."


def _broken(name: str) -> Iterator[str]:
    """A long name in pieces of at most 78 columns."""
    step = (WIDTH - 2) // 2 if columns(name) > len(name) else WIDTH - 2
    for start in range(0, len(name), step):
        yield f"{'  ' if start else ''}{name[start : start + step]}"
