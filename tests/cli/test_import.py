"""``bench import``: a foreign log becomes figures and a receipt; a refusal is one line and leaves no file."""

import json
import os

import pytest

from passfloor.cli.entry import run

ROWS = [
    {"task": task, "attempt": attempt, "outcome": outcome}
    for task, outcomes in {
        "a": ["passed", "passed", "passed"],
        "b": ["passed", "wrong", "errored"],
        "c": ["wrong", "wrong"],
    }.items()
    for attempt, outcome in enumerate(outcomes)
]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "identity"))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return folder


@pytest.fixture
def call(capsys):
    """Runs a command line; gives exit code, stdout and stderr."""

    def run_it(*words):
        capsys.readouterr()
        code = run(list(words))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_it


def test_all_formats_are_listed(call):
    code, out, _ = call("bench", "import", "--list")
    assert code == 0
    names = [line.split()[0] for line in out.splitlines()]
    assert names == sorted(names)
    assert {"rows", "junit", "tau-bench", "inspect"} <= set(names)
    listed = json.loads(call("bench", "import", "--list", "--json")[1])["importers"]
    assert [each["name"] for each in listed] == names


def test_rows_become_a_pair_and_a_receipt_that_verifies(call, place):
    code, out, err = call("bench", "import", "rows", "log.jsonl")
    assert code == 0
    assert "imported, not witnessed" in out
    assert "pass^3 floor : 33.3%" in out
    assert "pass@3       : 66.7%" in out
    assert "1 cancelled" not in out
    assert "1 missing" in " ".join(out.split())
    assert "1 of 9 planned attempts is not in the log, of task c" in " ".join(out.split())
    assert "new identity" in err
    verify = ["bench", "reliability-verify", "reliability.json", "--use-embedded-suite"]
    code, out, _ = call(*verify, "--allow-unrecorded")
    assert code == 0
    assert "imported, not witnessed" in out
    assert call(*verify)[0] == 3


def test_a_gate_refuses_an_imported_receipt_unless_it_is_told_otherwise(call):
    call("bench", "import", "rows", "log.jsonl")
    gate = ["bench", "gate", "reliability.json", "--use-embedded-suite", "--require-floor", "0.3"]
    code, out, _ = call(*gate)
    assert code == 3
    assert "coordination_unrecorded" in out
    code, out, _ = call(*gate, "--allow-unrecorded")
    assert code == 0
    assert "imported, not witnessed" in out


def test_reports_of_an_imported_receipt_say_so_in_every_format(call):
    call("bench", "import", "rows", "log.jsonl")
    report = ["bench", "report", "reliability.json", "--use-embedded-suite", "--allow-unrecorded"]
    for form in ("text", "json", "markdown", "junit"):
        code, out, _ = call(*report, "--format", form)
        assert code == 0
        assert "imported, not witnessed" in " ".join(out.split()), form
    out = call(*report)[1]
    assert "as the imported log says" in out
    assert "fixed on import, after the attempts" in out
    assert "independent runs, fresh state each" not in out
    assert "distinct answers" not in out


def test_reports_of_an_imported_receipt_name_the_importer_and_the_rule_that_decided(call):
    call("bench", "import", "rows", "log.jsonl")
    report = ["bench", "report", "reliability.json", "--use-embedded-suite", "--allow-unrecorded"]
    for form in ("text", "markdown", "html"):
        out = " ".join(call(*report, "--format", form)[1].split())
        assert "rows" in out, form
        assert "outcome outcome" in out, form
    assert "imported : by 'rows'; the rule that decided each record: outcome outcome\n" in call(*report)[1]
    source = json.loads(call(*report, "--format", "json")[1])["source"]
    assert source["importer"] == "rows"
    assert source["import_rule"] == {"outcome": "outcome"}
    junit = call(*report, "--format", "junit")[1]
    assert '<property name="importer" value="rows" />' in junit
    assert '<property name="import_rule" value="outcome outcome"' in junit


def test_a_report_of_a_run_speaks_of_no_importer(call, place):
    run = ["bench", "run", "golden-v1", "--reliability", "1", "--adapter", "mock", "--stub-signer", "--quiet"]
    assert call(*run)[0] == 0
    report = ["bench", "report", "reliability.json", "--allow-stub"]
    assert "imported" not in call(*report)[1]
    source = json.loads(call(*report, "--format", "json")[1])["source"]
    assert source["importer"] is source["import_rule"] is None


