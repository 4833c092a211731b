"""pytest plugin: ``@pytest.mark.reliability(n=10, k=5, floor=0.9)`` asks how often, not whether.

The marked test runs n times, each time with fresh fixtures of its own, and stays one item in the report. A
failed assertion is a wrong attempt; whatever else goes wrong (another exception, a fixture, a time-out) is an
errored one, and neither passes. The item is red where pass^k over its attempts is below the floor.
"""

import os
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # loaded by every pytest that finds it installed: nothing more until it is needed
    from passfloor.pytest_plugin.telling import Table

_TABLE: pytest.StashKey["Table"] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--reliability-out FILE``."""
    parser.getgroup("reliability", "how often tests pass").addoption(
        "--reliability-out",
        metavar="FILE",
        help="seal what the tests marked `reliability` came to in a signed receipt (passfloor)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; collect the pairs for the summary; refuse a receipt that could not be written."""
    from passfloor.pytest_plugin.telling import MARKER, Table

    out = config.getoption("reliability_out")
    if out is not None and os.path.lexists(config.invocation_params.dir / out):
        raise pytest.UsageError(f"--reliability-out {out!a} exists: name another file, or remove it first")

    config.addinivalue_line("markers", MARKER)
    config.stash[_TABLE] = Table()
    config.pluginmanager.register(config.stash[_TABLE], "passfloor-reliability-table")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a marked item as often as it asks; leave all others to pytest."""
    marker = item.get_closest_marker("reliability")
    if marker is None:
        return None
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, nextitem, marker):
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports(item: pytest.Item, nextitem: pytest.Item | None, marker: pytest.Mark) -> list[pytest.TestReport]:
    from passfloor.pytest_plugin.attempts import Attempts, repeat
    from passfloor.pytest_plugin.demand import read_demand
    from passfloor.pytest_plugin.telling import finished

    demand = read_demand(marker, item)
    if isinstance(demand, str):
        return finished(item, Attempts(), refused=demand)
    attempts = repeat(item, nextitem, demand.n)
    return attempts.skipped or finished(item, attempts, demand)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note what kind of exception ended a phase: a report only has its text."""
    from passfloor.pytest_plugin.attempts import note_exception

    report = yield
    note_exception(item, call)
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """The pair stands beside the item's verdict."""
    from passfloor.pytest_plugin.telling import word

    return word(report)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the receipt, in the process that has all reports; what prevents it fails the session."""
    config = session.config
    out = config.getoption("reliability_out")
    if out is None or hasattr(config, "workerinput"):
        return
    from passfloor.errors import PassfloorError
    from passfloor.pytest_plugin.receipt import write_receipt

    table = config.stash[_TABLE]
    try:
        table.note = write_receipt(table.marked, Path(out), config.invocation_params.dir)
    except PassfloorError as error:
        table.note = f"no receipt: {error}"
        session.exitstatus = pytest.ExitCode.USAGE_ERROR


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """One line a marked item, whatever its verdict."""
    lines = config.stash[_TABLE].lines()
    if lines:
        terminalreporter.section("reliability")
        for line in lines:
            terminalreporter.write_line(line)
