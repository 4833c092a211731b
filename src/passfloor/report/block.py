"""The block that a report is built around: every line a label and a text, in a fixed order."""

from fractions import Fraction

from passfloor.report.envelope.model import CurvePoint, Envelope, Figure, Measure
from passfloor.report.envelope.words import ESTIMATOR
from passfloor.report.escape import show
from passfloor.report.layout import portion
from passfloor.stats import percent
from passfloor.stats.intervals import Interval

LABEL = 18
"""Columns that a label takes."""


def block(envelope: Envelope) -> list[tuple[str, str]]:
    """The lines, label without its colon first; what the receipt says in its own words is escaped."""
    at, counts, k, n = envelope.at, envelope.counts, envelope.k, envelope.n
    return [
        ("suite", _suite(envelope)),
        ("trials per task", f"n = {n}{_trials(envelope)}"),
        ("k", f"{k}, {show(envelope.k_words, 300)}"),
        ("estimator", ESTIMATOR),
        ("success rate", f"{counts.passed} / {counts.attempts} = {percent(envelope.success_rate)}%"),
        (f"pass@{k}", f"{percent(at.ceiling)}%  {interval(at.ceiling_interval)}"),
        (f"pass^{k}", f"{percent(at.floor)}%  {interval(at.floor_interval)}"),
        (f"envelope at {k}", f"{percent(at.width)} points"),
        (f"piles at k = {n}", _piles(envelope)),
        ("who picks", show(envelope.picker)),
        (
            "quote to users",
            f"{figure_name(envelope.quote.figure, k)}, because {show(envelope.quote.because)}",
        ),
        ("not covered", "; ".join(envelope.not_covered)),
    ]


def block_lines(envelope: Envelope) -> list[str]:
    """The block as plain text. A line stays whole however long it is, to be quoted and searched."""
    return [f"{label + ':':<{LABEL}}{text}" for label, text in block(envelope)]


def interval(of: Interval) -> str:
    """``(95% interval across tasks: 31.4 to 71.7, exact bootstrap over tasks)``."""
    off = f", at most {100 * of.error:.2f} points off" if of.error else ""
    return f"(95% interval across tasks: {percent(of.low)} to {percent(of.high)}, {of.method}{off})"


def figure_name(figure: Figure, k: int) -> str:
    """What a figure is called at this k."""
    match figure:
        case "pass@k":
            return f"pass@{k}"
        case "pass^k":
            return f"pass^{k}"
        case "batch":
            return f"the batch figure of {k}"
        case "success rate":
            return "success rate"


def fixed(value: Fraction) -> str:
    """A rate as ``0.60``: rounded once, half to even on the exact value."""
    units = round(value * 100)
    return f"{units // 100}.{units % 100:02}"


def measured(measure: Measure) -> str:
    """A measure's value as it is shown: a share in percent, a ratio with three decimals."""
    if measure.unit == "share":
        return f"{100 * float(measure.value):.1f}%"
    if measure.unit == "ratio":
        return f"{float(measure.value):.3f}"
    return f"{float(measure.value):.0f}"


def pair(at: CurvePoint) -> str:
    """``pass^5 51.7%, pass@5 92.7%``."""
    return f"pass^{at.k} {percent(at.floor)}%, pass@{at.k} {percent(at.ceiling)}%"


def beside(envelope: Envelope) -> list[str]:
    """What the pair leaves open: bounds under errors, noise of the attempts, the batch question."""
    k, noise = envelope.k, envelope.noise
    words = [
        "an interval says where the figure would lie with other tasks of this kind; it does not hold "
        "the noise of the attempts, which adds a standard deviation of at least "
        f"{100 * noise.floor:.2f} points (pass^{k}) and {100 * noise.ceiling:.2f} (pass@{k})",
    ]
    if envelope.if_passed:
        best = envelope.if_passed
        words.insert(
            0,
            "errored attempts count as failed; had they passed: success rate "
            f"{percent(best.success_rate)}%, pass@{k} {percent(best.ceiling)}%, "
            f"pass^{k} {percent(best.floor)}%",
        )
    words.append(
        f"a batch of {k} different jobs, all of them right: {percent(envelope.batch)}%, the success rate to "
        f"the power {k}; another question than pass^{k}"
    )
    return words


def _suite(envelope: Envelope) -> str:
    source, tasks = envelope.source, envelope.counts.tasks
    if source.kind == "rows":
        return f"{show(source.name)}, {portion(tasks, tasks)}, unsealed rows"
    digest = f", sha256:{source.suite_hash[:12]}..." if source.suite_hash else ""
    return f"{show(source.suite_version)}, {portion(tasks, source.suite_tasks or tasks)}{digest}"


def _trials(envelope: Envelope) -> str:
    if envelope.source.kind == "rows":
        return ", as the rows say"
    if envelope.source.imported:
        return ", as the imported log says"
    return ", independent runs, fresh state each"


def _piles(envelope: Envelope) -> str:
    tasks = envelope.counts.tasks
    numbers = {pile: len(envelope.of_pile(pile)) for pile in ("always", "flaky", "never")}
    return (
        f"always pass {numbers['always']}/{tasks} | flaky {numbers['flaky']}/{tasks} | "
        f"never pass {numbers['never']}/{tasks}"
    )