def test_two_imports_of_the_same_tasks_are_compared(call, place):
    call("bench", "import", "rows", "log.jsonl", "--out", "base.json")
    better = [{**row, "outcome": "passed"} for row in ROWS]
    (place / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in better))
    call("bench", "import", "rows", "log.jsonl", "--out", "new.json")
    words = ["bench", "compare", "base.json", "new.json", "--use-embedded-suite", "--allow-unrecorded"]
    code, out, _ = call(*words)
    assert code == 0
    assert "comparable" in out
    assert "base and new: imported, not witnessed" in out


def test_an_audit_of_an_imported_receipt_says_whose_word_the_claim_is(call, place):
    call("bench", "import", "rows", "log.jsonl")
    tasks = [
        {"id": name, "description": "say yes", "assertions": [{"kind": "output_contains", "text": "yes"}]}
        for name in "abc"
    ]
    (place / "own.json").write_text(json.dumps({"version": "own-v1", "tasks": tasks}))
    words = ["bench", "audit", "reliability.json", "--use-embedded-suite", "--allow-unrecorded"]
    _, out, _ = call(*words, "--tasks", "own.json", "--agent", "echo yes", "--budget", "3")
    assert "the claim: imported, not witnessed" in out
    assert "read by the signer's rule" in out


def test_a_check_of_an_imported_receipt_runs_nothing_and_says_why(call, place):
    call("bench", "import", "rows", "log.jsonl")
    words = ["bench", "reliability-check", "reliability.json", "--use-embedded-suite", "--allow-unrecorded"]
    code, out, _ = call(*words, "--agent", "touch ran")
    assert code == 4
    assert "the receipt was imported" in " ".join(out.split())
    assert "another agent" not in out
    assert not (place / "ran").exists()


def test_tasks_that_a_log_lacks_come_from_the_universe_whatever_wrote_it(call, place):
    (place / "all.txt").write_text("a\nb\nc\nd\n")
    _, out, _ = call("bench", "import", "rows", "log.jsonl", "--no-receipt", "--universe", "all.txt")
    assert "always pass 1/4 | flaky 1/4 | never pass 2/4" in out


def test_auto_says_which_format_it_is_and_why(call):
    code, out, _ = call("bench", "import", "auto", "log.jsonl", "--no-receipt")
    assert code == 0
    assert "rows: log.jsonl" in out
    assert "because it is JSON lines whose rows have the members 'task' and 'outcome'" in " ".join(
        out.split()
    )


def test_auto_refuses_what_it_does_not_know_and_what_may_be_several(call, place, monkeypatch):
    (place / "words.txt").write_text("just words")
    code, out, err = call("bench", "import", "auto", "words.txt")
    assert (code, out) == (2, "")
    assert "no format known here" in err
    assert call("bench", "import", "auto", "nothing")[2].count("\n") == 1


def test_without_a_receipt_nothing_is_written_and_no_identity_made(call, place):
    code, out, err = call("bench", "import", "rows", "log.jsonl", "--no-receipt")
    assert code == 0
    assert "none was made" in out
    assert not (place / "reliability.json").exists()
    assert not (place.parent / "identity").exists()
    assert err == ""


def test_machine_output_holds_every_figure_exactly(call):
    code, out, _ = call("bench", "import", "rows", "log.jsonl", "-k", "2", "--json")
    assert code == 0
    document = json.loads(out)
    assert (document["k"], document["n"], document["planned"]) == (2, 3, {"3": 3})
    assert document["counts"] == {
        "tasks": 3, "attempts": 9, "passed": 4, "wrong": 3, "errored": 2, "cancelled": 0, "missing": 1,
        "tasks_any": 2, "tasks_all": 1,
    }  # fmt: skip
    assert document["piles"] == {"always": 1, "flaky": 1, "never": 1}
    figures = {each["name"]: each for each in document["figures"]}
    rate = {"fraction": "5/9", "float": 5 / 9}
    assert figures["pass@2"]["ours"] == {**rate, "exact": "5/9", "value": 5 / 9, "tasks": 3}
    assert figures["pass^2"]["theirs"]["exact"] == "1/3"
    assert document["receipt"] == "reliability.json"
    assert document["coordination_rule"] == "unrecorded"
    assert [note["code"] for note in document["notes"]] == ["columns", "missing"]


