"""What a run will be able to say, as people and machines read it."""

from fractions import Fraction
from typing import Any

from passfloor.comparison.forecast import ALMOST_ALWAYS, RARELY, USUALLY, Forecast
from passfloor.report.decision import asked_percent
from passfloor.report.layout import counted, wrapped
from passfloor.report.rates import spelled
from passfloor.stats import percent, ruled_out
from passfloor.stats.planning import Distinction

_LABEL = 15
_MOST_KINDS = 6


def forecast_report(forecast: Forecast, source: str) -> str:
    """The plan, what it costs, and what it will and will not show.

    Args:
        forecast: The numbers.
        source: Where the rates come from, one phrase.
    """
    f, k = forecast, forecast.k
    lines = [
        *_said("plan", f"{counted(f.tasks, 'task')} x {counted(f.n, 'attempt')}, k = {k}"),
        *_said("bill", f"{counted(f.runs.runs, 'run')} of the agent"),
        *_said("rates", source),
        *_said("", _mix(f)),
        *_said("true pair", f"pass^{k} {percent(f.floor)}%, pass@{k} {percent(f.ceiling)}% at these rates"),
        *_said(
            f"pass^{k}", f"known to within {_points(f.width.floor)} (95% interval across tasks, full width)"
        ),
        *_said(f"pass@{k}", f"known to within {_points(f.width.ceiling)}"),
        *_said(f"for {asked_percent(f.target)[:-1]} points", _needed(f)),
        *_said("gate", _gate(f)),
        *_said("compare", _compare(f)),
        *_said("one task", _one_task(f)),
        *_said("rule of thumb", _thumb(f)),
    ]
    return "\n".join(lines)


def forecast_document(forecast: Forecast, source: str) -> dict[str, Any]:
    """The same for machines; what is exact is a fraction in lowest terms, and in ``as_rates`` a rate."""
    f = forecast
    return {
        "tasks": f.tasks,
        "n": f.n,
        "k": f.k,
        "runs": f.runs.runs,
        "rates": {
            "source": source,
            "mix": [spelled(share=Fraction(weight), rate=Fraction(rate)) for weight, rate in f.mix],
        },
        "true": spelled(pass_caret_k=f.floor, pass_at_1=f.ceiling),
        "expected_width": {"pass_caret_k": f.width.floor, "pass_at_1": f.width.ceiling},
        "target": {
            **spelled(width=f.target),
            "tasks_needed": f.tasks_needed,
            "attempts_needed": f.attempts_needed,
        },
        "gate": {
            **spelled(require_floor=f.gate.bar),
            "chance": f.gate.chance,
            "every_task": f.gate.every_task,
        },
        "detectable": f.detectable.change,
        "tells_apart": [
            _apart(USUALLY, RARELY, f.tells),
            _apart(ALMOST_ALWAYS, USUALLY, f.confuses),
        ],
        "attempts_to_tell": None if f.attempts_to_tell is None else f.attempts_to_tell.n,
        "rule_of_thumb": None if f.thrifty is None else {"tasks": f.thrifty.tasks, "n": f.thrifty.n},
    }


def _apart(high: Fraction, low: Fraction, told: Distinction) -> dict[str, Any]:
    return {**spelled(high=high, low=low), "n": told.n, "error": told.error}


def _mix(f: Forecast) -> str:
    total = sum(Fraction(weight) for weight, _ in f.mix)
    parts = [
        f"{percent(Fraction(weight) / total, 0)}% of tasks at {asked_percent(Fraction(rate))}"
        for weight, rate in f.mix[:_MOST_KINDS]
    ]
    more = f" and {counted(len(f.mix) - _MOST_KINDS, 'more rate')}" if len(f.mix) > _MOST_KINDS else ""
    return ", ".join(parts) + more


def _needed(f: Forecast) -> str:
    tasks = f"{counted(f.tasks_needed, 'task')} with {counted(f.n, 'attempt')} each"
    if f.attempts_needed is None:
        return f"{tasks}; with {counted(f.tasks, 'task')} no number of attempts is enough"
    return f"{tasks}, or {counted(f.attempts_needed, 'attempt')} each with {counted(f.tasks, 'task')}"


def _gate(f: Forecast) -> str:
    bar = percent(f.gate.bar)
    whose = "that truly has it" if float(f.gate.bar) == f.gate.floor else "with these rates"
    return (
        f"--require-floor at {bar}% passes an agent {whose} {_chance(f.gate.chance)} of the time; "
        f"--require at {bar}%, which asks every task's pass@{f.k}, {_chance(f.gate.every_task)}"
    )


def _compare(f: Forecast) -> str:
    if f.detectable.change is None:
        return f"two such runs can show no change of pass^{f.k} whatever"
    return f"two such runs show changes of pass^{f.k} of {_points(f.detectable.change)} or more"


def _one_task(f: Forecast) -> str:
    n = counted(f.n, "attempt")
    told = f"{n} tell 90% from 10% but for {_chance(f.tells.error)}, 95% from 90% but for "
    needed = "" if f.attempts_to_tell is None else f" ({f.attempts_to_tell.n} attempts would for 5%)"
    clean = f"; all passing, they rule out only failure rates above {100 * ruled_out(f.n):.1f}%"
    return f"{told}{_chance(f.confuses.error)}{needed}{clean}"


def _thumb(f: Forecast) -> str:
    rule = "fix k from the product, run about 2k attempts a task, spend the rest on tasks"
    if f.thrifty is None:
        return rule
    return f"{rule}: for this bill {counted(f.thrifty.tasks, 'task')} x {counted(f.thrifty.n, 'attempt')}"


def _points(value: float) -> str:
    return f"{100 * value:.1f} points"


def _chance(value: float) -> str:
    return f"{100 * value:.1f}%"


def _said(label: str, text: str) -> list[str]:
    return wrapped(text, f"{label:<{_LABEL}}: " if label else " " * (_LABEL + 2), " " * (_LABEL + 2))
