"""``bench report --format html``: what the page is given, and what is refused before anything is judged."""

import json
import sys

import pytest

from passfloor.cli.entry import run


@pytest.fixture
def report(tmp_path, monkeypatch, capsys):
    """Runs the verb over one stub-sealed receipt; gives exit code, stdout and stderr."""
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

    def call(*words):
        capsys.readouterr()
        code = run(["bench", "report", *words, "--format", "html"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_the_page_goes_to_stdout_and_carries_the_receipt_that_was_judged(report, tmp_path):
    code, out, err = report("reliability.json", "--allow-stub")
    assert (code, err) == (0, "")
    assert out.isascii()
    assert out.startswith("<!doctype html>")
    embedded = out.partition('id="receipt">')[2].partition("</script>")[0]
    assert json.loads(embedded) == json.loads((tmp_path / "reliability.json").read_text())
    assert '<input id="key" value=""' in out


def test_out_writes_the_page(report, tmp_path):
    assert report("reliability.json", "--allow-stub", "--out", "page.html")[0] == 0
    assert (tmp_path / "page.html").read_text().endswith("</html>\n")


def test_rows_make_a_page_without_a_receipt(report, tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"task": "a", "attempt": 0, "outcome": "passed"}\n')
    code, out, _ = report("--from-rows", "rows.jsonl", "-k", "1")
    assert code == 0
    assert "<title>UNSEALED: rows.jsonl" in out
    assert 'id="receipt"' not in out


def test_a_receipt_that_does_not_verify_makes_no_page_unasked(report):
    code, out, err = report("reliability.json")
    assert (code, out) == (1, "")
    assert "UNSIGNED/stub_not_allowed" in err


def test_a_size_cap_holds_for_the_page_as_well(report):
    code, out, err = report("reliability.json", "--allow-stub", "--max-bytes", "1000")
    assert (code, out) == (4, "")
    assert "RESOURCE_LIMIT/size" in err


def test_without_the_extra_nothing_is_judged_and_one_line_says_what_to_install(report, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    code, out, err = report("no-such-file.json")
    assert (code, out) == (2, "")
    assert err == "passfloor: --format html needs jinja2: pip install 'passfloor[html]'\n"
