"""Small pictures beside numbers: an interval on its scale, the tasks as columns by pile."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import groupby

from passfloor.report.envelope.model import TaskRow
from passfloor.report.escape import show
from passfloor.report.html import svg
from passfloor.report.layout import counted
from passfloor.stats.intervals import Interval

_MOST_COLUMNS = 150


def interval_bar(value: float, interval: Interval, name: str) -> str:
    """The scale from 0 to 100%, the interval on it, and the figure as a stroke."""
    root = svg.canvas(1000, 14, f"interval {name}", stretched=True)
    low, high = 1000 * float(interval.low), 1000 * float(interval.high)
    svg.shape(root, "rect", "track", x=0, y=5, width=1000, height=4)
    svg.shape(root, "rect", "span", x=low, y=3, width=max(4.0, high - low), height=8)
    svg.shape(root, "rect", "value", x=min(992.0, max(0.0, 1000 * value - 4)), y=0, width=8, height=14)
    return svg.markup(root)


def pile_columns(rows: Sequence[TaskRow]) -> str:
    """A column a task, as high as its success rate, best first; where they are many, one for all alike."""
    ordered = sorted(rows, key=lambda row: (-row.rate, row.position))
    root = svg.canvas(1000, 132, "columns", stretched=True)
    each = 1000 / len(ordered)
    gap = min(6.0, each * 0.18) if len(ordered) <= _MOST_COLUMNS else 0.0
    for line in (10, 70):
        svg.shape(root, "line", "grid", x1=0, x2=1000, y1=line, y2=line)
    if gap:
        for place, row in enumerate(ordered):
            said = f"{show(row.task_id)}: {row.passed} of {row.n} passed"
            _column(root, row, place * each + gap / 2, each - gap, said)
    else:
        place = 0
        for _, group in groupby(ordered, lambda row: row.passed):
            alike = list(group)
            said = f"{counted(len(alike), 'task')}: {alike[0].passed} of {alike[0].n} passed"
            _column(root, alike[0], place * each, len(alike) * each, said)
            place += len(alike)
    return svg.markup(root)


def _column(root: ET.Element, row: TaskRow, x: float, width: float, said: str) -> None:
    height = max(4.0, 120 * float(row.rate))
    group = svg.shape(root, "g", f"pile-{row.pile}")
    svg.tip(group, said)
    svg.shape(group, "rect", "reach", x=x, y=0, width=width, height=132)
    svg.shape(group, "rect", "bar", x=x, y=130 - height, width=width, height=height)
