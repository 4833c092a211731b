"""Gates and comparisons by the real command: what opens, what shuts, and what can never open vacuously."""

import json

import pytest

AGENT = """\
import os, sys
task, index = sys.stdin.read().strip(), 0
while True:  # which attempt of its task this is, whatever runs beside it
    try:
        os.mkdir(os.path.join(sys.argv[1], f"{task}-{index}"))
        break
    except FileExistsError:
        index += 1
if os.environ.get("SICK") == task and index % 2:
    sys.exit(3)
if task.startswith("seven"):
    print("yes" if index < 7 else "no")
else:
    print("no" if task == "never" or (task == "flaky" and index == 0) else "yes")
"""


@pytest.fixture
def bench(cli):
    """Runs a suite of the named tasks with an agent of known answers: ``flaky`` fails its first attempt."""
    cli.write("agent.py", AGENT)

    def run(*ids, k=2, n=4, out="reliability.json", more=()):
        tasks = [
            {"id": i, "description": i, "assertions": [{"kind": "output_equals", "expected": "yes"}]}
            for i in ids
        ]
        (cli.cwd / f"seen-{out}").mkdir(exist_ok=True)
        cli.write("suite.json", json.dumps({"version": "own-v1", "tasks": tasks}))
        agent = f"python3 {cli.cwd}/agent.py {cli.cwd}/seen-{out}"
        words = ["--reliability", k, "--attempts", n, "--agent", agent, "--out", out, "--quiet"]
        return cli("bench", "run", "suite.json", *words, *more)

    return run


def gate(cli, *words, code=0, receipt="reliability.json"):
    return cli.json("bench", "gate", receipt, "--suite", "suite.json", *words, code=code)


def test_eval_with_a_floor_is_one_command_that_ci_can_trust(cli):
    done = cli("eval", "--reliability", 5, "--require-floor", 0.5, "--quiet", "--json")
    assert done.returncode == 0, done.stderr
    gate_object = json.loads(done.stdout)["gate"]
    assert gate_object["decision"] == "passed"
    assert gate_object["reasons"][0]["asked"] == {"fraction": "1/2", "float": 0.5}
    sealed = json.loads((cli.cwd / "reliability.json").read_bytes())
    assert sealed["gate"] == {"require_floor": "0.5"}
    cli.good("bench", "reliability-verify", "reliability.json")
    assert cli.json("bench", "gate", "reliability.json", "--sealed-gate")["decision"] == "passed"


def test_a_run_whose_gate_fails_is_sealed_all_the_same_and_exits_1(cli, bench):
    done = bench("ok", "flaky", more=["--require-task-floor", "0.6"])
    assert done.returncode == 1
    assert "gate: failed\n" in done.stdout
    assert "short: flaky 50.0%" in done.stdout
    assert cli("bench", "reliability-verify", "reliability.json", "--suite", "suite.json").returncode == 0
    assert gate(cli, "--sealed-gate", code=1)["decision"] == "failed"


def test_errored_attempts_that_could_change_the_outcome_leave_a_gate_undecided(cli, bench):
    cli.extra["SICK"] = "nobody"
    done = bench("ok", "sick", more=["--env", "SICK", "--require-floor", "0.9"])
    assert done.returncode == 0
    cli.extra["SICK"] = "sick"
    done = bench("ok", "sick", out="sick.json", more=["--env", "SICK", "--require-floor", "0.9", "--json"])
    assert done.returncode == 4
    assert json.loads(done.stdout)["gate"]["decision"] == "undecided"
    assert gate(cli, "--require-floor", "0.9", receipt="sick.json", code=4)["decision"] == "undecided"
    assert gate(cli, "--max-errored", "1", receipt="sick.json", code=4)["decision"] == "undecided"
    assert gate(cli, "--max-errored", "2", receipt="sick.json")["decision"] == "passed"


def test_require_names_the_tasks_that_fall_short_and_says_which_figure_it_asks(cli, bench):
    bench("ok", "never")
    done = cli("bench", "gate", "reliability.json", "--suite", "suite.json", "--require", "0.8")
    assert done.returncode == 1
    assert "the ceiling, not the floor" in done.stdout
    assert "short: never 0.0%" in done.stdout
    assert done.stderr == ""


