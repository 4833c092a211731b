"""Running one item again and again, each time as if it had never run."""

import copy
import time
from dataclasses import dataclass, field
from typing import Literal

import pytest
from _pytest.runner import runtestprotocol

Outcome = Literal["passed", "wrong", "errored"]

_ASSERTED = pytest.StashKey[bool]()


@dataclass(frozen=True)
class Attempt:
    """One attempt: its outcome, where it failed in one line, and the reports of its phases."""

    outcome: Outcome
    detail: str = ""
    reports: tuple[pytest.TestReport, ...] = ()


@dataclass
class Attempts:
    """All attempts of an item, in order; ``skipped`` has the reports of an item that does not want to run."""

    done: list[Attempt] = field(default_factory=list)
    skipped: list[pytest.TestReport] = field(default_factory=list)
    started: float = field(default_factory=time.time)
    stopped: float = 0.0

    def count(self, outcome: Outcome) -> int:
        """How many attempts came out like that."""
        return sum(attempt.outcome == outcome for attempt in self.done)

    def first(self, outcome: Outcome) -> tuple[int, Attempt] | None:
        """The first attempt that came out like that, with its index."""
        return next(((i, a) for i, a in enumerate(self.done) if a.outcome == outcome), None)


def repeat(item: pytest.Item, nextitem: pytest.Item | None, n: int) -> Attempts:
    """Run ``item`` n times. Fixtures of the function are made anew each time, wider ones once, as ever."""
    attempts = Attempts()
    # pytest tears down what the next item does not share: a twin of this one shares all but the function.
    twin = copy.copy(item)
    for index in range(n):
        item.stash[_ASSERTED] = False
        _forget(item)
        reports = runtestprotocol(item, log=False, nextitem=nextitem if index == n - 1 else twin)
        if index == 0 and any(report.skipped for report in reports):
            _close(item, nextitem)
            attempts.skipped = reports
            break
        attempts.done.append(_judged(reports, asserted=item.stash[_ASSERTED]))
    attempts.stopped = time.time()
    return attempts


def note_exception(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Remember whether a failed assertion ended the test itself."""
    if _ASSERTED in item.stash and call.when == "call" and call.excinfo is not None:
        item.stash[_ASSERTED] = call.excinfo.errisinstance(AssertionError)


def _judged(reports: list[pytest.TestReport], *, asserted: bool) -> Attempt:
    failed = [report for report in reports if not report.passed]
    if not failed:
        return Attempt("passed")
    wrong = asserted and all(report.when == "call" for report in failed)
    return Attempt("wrong" if wrong else "errored", _detail(failed[0]), tuple(failed))


def _detail(report: pytest.TestReport) -> str:
    where = "" if report.when == "call" else f"{report.when}: "
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    line = text.strip().split("\n")[0][:200] or report.outcome
    # Half a surrogate pair has no UTF-8, and so no place in a receipt.
    return where + line.encode("utf-8", "backslashreplace").decode()


def _forget(item: pytest.Item) -> None:
    """Nothing that an attempt left on the item is there for the next: captured output, a class's instance."""
    item._report_sections.clear()
    if item.getparent(pytest.Class) is not None:
        for name in ("_instance", "_obj"):
            vars(item).pop(name, None)


def _close(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What the twin was said to share is not shared with whatever comes next."""
    item.session._setupstate.teardown_exact(nextitem)
