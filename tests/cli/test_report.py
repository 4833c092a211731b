"""``bench report``: which receipt it takes, what it refuses, where the report goes."""

import json
import stat
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from passfloor.cli.entry import run

TASKS = [
    {"id": "steady", "description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]},
    {"id": "some", "description": "by seed", "assertions": [{"kind": "output_equals", "expected": "yes"}]},
    {"id": "never", "description": "say no", "assertions": [{"kind": "output_equals", "expected": "yes"}]},
]
AGENT = """\
import os, sys
words = sys.stdin.read()
seed = int(os.environ["PASSFLOOR_ATTEMPT_SEED"])
print("no" if "no" in words or ("seed" in words and seed % 2) else "yes")
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A folder that holds a suite and its sealed receipt, and the identity that signed it."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "agent.py").write_text(AGENT)
    (folder / "suite.json").write_text(json.dumps({"version": "own-v1", "tasks": TASKS}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PASSFLOOR_HOME", str(folder / "identity"))
        patch.chdir(folder)
        words = ["bench", "run", "suite.json", "--reliability", "2", "--attempts", "6", "--quiet"]
        assert run([*words, "--agent", f"{sys.executable} agent.py", "--out", "r.json"]) == 0
    return folder


@pytest.fixture(autouse=True)
def place(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("PASSFLOOR_HOME", str(bench / "identity"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def report(bench, capsys):
    """Runs the verb over the sealed receipt, or over what is named; gives exit code, stdout and stderr."""

    def call(*words, receipt=None):
        capsys.readouterr()
        named = [str(receipt or bench / "r.json"), "--suite", str(bench / "suite.json")]
        code = run(["bench", "report", *named, *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def from_rows(place, capsys):
    def call(text, *words):
        capsys.readouterr()
        (place / "rows.jsonl").write_text(text)
        code = run(["bench", "report", "--from-rows", "rows.jsonl", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def rows(**tasks):
    words = {"p": "passed", "w": "wrong", "e": "errored"}
    return "".join(
        json.dumps({"task": name, "attempt": i, "outcome": words[letter]}) + "\n"
        for name, letters in tasks.items()
        for i, letter in enumerate(letters)
    )


def edited(bench, place, edit):
    document = json.loads((bench / "r.json").read_bytes())
    edit(document)
    path = place / "edited.json"
    path.write_text(json.dumps(document))
    return path


def test_the_report_of_a_verified_receipt_opens_with_its_verdict(report):
    code, out, err = report()
    assert (code, err) == (0, "")
    assert out.startswith(
        "MATCH: every claim follows from the embedded attempts, and a trusted key signed\nit\n"
    )
    assert "suite:            own-v1, 3 tasks, sha256:" in out
    assert "k:                2, no reason given; fixed before the run" in out


def test_json_says_what_the_text_says(report):
    code, out, _ = report("--format", "json")
    document = json.loads(out)
    assert code == 0
    assert (document["verified"], document["source"]["status"]) == (True, "MATCH")
    assert [task["task_id"] for task in document["tasks"]] == ["steady", "some", "never"]
    never = document["tasks"][2]
    assert never["kind"] == "never_same"
    assert never["attempts"][0]["failures"] == [{"kind": "output_equals", "expected": '"yes"', "got": '"no"'}]


def test_every_format_is_written(report):
    assert report("--format", "markdown")[1].startswith("## own-v1: pass^2")
    assert ET.fromstring(report("--format", "junit")[1]).get("tests") == "3"


def test_every_format_says_where_no_answer_was_judged_and_only_there(bench, place, report):
    words = ["bench", "run", str(bench / "suite.json"), "--reliability", "1", "--completion-only", "--quiet"]
    assert run([*words, "--agent", f"{sys.executable} {bench / 'agent.py'}", "--out", "unjudged.json"]) == 0
    for form in ("text", "markdown", "html", "json", "junit"):
        _, unjudged, _ = report("--format", form, receipt=place / "unjudged.json")
        _, judged, _ = report("--format", form)
        said = "completion only: an attempt passed where it finished"
        unjudged_words = " ".join(unjudged.replace("&#58;", ":").split())
        assert said in unjudged_words, form
        assert form == "junit" or unjudged_words.count(said) >= 2, form
        assert said not in " ".join(judged.replace("&#58;", ":").split()), form
        if form == "json":
            assert json.loads(unjudged)["completion_only"] is True
            assert json.loads(judged)["completion_only"] is False
        if form == "junit":
            for text, value in ((unjudged, "true"), (judged, "false")):
                found = ET.fromstring(text).find(".//property[@name='completion_only']")
                assert found.get("value") == value


def test_an_unknown_format_is_refused_with_those_there_are(report):
    code, out, err = report("--format", "pdf")
    assert (code, out) == (2, "")
    assert "'text', 'json', 'markdown', 'junit'" in err


def test_k_may_be_any_up_to_n(report):
    assert (
        "k:                6, asked for in this report; before the run k was fixed to 2"
        in report("-k", "6")[1]
    )
    code, out, err = report("--k", "7")
    assert (code, out) == (2, "")
    assert "k=7 > n=6" in err


@pytest.mark.parametrize(
    ("edit", "words", "code", "hint"),
    [
        (lambda d: d.update(pass_caret_k=1.0), "FABRICATED_FLOOR/pass_caret_k", 1, "--unverified"),
        (lambda d: d.update(signature=""), "UNSIGNED/unsigned", 1, "--unverified"),
        (lambda d: d.update(schema="passfloor/reliability-receipt/v9"), "UNSUPPORTED/version", 4, "whole"),
        (lambda d: d.pop("k"), "MALFORMED_RECEIPT/type", 1, "it does not hold whole attempts"),
    ],
)
def test_what_does_not_verify_is_refused_with_the_exit_code_of_verify(
    bench, place, report, edit, words, code, hint
):
    path = edited(bench, place, edit)
    found, out, err = report("--format", "json", receipt=path)
    assert (found, out) == (code, "")
    assert err.count("\n") == 1
    assert words in err
    assert hint in err
    assert run(["bench", "verify", str(path), "--suite", str(bench / "suite.json")]) == code


def test_unverified_reports_all_the_same_and_marks_it(bench, place, report):
    path = edited(bench, place, lambda document: document.update(pass_caret_k=1.0))
    code, out, _ = report("--unverified", receipt=path)
    assert code == 0
    assert out.startswith("UNVERIFIED (FABRICATED_FLOOR: ")
    assert json.loads(report("--unverified", "--format", "json", receipt=path)[1])["verified"] is False
    assert report("--unverified", "--format", "markdown", receipt=path)[1].startswith("## UNVERIFIED: ")
    assert 'name="UNVERIFIED own-v1"' in report("--unverified", "--format", "junit", receipt=path)[1]


def test_unverified_marks_nothing_where_the_receipt_verifies(report):
    assert report("--unverified")[1] == report()[1]


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        (lambda d: d["task_results"].pop(), 1),
        (lambda d: d["task_results"][0]["attempts"].pop(), 1),
        (lambda d: d.pop("k"), 1),
    ],
)
def test_without_whole_attempts_there_is_no_report_even_unverified(bench, place, report, edit, code):
    found, out, err = report("--unverified", receipt=edited(bench, place, edit))
    assert (found, out) == (code, "")
    assert "does not hold whole attempts" in err


def test_a_task_is_shown_with_its_attempts(report):
    code, out, _ = report("--task", "never")
    assert code == 0
    assert "task never: 0 of 6 passed, 6 wrong, 0 errored" in out
    assert 'output_equals expected "yes"' in out
    assert 'output_equals got      "no"' in out


def test_an_unknown_task_is_refused_with_the_nearest(report):
    code, out, err = report("--task", "nevr")
    assert (code, out) == (2, "")
    assert "near it: 'never'" in err
    assert "near it" not in report("--task", "0123456789")[2]


def test_a_task_of_another_format_is_refused(report):
    code, _, err = report("--task", "never", "--format", "json")
    assert code == 2
    assert "--task with --format json" in err


@pytest.mark.parametrize(
    ("who", "quote"),
    [
        ("nobody", "pass^2, because nobody checks"),
        ("oracle", "pass@2, because"),
        ("person", "success rate, because"),
        ("batch", "the batch figure of 2, because"),
    ],
)
def test_who_checks_decides_the_quote(report, who, quote):
    assert f"quote to users:   {quote}" in report("--who-checks", who)[1]


def test_a_picker_is_named_where_somebody_picks(report):
    out = report("--who-checks", "oracle", "--picker", "the unit tests")[1]
    assert "who picks:        the unit tests" in out
    code, _, err = report("--picker", "the unit tests")
    assert code == 2
    assert "--who-checks nobody: say oracle or person" in err


def test_a_file_is_written_once_and_replaced_with_force_alone(place, report):
    assert report("--out", "r.txt") == (0, "", "the report stands in r.txt\n")
    first = (place / "r.txt").read_text(encoding="utf-8")
    assert first == report()[1]
    code, out, err = report("--format", "json", "--out", "r.txt")
    assert (code, out) == (2, "")
    assert "exists: choose another file, or replace it with --force" in err
    assert (place / "r.txt").read_text(encoding="utf-8") == first
    (place / "link.txt").symlink_to("r.txt")
    assert report("--format", "json", "--out", "link.txt", "--force")[0] == 0
    assert json.loads((place / "r.txt").read_text())["k"] == 2
    assert (place / "link.txt").is_symlink()
    assert sorted(path.name for path in place.iterdir()) == ["link.txt", "r.txt"]


@pytest.mark.parametrize("out", ["/dev/full", "missing/r.txt"])
def test_a_place_that_is_no_file_is_refused(report, out):
    code, printed, err = report("--out", out)
    assert (code, printed) == (2, "")
    assert err.count("\n") == 1


def test_a_folder_that_refuses_is_an_environment_fault(place, report, monkeypatch):
    closed = place / "closed"
    closed.mkdir()

    def refuse(self, *_arguments, **_more):
        raise PermissionError(13, "Permission denied", str(self))

    opened = Path.open
    monkeypatch.setattr(
        Path,
        "open",
        lambda self, *a, **k: refuse(self) if self.parent.name == "closed" else opened(self, *a, **k),
    )
    code, _, err = report("--out", "closed/r.txt")
    assert code == 4
    assert "cannot write 'closed/r.txt': Permission denied" in err
    assert stat.S_ISDIR(closed.stat().st_mode)


def test_rows_are_reported_unsealed(from_rows):
    code, out, err = from_rows(rows(a="ppw", b="pww"), "-k", "2")
    assert (code, err) == (0, "")
    assert out.startswith("UNSEALED: ")
    assert "success rate:     3 / 6 = 50.0%" in out
    assert (
        json.loads(from_rows(rows(a="pw"), "-k", "1", "--format", "json")[1])["source"]["mark"] == "UNSEALED"
    )


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (rows(a="pw"), [], "rows fix no k: name it with -k K"),
        (rows(a="pw"), ["-k", "3"], "k=3 > n=2"),
        (rows(a="pw"), ["-k", "0"], "--k"),
        ("", ["-k", "1"], "no rows"),
        (rows(a="pw") + rows(a="p"), ["-k", "1"], "line 3: attempt 0 of task 'a' is there twice"),
        (rows(a="pw", b="p"), ["-k", "1"], "line 3: task 'b' has 1 attempts"),
        ('{"task": "a", "attempt": 0, "outcome": "ok"}', ["-k", "1"], "line 1: outcome 'ok'"),
        (rows(a="pw"), ["-k", "1", "--unverified"], "--from-rows FILE stands alone"),
        (rows(a="pw"), ["-k", "1", "--allow-stub"], "--from-rows FILE stands alone"),
        (rows(a="pw"), ["-k", "1", "r.json"], "--from-rows FILE stands alone"),
    ],
)
def test_rows_that_say_nothing_certain_are_refused(from_rows, text, words, message):
    code, out, err = from_rows(text, *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert message in err


def test_a_call_without_receipt_and_rows_is_refused(capsys):
    assert run(["bench", "report"]) == 2
    assert "name a RECEIPT, or rows with --from-rows FILE -k K" in capsys.readouterr().err


def test_missing_files_are_refused(capsys):
    assert run(["bench", "report", "none.json"]) == 2
    assert "cannot open receipt 'none.json'" in capsys.readouterr().err
    assert run(["bench", "report", "--from-rows", "none.jsonl", "-k", "1"]) == 2
    assert "cannot read rows 'none.jsonl'" in capsys.readouterr().err
