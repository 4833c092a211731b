"""The envelope over k: both curves, the band between them, the intervals at the k of the report."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from passfloor.report.envelope.model import CurvePoint
from passfloor.report.html import svg
from passfloor.stats import percent

WIDE = svg.Frame(width=760, height=430, left=52, right=740, top=40, bottom=374)
NARROW = svg.Frame(width=340, height=330, left=44, right=328, top=40, bottom=274)

_MOST_POINTS = 240
_MOST_MARKED = 40
_INSET = 14


def curve_plot(curve: Sequence[CurvePoint], k: int, frame: svg.Frame) -> str:
    """An ``svg`` element.

    Args:
        curve: Points at k from 1 to n, ascending; at least one.
        k: The k that is marked, with its intervals.
        frame: How large.
    """
    points, n = thinned(curve, k, _MOST_POINTS), curve[-1].k
    at = curve[k - 1]
    label = f"Both figures for k from 1 to {n}; at k = {k} {_said(at)}. All values stand in the table below."
    root = svg.canvas(frame.width, frame.height, "curve", label=label)
    places = _Places(frame, n)
    _grid(root, frame, places, n)
    ceiling = [(places.x(point.k), frame.y(float(point.ceiling))) for point in points]
    floor = [(places.x(point.k), frame.y(float(point.floor))) for point in points]
    svg.shape(root, "polygon", "band", points=svg.path([*ceiling, *reversed(floor)]))
    x = places.x(k)
    svg.shape(root, "line", "at", x1=x, x2=x, y1=frame.top - 10, y2=frame.bottom)
    svg.shape(root, "polyline", "ceiling line", points=svg.path(ceiling))
    svg.shape(root, "polyline", "floor line", points=svg.path(floor))
    _whisker(root, frame, x - 5, at, "ceiling")
    _whisker(root, frame, x + 5, at, "floor")
    for point in thinned(curve, k, _MOST_MARKED):
        _marks(root, frame, places, point, k)
    _labels(root, frame, places, at)
    return svg.markup(root)


def thinned(curve: Sequence[CurvePoint], k: int, most: int) -> list[CurvePoint]:
    """At most ``most`` points, evenly; the first, the last and that at k among them."""
    if len(curve) <= most:
        return list(curve)
    last = len(curve) - 1
    kept = {round(i * last / (most - 2)) for i in range(most - 1)} | {k - 1}
    return [curve[i] for i in sorted(kept)]


class _Places:
    """Where each k stands; the only one there is stands in the middle."""

    def __init__(self, frame: svg.Frame, n: int) -> None:
        self._left, self._right, self._n = frame.left + _INSET, frame.right - _INSET, n

    def x(self, k: int) -> float:
        if self._n == 1:
            return (self._left + self._right) / 2
        return self._left + (k - 1) / (self._n - 1) * (self._right - self._left)

    @property
    def step(self) -> float:
        return (self._right - self._left) / max(1, self._n - 1)


def _grid(root: ET.Element, frame: svg.Frame, places: _Places, n: int) -> None:
    for value in range(0, 101, 20):
        y = frame.y(value / 100)
        svg.shape(root, "line", "axis" if value == 0 else "grid", x1=frame.left, x2=frame.right, y1=y, y2=y)
        svg.words(root, "tick", f"{value}%", frame.left - 8, y + 4, "end")
    for k in ticks(n, 6 if frame is NARROW else 12):
        svg.shape(root, "line", "axis", x1=places.x(k), x2=places.x(k), y1=frame.bottom, y2=frame.bottom + 5)
        svg.words(root, "tick", str(k), places.x(k), frame.bottom + 20, "middle")
    middle = (frame.left + frame.right) / 2
    svg.words(root, "title", f"k, attempts drawn of n = {n}", middle, frame.bottom + 44, "middle")
    svg.words(root, "title", "mean over tasks", 0, 14)


def ticks(n: int, most: int) -> list[int]:
    """1, round numbers between, and n: about ``most`` of them, and no two closer than half a step."""
    step = next(base * 10**power for power in range(9) for base in (1, 2, 5) if n <= most * base * 10**power)
    between = (k for k in range(step, n, step) if min(k - 1, n - k) >= step / 2)
    return sorted({1, n, *between})


def _whisker(root: ET.Element, frame: svg.Frame, x: float, at: CurvePoint, name: str) -> None:
    interval = at.ceiling_interval if name == "ceiling" else at.floor_interval
    low, high = frame.y(float(interval.low)), frame.y(float(interval.high))
    group = svg.shape(root, "g", f"{name} whisker")
    svg.tip(group, f"95% interval across tasks: {percent(interval.low)} to {percent(interval.high)}")
    svg.shape(group, "line", "stem", x1=x, x2=x, y1=low, y2=high)
    for y in (low, high):
        svg.shape(group, "line", "cap", x1=x - 4, x2=x + 4, y1=y, y2=y)


def _marks(root: ET.Element, frame: svg.Frame, places: _Places, point: CurvePoint, k: int) -> None:
    """A circle on the ceiling, a diamond on the floor, and a column of the field that tells both."""
    x, high, low = places.x(point.k), frame.y(float(point.ceiling)), frame.y(float(point.floor))
    size = 5.5 if point.k == k else 3.5
    group = svg.shape(root, "g", "point")
    svg.tip(group, f"k = {point.k}: {_said(point)}, {percent(point.width)} points apart")
    width = min(40.0, max(4.0, places.step))
    svg.shape(
        group, "rect", "reach", x=x - width / 2, y=frame.top, width=width, height=frame.bottom - frame.top
    )
    svg.shape(group, "circle", "ceiling mark", cx=x, cy=high, r=size)
    corners = [(x, low - size - 1), (x + size + 1, low), (x, low + size + 1), (x - size - 1, low)]
    svg.shape(group, "polygon", "floor mark", points=svg.path(corners))


def _labels(root: ET.Element, frame: svg.Frame, places: _Places, at: CurvePoint) -> None:
    """The two values beside their points, outside the band: left of them, where the curves lead away."""
    x = places.x(at.k)
    anchor, beside = ("end", x - 12) if x - frame.left > 120 else ("start", x + 12)
    high, low = frame.y(float(at.ceiling)) - 10, frame.y(float(at.floor)) + 20
    if low > frame.bottom - 6:
        low = frame.y(float(at.floor)) - 12
        if low - high < 16:
            high = low - 18
    svg.words(root, "ceiling label", f"pass@{at.k} {percent(at.ceiling)}%", beside, high, anchor)
    svg.words(root, "floor label", f"pass^{at.k} {percent(at.floor)}%", beside, low, anchor)


def _said(point: CurvePoint) -> str:
    return f"pass@{point.k} {percent(point.ceiling)}%, pass^{point.k} {percent(point.floor)}%"