def test_three_tasks_at_seven_of_ten_pass_seven_tenths_exactly(cli, bench):
    assert (
        bench(
            "seven-a", "seven-b", "seven-c", k=1, n=10, more=["--require", "0.7", "--require-floor", "0.70"]
        ).returncode
        == 0
    )
    assert gate(cli, "--require", ".7", "--require-task-floor", "0.7")["decision"] == "passed"
    assert gate(cli, "--require", "0.7000001", code=1)["decision"] == "failed"


@pytest.mark.parametrize("value", ["70", "-0.1", "nan", "1e400", ""])
def test_what_is_no_share_is_refused_before_anything_runs(cli, value, expect_refusal):
    for words in (["bench", "run", "golden-v1", "--reliability", 1], ["bench", "gate", "missing.json"]):
        message = expect_refusal(cli(*words, "--require", value), 2)
        assert repr(value) in message
    assert not (cli.cwd / "reliability.json").exists()


def test_a_gate_that_asks_nothing_is_a_bad_call(golden, expect_refusal):
    message = expect_refusal(golden("bench", "gate", "reliability.json"), 2)
    assert "--require-floor" in message
    assert "--sealed-gate" in message


def test_a_sealed_gate_is_asked_for_by_name_and_has_to_be_there(golden, expect_refusal):
    assert "seals no thresholds" in expect_refusal(
        golden("bench", "gate", "reliability.json", "--sealed-gate"), 2
    )
    both = golden("bench", "gate", "reliability.json", "--sealed-gate", "--require-floor", "0.1")
    assert "give one of them" in expect_refusal(both, 2)


def test_case_29_a_selector_that_matches_nothing_fails_and_names_what_is_near(cli, bench, expect_refusal):
    message = expect_refusal(bench("refund", more=["--task", "refnd", "--require-floor", "0"]), 2)
    assert "refund" in message
    message = expect_refusal(bench("refund", more=["--must-pass", "refnd"]), 2)
    assert "near: 'refund'" in message
    bench("refund")
    done = cli("bench", "gate", "reliability.json", "--suite", "suite.json", "--must-pass", "refnd")
    assert "near: 'refund'" in expect_refusal(done, 2)


@pytest.mark.parametrize("text", ["", "# nothing\n# but comments\n", "version: own-v1\ntasks: []\n"])
def test_case_29_a_suite_of_nothing_fails_a_gated_run(cli, text, expect_refusal):
    cli.write("suite.yaml", text)
    done = cli("bench", "run", "suite.yaml", "--reliability", 1, "--agent", "true", "--require-floor", "0")
    expect_refusal(done, 2)


def test_case_29_a_receipt_without_tasks_never_passes_a_gate(cli, bench):
    bench("ok")
    document = json.loads((cli.cwd / "reliability.json").read_bytes())
    document["task_results"] = []
    cli.write("empty.json", json.dumps(document))
    found = gate(cli, "--require-floor", "0", receipt="empty.json", code=1)
    assert found["decision"] == "refused"
    assert found["pass_caret_k"] is None


def test_case_29_the_exit_code_is_the_same_whatever_is_written(cli, bench):
    bench("ok", "never")
    words = ["bench", "gate", "reliability.json", "--suite", "suite.json", "--require-floor"]
    for asked, code in (("0.5", 0), ("0.6", 1)):
        assert cli(*words, asked).returncode == cli(*words, asked, "--json").returncode == code
    for extra in ((), ("--json",)):
        out = f"again{len(extra)}.json"
        assert bench("ok", "never", out=out, more=["--require-floor", "0.6", *extra]).returncode == 1


def test_a_part_of_a_suite_is_undecided_unless_a_part_will_do(cli, bench):
    bench("ok", "never", more=["--task", "ok"])
    found = gate(cli, "--require-floor", "1", code=4)
    assert [reason["clause"] for reason in found["reasons"]] == ["require_floor", "whole_suite"]
    assert gate(cli, "--require-floor", "1", "--allow-selection")["decision"] == "passed"


