import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXECUTED = [
    "README.md",
    "docs/tutorial.md",
    *sorted(f"docs/how-to/{p.name}" for p in (ROOT / "docs/how-to").glob("*.md")),
]


@pytest.mark.skipif(sys.platform == "win32", reason="the pages drive a POSIX shell, as agents need one")
@pytest.mark.parametrize("name", EXECUTED)
def test_every_example_of_a_page_runs_and_prints_what_the_page_says(name: str) -> None:
    import pages

    page = (ROOT / name).read_text(encoding="utf-8")
    outputs = pages.run(page)
    expected = [command.expected for command in pages.commands(page)]
    assert outputs == expected, "run `make generated`, then read what changed"


def test_the_tutorial_shows_a_match_a_forgery_refused_a_check_and_a_divergence(docs) -> None:
    import pages

    shown = [
        command.expected for command in pages.commands((docs / "tutorial.md").read_text(encoding="utf-8"))
    ]
    for words in ("overall: MATCH", "overall: FABRICATED_FLOOR", "reliability-check: PASS", "DIVERGED: task"):
        assert any(words in output for output in shown), words


def test_an_example_that_prints_something_else_is_noticed() -> None:
    import pages

    page = "```console\n$ echo one\ntwo\n```\n"
    (command,) = pages.commands(page)
    assert pages.run(page) == ["one"] != [command.expected]
    assert pages.refreshed(page) == "```console\n$ echo one\none\n```\n"


def test_an_example_whose_python_fails_is_an_error() -> None:
    import pages

    with pytest.raises(RuntimeError):
        pages.run("```python\nraise SystemExit(1)\n```\n")
