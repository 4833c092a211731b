"""The report as Markdown, read back by a strict reader."""

import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from passfloor.report import markdown
from passfloor.report.envelope.model import Remark
from passfloor.report.markdown import markdown_report, text

HOSTILE = [
    "a|b",
    "`x` | \\| <img src=x onerror=alert(1)>",
    "::error::stop",
    "</details><script>alert(1)</script>",
    "[click](https://evil.example) @everyone #1 www.evil.example",
    "**bold** _lean_ ~~gone~~ $x$ &amp; :+1:",
    "line\nbreak\r\n| new | row |",
    "\x1b[31m\x00\u202e",
    "---",
]

ALLOWED_HTML = {"<details><summary>", "</summary>", "</details>"}


def reader():
    return MarkdownIt("gfm-like", {"linkify": False})


def tables(document):
    """Every table of a GitHub Markdown document, as rows of cells; refuses what a table must not hold."""
    found, rows = [], None
    for line in [*document.splitlines(), ""]:
        if not line.startswith("|"):
            if rows is not None:
                assert rows[1] == [":--"] * len(rows[0])
                assert {len(row) for row in rows} == {len(rows[0])}, rows
                found.append([rows[0], *rows[2:]])
            rows = None
            continue
        assert line.endswith(" |")
        cells = re.split(r"(?<!\\)\|", line[1:-1])
        rows = [*(rows or []), [cell.strip() for cell in cells]]
    return found


def shown(cell):
    """What a reader sees of a cell: its text, with no markup in it."""
    (block,) = reader().parse(f"x{cell}")[1:2]
    assert {token.type for token in block.children} <= {"text", "text_special"}, cell
    return "".join(token.content for token in block.children)[1:]


def test_tables_keep_their_columns_and_show_the_very_ids(from_counts):
    document = markdown_report(from_counts(dict.fromkeys(HOSTILE, "pwe"), k=2))
    flaky = next(table for table in tables(document) if table[0][0] == "task")
    assert flaky[0] == [
        "task",
        "passed",
        "wrong",
        "errored",
        "pass@1",
        "pass@2",
        "all passed",
        "what differs",
    ]
    names = [shown(row[0]) for row in flaky[1:]]
    assert names[:2] == HOSTILE[:2]
    assert names[3:6] == HOSTILE[3:6]
    assert names[6] == "line\\nbreak\\r\\n| new | row |"
    assert names[7] == "\\x1b[31m\\x00\\u202e"


def test_no_text_of_others_is_markup_html_or_link(from_counts):
    document = markdown_report(from_counts(dict.fromkeys(HOSTILE, "pwe"), k=2))
    kinds = {"html_inline", "html_block", "link_open", "image", "code_inline", "em_open", "s_open"}
    for token in reader().parse(document):
        for inner in [token, *(token.children or [])]:
            if inner.type in kinds:
                tags = set(re.findall(r"<[^>]*>", inner.content))
                assert tags <= {"<details>", "<summary>", "</summary>", "</details>"}, inner.content
    assert "www.evil" not in document
    assert not [line for line in document.splitlines() if line.lstrip().startswith(("::", "##["))]


def test_the_flaky_come_first_and_what_always_passed_is_folded(from_counts):
    document = markdown_report(from_counts({"good": "pp", "bad": "ww", "so": "pw"}))
    places = [
        document.index(words) for words in ("### Flaky: 1 of 3", "### Never passed: 1 of 3", "<details>")
    ]
    assert places == sorted(places)
    assert "1 task passed every attempt" in document
    assert document.count("<details>") == document.count("</details>") == 3


def test_piles_that_are_empty_have_no_heading(from_counts):
    document = markdown_report(from_counts({"so": "pw"}))
    assert "Never" not in document
    assert "passed every attempt" not in document


def test_expected_stands_beside_got(sealed, enveloped):
    document = markdown_report(enveloped(sealed()))
    assert "attempts 0 and 1, step 1: sample ('yes' != 'no')" in document


def test_what_could_be_stands_with_the_figures_where_attempts_errored(from_counts):
    figures = tables(markdown_report(from_counts({"a": "peee", "b": "eeee"}, k=4)))[0]
    assert figures[-1][0] == "had the errored passed"


def test_an_unverified_receipt_is_marked_throughout(sealed, enveloped):
    document = markdown_report(enveloped(sealed(), lambda each: each.update(pass_caret_k=0.9)))
    assert document.startswith("## UNVERIFIED: ")
    headings = document.count("\n### ") + document.count("\n**What")
    assert document.count("**UNVERIFIED**") >= headings
    assert document.rstrip().splitlines()[-1].startswith("> UNVERIFIED")
    assert "FABRICATED" in document


@pytest.mark.parametrize(("rows", "more"), [(2, ""), (3, "and 1 more")])
def test_long_tables_are_cut_and_say_so(monkeypatch, from_counts, rows, more):
    monkeypatch.setattr(markdown, "MOST_ROWS", 2)
    names = {f"t{i}": "pw" for i in range(rows)} | {f"s{i}": "pp" for i in range(rows)}
    document = markdown_report(from_counts(names))
    assert document.count("and 1 more") == (2 if more else 0)


def test_an_ordinary_id_stays_readable_in_the_source():
    assert text("two_wishes-2.1/final") == "two_wishes-2.1/final"
    assert text("_x_") == "&#95;x&#95;"
    assert text("see: that") == "see: that"
    assert text("a://b") == "a&#58;//b"


def test_no_sentence_of_ours_is_cut(from_counts):
    envelope = from_counts({"a": "pw"}, k=1)
    source = replace(envelope.source, completion_only=True, importer="rows")
    remark = Remark("x", "w" * 600 + " the step that removes it")
    told = markdown_report(replace(envelope, source=source, warnings=(remark,)))
    assert "the step that removes it" in told
    assert "the attempts are what another tool's log says" in told
    assert "more characters" not in told
