"""Small pictures: the columns are the tasks, the bar is the interval."""

import xml.etree.ElementTree as ET
from fractions import Fraction

from passfloor.report.html.bars import interval_bar, pile_columns
from passfloor.stats.intervals import Interval


def bars(root):
    return [(group.get("class"), group[0].text, float(group[2].get("height"))) for group in root.iter("g")]


def test_a_column_a_task_best_first_as_high_as_its_success_rate(from_counts):
    root = ET.fromstring(pile_columns(from_counts({"n": "ww", "f": "pw", "a<b>": "pp"}).tasks))
    assert bars(root) == [
        ("pile-always", "a<b>: 2 of 2 passed", 120),
        ("pile-flaky", "f: 1 of 2 passed", 60),
        ("pile-never", "n: 0 of 2 passed", 4),
    ]


def test_many_tasks_share_a_column_where_they_are_alike(from_counts):
    tasks = {f"t{i}": "pp" if i < 300 else "pw" for i in range(400)}
    root = ET.fromstring(pile_columns(from_counts(tasks).tasks))
    assert [words for _, words, _ in bars(root)] == ["300 tasks: 2 of 2 passed", "100 tasks: 1 of 2 passed"]
    assert [float(group[2].get("width")) for group in root.iter("g")] == [750, 250]


def test_the_interval_stands_on_the_scale_from_0_to_100_percent():
    root = ET.fromstring(interval_bar(0.5, Interval(Fraction(1, 4), Fraction(3, 4), "exact", 0.0), "floor"))
    span = root.find("*[@class='span']")
    assert (span.get("x"), span.get("width")) == ("250", "500")


def test_a_figure_at_either_end_stays_visible():
    for value, wanted in ((0.0, "0"), (1.0, "992")):
        point = Interval(Fraction(int(value)), Fraction(int(value)), "exact", 0.0)
        root = ET.fromstring(interval_bar(value, point, "floor"))
        assert root.find("*[@class='value']").get("x") == wanted
