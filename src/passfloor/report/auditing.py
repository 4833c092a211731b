"""An audit in plain text: the verdict first, then what was claimed against what was seen."""

from collections.abc import Iterator
from fractions import Fraction

from passfloor.checking.audit import RUNS, Audit, Sampled
from passfloor.report.escape import show
from passfloor.report.imported import imported_notes
from passfloor.report.layout import columns, counted, padded, wrapped
from passfloor.report.terminal import finding_lines
from passfloor.report.wording import VERDICTS
from passfloor.stats import percent

AUDITS = {
    "consistent": "the fresh attempts do not contradict the claim",
    "inconsistent": "the claimed counts and the fresh ones are not of one agent",
    "undecided": "too little to tell",
}
"""What each decision of an audit means, in one sentence."""

_MOST_TASKS = 20
_WIDEST_ID = 40


def audit_report(outcome: Audit) -> str:
    """The decision, the figures it rests on, the tasks that differ most, and what could have been found."""
    if outcome.comparison is None or outcome.power is None:
        status = outcome.verification.status
        lines = [f"audit: {status}", *wrapped(VERDICTS[status])]
        lines += finding_lines(outcome.verification.findings)
        return "\n".join([*lines, "nothing was run: the receipt is not accepted"])
    lines = [f"audit: {outcome.decision.upper()}", *wrapped(AUDITS[outcome.decision])]
    if outcome.verification.head is not None:
        for note in imported_notes(outcome.verification.head):
            lines += wrapped(f"the claim: {note}")
    lines += ["", *_figures(outcome), "", *_table(outcome), *_limits(outcome)]
    return "\n".join(lines)


def _figures(outcome: Audit) -> Iterator[str]:
    found = outcome.comparison
    claimed = sum(each.spot.c for each in outcome.tasks)
    recorded = sum(each.spot.n for each in outcome.tasks)
    errored = f", {outcome.errored} errored" if outcome.errored else ""
    yield f"claimed   : {_share(claimed, recorded)} passed"
    yield f"fresh     : {_share(outcome.passed, outcome.attempts)} passed{errored}"
    if found is not None and found.overall is not None:
        level = f"against the claim at {found.overall_level:.3g} or less"
        yield f"over all  : p = {found.overall:.3g}, exact and two-sided; {level}"
    if found is not None and found.task_level:
        named = f"{len(found.against) or 'none'} against the claim"
        yield f"each task : {named}, at {found.task_level:.2g} or less, corrected for their number"
    yield f"drawn by  : seed {outcome.sampling.seed}"


def _share(passed: int, attempts: int) -> str:
    return f"{percent(Fraction(passed, attempts))}%  {passed} of {counted(attempts, 'attempt')}"


def _table(outcome: Audit) -> Iterator[str]:
    """The tasks that differ most, worst first."""
    told = [each for each in outcome.tasks if each.spot.r]
    told.sort(key=lambda each: (not each.against, 1.0 if each.p_value is None else each.p_value))
    names = [show(each.task_id, _WIDEST_ID) for each in told[:_MOST_TASKS]]
    width = max(columns(name) for name in [*names, "task"])
    yield f"{padded('task', width)}  claimed    fresh  p"
    for name, each in zip(names, told, strict=False):
        yield f"{padded(name, width)}  {_row(each)}"
    if len(told) > _MOST_TASKS:
        yield f"and {len(told) - _MOST_TASKS} more, which differ less (--json lists all)"


def _row(each: Sampled) -> str:
    spot = each.spot
    claimed, fresh = f"{spot.c}/{spot.n}", f"{spot.s}/{spot.r}"
    mark = "  against the claim" if each.against else ""
    return f"{claimed:>7}  {fresh:>7}  {each.p_value:.3g}{mark}"


def _limits(outcome: Audit) -> Iterator[str]:
    power = outcome.power
    if power is None:
        return
    yield ""
    yield "what this audit could have found:"
    drop, best = power.least_drop, percent(Fraction(power.best_of_20))
    found = [
        "not even an agent that never passes, with a chance of 80%: raise --budget"
        if drop is None
        else f"a success rate lower by {100 * drop:.0f} points or more, with a chance of 80% or more",
        f"the best of {RUNS} runs, picked by its floor, with a chance of about {best}%",
    ]
    for sentence in found:
        yield from wrapped(sentence, "  ", "    ")
    yield "not covered:"
    for sentence in _not_covered(outcome):
        yield from wrapped(sentence, "  ", "    ")


def _not_covered(outcome: Audit) -> Iterator[str]:
    if not outcome.same_agent:
        yield "that it is the same agent: by its digest it is another one than the receipt is about"
    yield "that the agent, its model and its surroundings are still what they were"
    if outcome.errored:
        told = counted(outcome.errored, "fresh attempt")
        stands = (
            "without them the claim stands" if outcome.without_errors else "without them it does not stand"
        )
        yield f"why {told} errored, which count as not passed: {stands}"
