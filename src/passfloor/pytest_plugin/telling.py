"""One item in the report, its pair beside it."""

from collections.abc import Mapping
from typing import Any

import pytest

from passfloor.pytest_plugin.attempts import Attempts
from passfloor.pytest_plugin.demand import Demand
from passfloor.stats import pass_at_k, pass_hat_k, percent

MARKER = (
    "reliability(n, k=n, floor=1): run the test n times, each with fresh fixtures; red where pass^k, the "
    "chance that all of k attempts pass, is below the floor"
)

_FACTS = "passfloor_reliability"


class Table:
    """Collects the marked items, in the process that writes the summary.

    Attributes:
        marked: Node id -> the facts of its attempts, in the order of the reports.
        note: What became of the receipt; empty where none was asked for.
    """

    def __init__(self) -> None:
        self.marked: dict[str, Mapping[str, Any]] = {}
        self.note = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a marked item's report, which may have come from another process."""
        facts = getattr(report, _FACTS, None)
        if facts:
            self.marked[report.nodeid] = facts

    def lines(self) -> list[str]:
        """What was collected, in the order of the reports."""
        lines = [f"{_verdict(facts)}  {_tally(facts)}  {name}" for name, facts in self.marked.items()]
        return [*lines, self.note] if self.note else lines


def finished(
    item: pytest.Item, attempts: Attempts, demand: Demand | None = None, *, refused: str = ""
) -> list[pytest.TestReport]:
    """The reports of the item's three phases, as of one test; ``refused`` says why there was no attempt."""
    if demand is None:
        return [_report(item, attempts, "setup", refused), _report(item, attempts, "teardown")]
    facts = _facts(attempts, demand)
    shown = [(f"reliability_{name}", value) for name, value in facts.items() if name != "attempts"]
    item.user_properties += shown
    told = "" if facts["open"] else _shut(attempts, demand, facts)
    call = _report(item, attempts, "call", told)
    setattr(call, _FACTS, facts)
    if told:
        reports = [report for attempt in attempts.done for report in attempt.reports]
        call.sections = [section for report in reports for section in report.sections]
    return [_report(item, attempts, "setup"), call, _report(item, attempts, "teardown")]


def word(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Category, letter and word of a marked item; None for all others."""
    facts = getattr(report, _FACTS, None)
    if not facts:
        return None
    letter = "." if report.passed else "F"
    return report.outcome, letter, f"{report.outcome.upper()} {_pair(facts)}"


def _report(item: pytest.Item, attempts: Attempts, when: Any, failure: str = "") -> pytest.TestReport:
    called = when == "call"
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords=dict.fromkeys(item.keywords, 1),
        outcome="failed" if failure else "passed",
        longrepr=failure or None,
        when=when,
        duration=attempts.stopped - attempts.started if called else 0.0,
        start=attempts.started,
        stop=attempts.stopped if called else attempts.started,
        user_properties=list(item.user_properties),
    )


def _facts(attempts: Attempts, demand: Demand) -> dict[str, Any]:
    """Plain values only: a report may have to cross to another process."""
    n, k, passed = demand.n, demand.k, attempts.count("passed")
    floor = pass_hat_k(n, passed, k)
    return {
        "n": n,
        "k": k,
        "passed": passed,
        "wrong": attempts.count("wrong"),
        "errored": attempts.count("errored"),
        "pass_hat_k": str(floor),
        "pass_at_k": str(pass_at_k(n, passed, k)),
        "floor": str(demand.floor),
        "open": floor >= demand.floor,
        "attempts": [[attempt.outcome, attempt.detail] for attempt in attempts.done],
    }


def _pair(facts: Mapping[str, Any]) -> str:
    n, k, passed = facts["n"], facts["k"], facts["passed"]
    return f"pass^{k} {percent(pass_hat_k(n, passed, k))}% pass@{k} {percent(pass_at_k(n, passed, k))}%"


def _tally(facts: Mapping[str, Any]) -> str:
    return f"{facts['passed']}/{facts['n']} passed, {facts['wrong']} wrong, {facts['errored']} errored"


def _verdict(facts: Mapping[str, Any]) -> str:
    return f"{'open' if facts['open'] else 'SHUT'}  {_pair(facts)}"


def _shut(attempts: Attempts, demand: Demand, facts: Mapping[str, Any]) -> str:
    k, n = demand.k, demand.n
    passed, errored = facts["passed"], facts["errored"]
    lines = [f"{_pair(facts)}: the floor is below {demand.floor}; {_tally(facts)}"]
    if errored and pass_hat_k(n, passed + errored, k) >= demand.floor:
        lines.append("undecided rather than missed: were the errored attempts passes, the floor would hold")
    lines += [f"  attempt {i}: {a.outcome}: {a.detail}" for i, a in enumerate(attempts.done) if a.detail]
    for found in (attempts.first("wrong"), attempts.first("errored")):
        if found is not None:
            index, attempt = found
            lines += ["", f"attempt {index}, the first that {_VERBS[attempt.outcome]}:"]
            lines += [report.longreprtext for report in attempt.reports]
    return "\n".join(lines)


_VERBS = {"wrong": "was wrong", "errored": "errored"}
