"""The composite action for GitHub: read strictly, its shell steps run against the real command."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
ACTION = ROOT / ".github" / "actions" / "reliability" / "action.yml"
STEP_MEMBERS = {"name", "id", "if", "shell", "env", "run", "uses", "with"}
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


@pytest.fixture(scope="module")
def action():
    return YAML(typ="safe", pure=True).load(ACTION.read_text(encoding="utf-8"))


@pytest.fixture
def act(cli, action, tmp_path):
    """Runs the shell steps as a runner would: inputs in the environment, bash -e, up to the first failure."""

    def run(**inputs):
        names = {name.replace("_", "-") for name in inputs}
        assert names <= set(action["inputs"])
        given = {name: spec.get("default", "") for name, spec in action["inputs"].items()}
        given.update({name.replace("_", "-"): str(value) for name, value in inputs.items()})
        files = {name: cli.home / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("", encoding="utf-8")
        ended, failed = [], False
        for step in action["runs"]["steps"]:
            if "run" not in step or (failed and "!cancelled()" not in step.get("if", "")):
                continue
            env = {
                name: EXPRESSION.sub(lambda found: given[found[1].removeprefix("inputs.")], text)
                for name, text in step["env"].items()
            }
            script = tmp_path / "step.sh"
            script.write_text(step["run"], encoding="utf-8")
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                cwd=cli.cwd,
                env=cli.environment(**env, **{name: str(path) for name, path in files.items()}),
                capture_output=True,
                text=True,
                check=False,
            )
            ended.append((step["name"], done))
            failed = failed or done.returncode != 0
        return dict(ended), {name: path.read_text(encoding="utf-8") for name, path in files.items()}

    return run


def test_the_action_has_the_members_of_a_composite_action_and_no_other(action):
    assert set(action) == {"name", "description", "inputs", "outputs", "runs"}
    assert set(action["runs"]) == {"using", "steps"}
    assert action["runs"]["using"] == "composite"
    for name, spec in action["inputs"].items():
        assert set(spec) == {"description", "required", "default"} or name == "k", name
        assert isinstance(spec["required"], bool)
        assert isinstance(spec.get("default", ""), str), name
    for step in action["runs"]["steps"]:
        assert set(step) <= STEP_MEMBERS
        assert ("run" in step) != ("uses" in step)
        assert "uses" in step or step["shell"] == "bash"


def test_no_input_is_written_into_a_script(action):
    """An expression in a script would be read as shell; in the environment it is a text."""
    for step in action["runs"]["steps"]:
        assert not EXPRESSION.search(step.get("run", "")), step["name"]


def test_every_expression_names_an_input_or_a_step_that_is_there(action):
    ids = {step["id"] for step in action["runs"]["steps"] if "id" in step}
    for expression in EXPRESSION.findall(ACTION.read_text(encoding="utf-8")):
        kind, _, rest = expression.partition(".")
        if kind == "inputs":
            assert rest in action["inputs"], expression
        elif kind == "steps":
            assert rest.split(".")[0] in ids, expression
        else:
            assert expression == "!cancelled()"


def test_the_documented_workflow_gives_only_inputs_that_exist(action):
    page = (ROOT / "docs/how-to/gate-a-release.md").read_text(encoding="utf-8")
    (text,) = [block for block in re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S) if "runs-on" in block]
    workflow = YAML(typ="safe", pure=True).load(text)
    (step,) = [s for s in workflow["jobs"]["floor"]["steps"] if "actions/reliability" in s.get("uses", "")]
    assert (ROOT / step["uses"] / "action.yml").resolve() == ACTION
    assert set(step["with"]) <= set(action["inputs"])
    assert all(isinstance(value, str) for value in step["with"].values())
    assert "k" in step["with"]


def test_a_run_is_verified_gated_reported_and_kept(act, cli):
    steps, written = act(k=2, require_floor="0.5", max_errored="0")
    assert {name: done.returncode for name, done in steps.items()} == dict.fromkeys(
        ("Run", "Verify", "Report", "Gate"), 0
    ), [done.stderr for done in steps.values()]
    assert written["GITHUB_OUTPUT"] == "receipt=reliability/receipt.json\ndecision=passed\n"
    assert "gate: passed" in written["GITHUB_STEP_SUMMARY"]
    assert "| " in written["GITHUB_STEP_SUMMARY"]
    folder = cli.cwd / "reliability"
    assert sorted(os.listdir(folder)) == ["gate.txt", "junit.xml", "receipt.json"]
    assert json.loads((folder / "receipt.json").read_bytes())["k"] == 2


def test_a_gate_that_fails_fails_the_job_after_the_report_was_written(act, cli):
    cli.suite("a")
    steps, written = act(
        suite="suite.json",
        k=1,
        agent="echo no; true $(touch pwned)",
        require_floor="0.5",
        directory="out put",
    )
    assert {name: done.returncode for name, done in steps.items()} == {
        "Run": 0,
        "Verify": 0,
        "Report": 0,
        "Gate": 1,
    }, [done.stderr for done in steps.values()]
    assert written["GITHUB_OUTPUT"].endswith("decision=failed\n")
    assert not (cli.cwd / "pwned").exists()


def test_a_threshold_that_is_none_and_a_run_that_cannot_be_end_the_job(act):
    steps, _ = act(k=1, require_floor="80")
    assert steps["Gate"].returncode == 2
    assert "'80'" in steps["Gate"].stderr
    steps, _ = act(suite="no-such-suite", k=1)
    assert steps["Run"].returncode == 2
    assert "Gate" not in steps


def test_without_a_threshold_nothing_is_gated(act):
    steps, written = act(k=1)
    assert steps["Gate"].returncode == 0
    assert "decision" not in written["GITHUB_OUTPUT"]