def test_mixed_plans_give_figures_over_tasks_with_enough_attempts_and_no_receipt(call, place):
    cases = [f'<testcase name="t[{at}-3]"/>' for at in (1, 2, 3)] + [
        f'<testcase name="u[{at}-2]"/>' for at in (1, 2)
    ]
    (place / "r.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    code, out, err = call("bench", "import", "junit", "r.xml")
    assert (code, out) == (2, "")
    assert "a receipt has one n" in err
    assert "--attempts 3" in err
    code, out, _ = call("bench", "import", "junit", "r.xml", "--no-receipt", "-k", "3")
    assert code == 0
    assert "over the 1 of 2 tasks with n >= 3" in out
    code, out, _ = call("bench", "import", "junit", "r.xml", "--attempts", "3")
    assert code == 0
    assert "1 missing" in " ".join(out.split())


def test_digests_in_place_of_records_need_a_word_of_trust(call):
    call("bench", "import", "rows", "log.jsonl", "--slim")
    verify = ["bench", "reliability-verify", "reliability.json", "--use-embedded-suite", "--allow-unrecorded"]
    code, out, _ = call(*verify)
    assert code == 3
    assert "attested_verdict" in out


def test_a_receipt_past_its_cap_names_the_cap_that_would_do(call, place):
    code, out, err = call("bench", "import", "rows", "log.jsonl", "--max-bytes", "1000")
    assert (code, out) == (2, "")
    assert "--slim" in err
    needed = err.split("--max-bytes ")[1].split()[0]
    assert not (place / "reliability.json").exists()
    assert call("bench", "import", "rows", "log.jsonl", "--max-bytes", needed)[0] == 0


def test_what_stands_in_the_receipts_place_is_kept_unless_force_is_said(call, place):
    (place / "reliability.json").write_text("mine")
    assert call("bench", "import", "rows", "log.jsonl")[0] == 2
    assert (place / "reliability.json").read_text() == "mine"
    assert call("bench", "import", "rows", "log.jsonl", "--force")[0] == 0


def test_a_log_in_which_nothing_finished_is_told_and_says_nothing_of_the_agent(call, place):
    (place / "log.jsonl").write_text('{"task": "a", "outcome": null, "error": "boom"}\n')
    code, _, err = call("bench", "import", "rows", "log.jsonl")
    assert code == 4
    assert "every attempt errored (the first: boom)" in err


def test_text_of_a_log_cannot_reach_the_terminal_as_it_is(call, place):
    (place / "log.jsonl").write_text(
        json.dumps({"task": "\x1b[31mred\u202e", "attempt": 0, "outcome": "passed", "error": "\x1b]8;;x"})
        + "\n"
    )
    code, out, err = call("bench", "import", "rows", "log.jsonl")
    assert code == 0
    assert "\x1b" not in out + err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bench", "import"], "name a format and a log"),
        (["bench", "import", "rows"], "name a format and a log"),
        (["bench", "import", "rowz", "log.jsonl"], "did you mean rows?"),
        (["bench", "import", "nothing-like-it", "log.jsonl"], "--list shows all"),
        (["bench", "import", "rows", "none.jsonl"], "No such file"),
        (["bench", "import", "rows", "."], "is a folder"),
        (["bench", "import", "rows", "log.jsonl", "-k", "4"], "k=4 > n=3"),
        (["bench", "import", "rows", "log.jsonl", "--attempts", "2"], "a task has 3 attempts"),
        (["bench", "import", "rows", "log.jsonl", "--keep", "both"], "say first or last"),
        (["bench", "import", "rows", "log.jsonl", "--threshold", "x"], "give a decimal number"),
        (["bench", "import", "rows", "log.jsonl", "--scrub", "("], "("),
        (["bench", "import", "rows", "log.jsonl", "--out", "no/such/folder.json"], "does not exist"),
    ],
)
def test_every_refusal_is_one_line_and_leaves_stdout_empty(call, words, said):
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_pipes_and_devices_are_refused_without_waiting(call, place):
    os.mkfifo(place / "pipe")
    for path in ("pipe", "/dev/zero", "/dev/null"):
        for form in ("rows", "junit", "auto"):
            code, out, err = call("bench", "import", form, path)
            assert (code, out, err.count("\n")) == (2, "", 1)
