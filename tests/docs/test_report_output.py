"""The members of the object of ``bench report --format json`` are those of the page, no more and no fewer."""

import json
import re

import pytest

from passfloor.cli.entry import run


@pytest.fixture
def document(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "identity"))
    monkeypatch.chdir(tmp_path)
    words = [
        "bench",
        "run",
        "golden-v1",
        "--reliability",
        "2",
        "--adapter",
        "mock",
        "--stub-signer",
        "--quiet",
    ]
    assert run(words) == 0
    capsys.readouterr()
    assert run(["bench", "report", "reliability.json", "--allow-stub", "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def page(docs):
    text = (docs / "reference" / "json.md").read_text(encoding="utf-8")
    return text.partition("\n## bench report\n")[2].partition("\n## ")[0]


def names(table):
    cells = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_every_member_is_on_the_page(document, page):
    whole, task = page.split("| member of a task |")
    assert names(whole) == set(document)
    assert names(task) == set(document["tasks"][0])


def test_the_members_of_lists_are_on_the_page(document, page):
    for member, example in (
        ("curve", document["curve"][0]),
        ("piles", document["piles"]),
        ("quote", document["quote"]),
        ("warnings", document["warnings"][0]),
        ("consistency", document["consistency"][0]),
        ("attempts", document["tasks"][0]["attempts"][0]),
    ):
        (line,) = [
            row for row in page.splitlines() if row.startswith("| ") and f"`{member}`" in row.split(" | ")[0]
        ]
        assert set(example) <= set(re.findall(r"`(\w+)`", line)), member


def test_intervals_and_rates_have_the_members_that_the_page_names(document, page):
    rate = document["pass_hat_k"]
    assert {"fraction", "float", "interval"} == set(rate)
    head = page.partition("\n| member")[0]
    assert set(rate) | set(rate["interval"]) <= set(re.findall(r"`(\w+)`", head))
