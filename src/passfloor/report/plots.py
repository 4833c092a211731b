"""The two curves over k in plain characters: at most 80 columns, and nothing that a code page lacks."""

from collections.abc import Sequence

from passfloor.report.envelope.model import CurvePoint
from passfloor.stats import percent

_LEFT = 7
_ROWS = 11
_MOST_COLUMNS = 66


def envelope_plot(curve: Sequence[CurvePoint], k: int) -> list[str]:
    """pass@k as ``o``, pass^k as ``x``, ``*`` where they meet, dots between them; ``k`` is marked below.

    Args:
        curve: Points at ascending k; at least one.
        k: The k that is marked.
    """
    points = _thinned(curve, k)
    step = max(2, min(6, _MOST_COLUMNS // len(points)))
    canvas = [[" "] * (len(points) * step) for _ in range(_ROWS)]
    for column, point in enumerate(points):
        _draw(canvas, column * step + step // 2, point)
    lines = []
    for row, cells in enumerate(canvas):
        value = 100 - row * 100 // (_ROWS - 1)
        label = f"{value:>4}%" if row % 2 == 0 else "     "
        lines.append(f"{label} |{''.join(cells)}".rstrip())
    axis = f"{'':<{_LEFT - 1}}+{'-' * (len(points) * step)}"
    return [*lines, axis, *_ticks(points, step, k), *_legend(points, k)]


def _thinned(curve: Sequence[CurvePoint], k: int) -> list[CurvePoint]:
    """As many points as there is room for, the first, the last and that at k among them."""
    most = _MOST_COLUMNS // 2
    if len(curve) <= most:
        return list(curve)
    last = len(curve) - 1
    kept = {round(i * last / (most - 2)) for i in range(most - 1)}
    kept.add(next(i for i, point in enumerate(curve) if point.k == k))
    return [curve[i] for i in sorted(kept)]


def _draw(canvas: list[list[str]], column: int, point: CurvePoint) -> None:
    top, bottom = (round((1 - value) * (_ROWS - 1)) for value in (point.ceiling, point.floor))
    for row in range(top + 1, bottom):
        canvas[row][column] = "."
    canvas[top][column] = "o"
    canvas[bottom][column] = "*" if top == bottom else "x"


def _ticks(points: Sequence[CurvePoint], step: int, k: int) -> list[str]:
    """The numbers below the axis, as many as do not touch, that of k first."""
    width = _LEFT + len(points) * step + _LEFT
    numbers, marks = [" "] * width, [" "] * width
    ends = [points[0], points[-1], *points]
    wanted = [next(point for point in points if point.k == k), *ends]
    for point in wanted:
        column = _LEFT + points.index(point) * step + step // 2
        text = str(point.k)
        start = column - (len(text) - 1) // 2
        around = numbers[max(0, start - 1) : start + len(text) + 1]
        if all(cell == " " for cell in around):
            numbers[start : start + len(text)] = text
        if point.k == k:
            marks[column] = "^"
    return ["".join(numbers).rstrip() + "  k", "".join(marks).rstrip()]


def _legend(points: Sequence[CurvePoint], k: int) -> list[str]:
    at = next(point for point in points if point.k == k)
    indent = " " * _LEFT
    ends = f"{percent(at.floor)}% to {percent(at.ceiling)}%"
    return [
        f"{indent}o pass@k, the ceiling   x pass^k, the floor   * both   . the envelope",
        f"{indent}at k = {k}: {ends}, {percent(at.width)} points wide",
    ]