def test_a_run_that_judged_no_answer_is_undecided_unless_completion_will_do(cli, bench):
    done = bench("never", more=["--completion-only", "--require-floor", "1", "--json"])
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["gate"]
    assert (told["decision"], told["completion_only"]) == ("passed", True)
    for words in (["--require-floor", "1"], ["--sealed-gate"]):
        found = gate(cli, *words, code=4)
        assert [reason["clause"] for reason in found["reasons"]] == ["require_floor", "assertions"]
        assert (found["decision"], found["completion_only"]) == ("undecided", True)
        found = gate(cli, *words, "--allow-completion-only")
        assert (found["decision"], found["completion_only"]) == ("passed", True)
    words = ["bench", "gate", "reliability.json", "--suite", "suite.json", "--require-floor", "1"]
    for more, code in (((), 4), (("--allow-completion-only",), 0)):
        done = cli(*words, *more)
        assert done.returncode == code
        assert "\ncompletion only: " in done.stdout
    verified = cli.json("bench", "reliability-verify", "reliability.json", "--suite", "suite.json")
    assert "answers" in verified["not_established"]


def test_a_run_whose_answers_were_judged_passes_and_says_nothing_of_completion(cli, bench):
    bench("ok")
    assert gate(cli, "--require-floor", "1")["completion_only"] is False
    done = cli("bench", "gate", "reliability.json", "--suite", "suite.json", "--must-pass", "ok")
    assert done.returncode == 0
    assert "completion" not in done.stdout
    assert "1 task x 4 attempts, k = 2, n = 4\n" in done.stdout


def test_an_edited_receipt_decides_nothing(cli, bench):
    bench("flaky", more=["--require-floor", "0.5"])
    path = cli.cwd / "reliability.json"
    path.write_bytes(path.read_bytes().replace(b'"require_floor":"0.5"', b'"require_floor":"0.9"'))
    done = cli("bench", "gate", "reliability.json", "--suite", "suite.json", "--require-floor", "0")
    assert done.returncode == 1
    assert done.stdout.startswith("gate: refused\nthe receipt is rejected: HASH_MISMATCH")
    verified = cli.json("bench", "reliability-verify", "reliability.json", "--suite", "suite.json", code=1)
    assert {"plan", "attempt_identity", "receipt_hash"} <= {f["code"] for f in verified["findings"]}


def test_a_stub_signature_decides_nothing_unless_told(cli):
    cli.good(
        "bench", "run", "golden-v1", "--reliability", 1, "--adapter", "mock", "--stub-signer", "--quiet",
        "--require-floor", "0",
    )  # fmt: skip
    words = ["bench", "gate", "reliability.json", "--require-floor", "0.5"]
    assert cli.json(*words, code=1)["reasons"][0]["codes"] == ["stub_not_allowed"]
    done = cli(*words, "--allow-stub")
    assert done.returncode == 0
    assert done.stdout.startswith("gate: passed (TEST-GRADE)\n")


def test_verify_shows_the_gate_that_was_fixed_before_the_run(cli, bench):
    bench("ok", more=["--require-floor", "0.5", "--must-pass", "ok"])
    shown = " ".join(
        cli.good("bench", "reliability-verify", "reliability.json", "--suite", "suite.json").stdout.split()
    )
    assert "gate fixed before the run: must_pass:ok 1, require_floor 0.5 (decide it with" in shown


def test_a_run_is_not_gone_on_with_under_another_gate(cli, bench, expect_refusal):
    bench("ok", more=["--require-floor", "0.5"])
    message = expect_refusal(bench("ok", more=["--require-floor", "0.4", "--resume"]), 2)
    assert "gate: was" in message
    done = bench("ok", more=["--require-floor", "0.50", "--resume"])
    assert done.returncode == 0
    assert "gate: passed" in done.stdout


def test_a_dry_run_shows_the_gate_that_would_be_sealed(cli, bench):
    assert (
        "gate    : require 0.5, must_pass:ok 1\n"
        in bench("ok", more=["--dry-run", "--require", "0.5", "--must-pass", "ok"]).stdout
    )


def compare(cli, *words, code=0):
    return cli.json("bench", "compare", *words, "--suite", "suite.json", code=code)


