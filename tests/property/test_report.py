"""Whatever the ids are, every format can be read back, and floor, rate and ceiling are in order."""

import json
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from passfloor.report.block import block_lines
from passfloor.report.envelope import Reading, of_rows, read_rows
from passfloor.report.escape import show
from passfloor.report.formats import FORMATS
from passfloor.report.layout import columns
from passfloor.report.markdown import text

IDS = st.text(
    st.characters(codec="utf-8") | st.sampled_from("|`<>&\\*_[]()!#~$@:-\"'\x00\x1b\n"),
    min_size=1,
    max_size=40,
)


@st.composite
def suites(draw):
    names = draw(st.lists(IDS, min_size=1, max_size=5, unique=True))
    n = draw(st.integers(1, 6))
    outcomes = st.sampled_from(["passed", "wrong", "errored"])
    rows = [
        json.dumps({"task": name, "attempt": i, "outcome": draw(outcomes)}).encode()
        for name in names
        for i in range(n)
    ]
    return of_rows(read_rows(rows), Reading(k=draw(st.integers(1, n))), "rows.jsonl")


@settings(max_examples=60, deadline=None)
@given(suites())
def test_every_format_is_readable_and_safe(envelope):
    found = [case.get("name") for case in ET.fromstring(FORMATS["junit"](envelope)).iter("testcase")]
    assert found == [show(row.task_id) for row in envelope.tasks]
    assert [task["task_id"] for task in json.loads(FORMATS["json"](envelope))["tasks"]] == [
        row.task_id for row in envelope.tasks
    ]
    lines = FORMATS["text"](envelope).splitlines()
    assert max(map(columns, set(lines) - set(block_lines(envelope)))) <= 80
    for line in [*lines, *FORMATS["markdown"](envelope).splitlines()]:
        assert not line.lstrip().startswith(("::", "##["))


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=60) | IDS)
def test_text_of_others_shows_as_itself_in_a_cell_and_stays_one_cell(untrusted):
    document = f"| a | b |\n| :-- | :-- |\n| x{text(untrusted)}x | y |\n"
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(document)
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    assert {child.type for child in cells[2].children} <= {"text", "text_special"}
    assert "".join(child.content for child in cells[2].children) == f"x{show(untrusted)}x"


@settings(max_examples=60, deadline=None)
@given(suites())
def test_floor_rate_and_ceiling_are_in_order_at_every_k(envelope):
    floors = [point.floor for point in envelope.curve]
    ceilings = [point.ceiling for point in envelope.curve]
    assert floors == sorted(floors, reverse=True)
    assert ceilings == sorted(ceilings)
    assert all(
        floor <= envelope.success_rate <= ceiling for floor, ceiling in zip(floors, ceilings, strict=True)
    )
    assert sum(envelope.piles.values()) == len(envelope.tasks)
