"""The plot holds both curves, whatever they look like, and stays inside its frame."""

import xml.etree.ElementTree as ET

import pytest

from passfloor.report.html.curve import NARROW, WIDE, curve_plot, thinned, ticks

SVG_PLACES = ("x", "x1", "x2", "cx")


def drawn(envelope, frame=WIDE):
    return ET.fromstring(curve_plot(envelope.curve, envelope.k, frame))


def of_class(root, name):
    return [element for element in root.iter() if name in element.get("class", "").split()]


@pytest.mark.parametrize("frame", [WIDE, NARROW])
@pytest.mark.parametrize(
    "tasks",
    [{"a": "p"}, {"a": "w"}, {"a": "pppp", "b": "wwww"}, {"a": "p" * 40 + "w" * 60}, {"a": "pw" * 300}],
)
def test_both_curves_the_band_and_the_axes_are_drawn_inside_the_frame(from_counts, tasks, frame):
    root = drawn(from_counts(tasks), frame)
    assert {len(of_class(root, name)) for name in ("band", "at")} == {1}
    assert len([each for each in of_class(root, "line") if each.tag == "polyline"]) == 2
    for element in root.iter():
        for name in SVG_PLACES:
            assert 0 <= float(element.get(name, "0")) <= frame.width
        for name in ("y", "y1", "y2", "cy"):
            assert 0 <= float(element.get(name, "0")) <= frame.height


def test_the_values_at_k_are_written_beside_their_points(from_counts):
    root = drawn(from_counts({"a": "pppww", "b": "ppppp"}, k=2))
    assert [each.text for each in of_class(root, "label")] == ["pass@2 95.0%", "pass^2 65.0%"]
    assert "at k = 2 pass@2 95.0%, pass^2 65.0%" in root.get("aria-label")


def test_every_point_tells_its_values_to_a_pointer(from_counts):
    root = drawn(from_counts({"a": "pppww"}, k=2))
    told = [point[0].text for point in of_class(root, "point")]
    assert told[1] == "k = 2: pass@2 90.0%, pass^2 30.0%, 60.0 points apart"
    assert len(told) == 5


def test_labels_do_not_run_into_each_other_where_the_curves_meet_at_the_bottom(from_counts):
    high, low = (float(each.get("y")) for each in of_class(drawn(from_counts({"a": "www"}, k=2)), "label"))
    assert low - high >= 16


def test_a_long_curve_is_thinned_and_keeps_its_ends_and_k(from_counts):
    curve = from_counts({"a": "pw" * 300}).curve
    kept = [point.k for point in thinned(curve, 7, 40)]
    assert len(kept) <= 40
    assert {1, 7, 600} <= set(kept)


@pytest.mark.parametrize(
    ("n", "most", "wanted"),
    [
        (1, 6, [1]),
        (2, 6, [1, 2]),
        (5, 6, [1, 2, 3, 4, 5]),
        (10, 6, [1, 2, 4, 6, 8, 10]),
        (32, 12, [1, 5, 10, 15, 20, 25, 32]),
        (10_000, 6, [1, 2000, 4000, 6000, 8000, 10_000]),
    ],
)
def test_ticks_are_round_and_begin_and_end_with_the_curve(n, most, wanted):
    assert ticks(n, most) == wanted