def test_a_floor_that_fell_is_a_regression(cli, bench):
    ids = [f"t{i}" for i in range(8)]
    bench(*ids, out="base.json")
    bench(*ids, out="again.json")
    cli.write("agent.py", "print('no')\n")
    bench(*ids, out="new.json")
    found = compare(cli, "base.json", "new.json", code=1)
    assert (found["verdict"], found["decision"], found["comparable"]) == ("regressed", "failed", True)
    assert found["pass_caret_k"]["change"] == {"fraction": "-1", "float": -1.0}
    assert found["moved"][0]["new"]["pile"] == "never"
    same = compare(cli, "base.json", "again.json")
    assert same["verdict"] == "no detectable change"
    assert same["detectable"] == 0.75
    assert (
        compare(cli, "base.json", "again.json", "--require-power", "0.5", code=4)["decision"] == "undecided"
    )
    assert compare(cli, "base.json", "new.json", "--max-drop", "1")["decision"] == "passed"
    done = cli("bench", "compare", "base.json", "again.json", "--suite", "suite.json")
    assert done.stdout.startswith("comparable: yes\n")
    assert done.stderr == ""


def test_another_suite_or_k_is_refused_and_a_receipt_that_does_not_verify_as_well(cli, bench, expect_refusal):
    bench("a", k=1, out="k1.json")
    bench("a", out="base.json")
    message = expect_refusal(cli("bench", "compare", "k1.json", "base.json", "--suite", "suite.json"), 2)
    assert "k=1 in the base and k=2" in message
    edited = (cli.cwd / "base.json").read_bytes().replace(b'"pass_caret_k":1', b'"pass_caret_k":0')
    (cli.cwd / "edited.json").write_bytes(edited)
    found = compare(cli, "base.json", "edited.json", code=1)
    assert found["decision"] == "refused"
    done = cli("bench", "compare", "edited.json", "base.json", "--suite", "suite.json")
    assert done.returncode == 1
    assert done.stdout.startswith("compare: refused\nthe base is rejected: FABRICATED_FLOOR")
    bench("a", "b", out="both.json")
    words = ["bench", "compare", "base.json", "both.json", "--use-embedded-suite"]
    assert "--allow-different-suite" in expect_refusal(cli(*words), 2)
    found = cli.json(*words, "--allow-different-suite")
    assert (found["tasks"], found["left_out"]) == (1, {"base": 0, "new": 1})


def test_a_plan_says_what_a_run_costs_and_learns_its_rates_from_a_receipt(cli, bench):
    assert "assumed: the mix of the worked suite" in cli.good("bench", "plan").stdout
    bench("ok", "flaky")
    found = cli.json("bench", "plan", "--of", "reliability.json", "--suite", "suite.json", "--attempts", "6")
    assert (found["tasks"], found["k"], found["n"], found["runs"]) == (2, 2, 6, 12)
    rates = {"share": {"fraction": "1/2", "float": 0.5}, "rate": {"fraction": "3/4", "float": 0.75}}
    assert {"share": "1/2", "rate": "3/4", "as_rates": rates} in found["rates"]["mix"]
    assert not list(cli.cwd.glob("*.new*"))


@pytest.mark.parametrize(
    "words",
    [
        ["--rates", "70"],
        ["--rates", "1", "--of", "x.json"],
        ["--width", "0"],
        ["--width", "1"],
        ["-k", "11", "--attempts", "5"],
        ["--tasks", "0"],
        ["--require-floor", "nan"],
        ["--of", "missing.json"],
    ],
)
def test_a_plan_that_cannot_be_is_refused(cli, words, expect_refusal):
    expect_refusal(cli("bench", "plan", *words), 2)


def test_a_plan_learns_nothing_from_a_receipt_that_does_not_verify(golden, expect_refusal):
    stranger = "FboJtcBqiH3925cuVZHCdEpG0icb3d5X_EDl4swV4nQ"
    words = ["bench", "plan", "--of", "reliability.json", "--signer-key", stranger]
    assert "does not verify: UNSIGNED" in expect_refusal(golden(*words), 2)
