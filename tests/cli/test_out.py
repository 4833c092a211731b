"""Files that the command line writes: never over another, never into what is no file."""

import json
import shlex

import pytest

from passfloor.cli.entry import run

TASK = {"id": "a", "description": "say yes", "assertions": [{"kind": "output_equals", "expected": "yes"}]}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "identity"))
    monkeypatch.delenv("CI", raising=False)
    (work / "suite.json").write_text(json.dumps({"version": "own-v1", "tasks": [TASK]}))
    return work


def bench(agent="echo yes", *more):
    return run(["bench", "run", "suite.json", "--reliability", "1", "--agent", agent, "--stub-signer", *more])


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("out", ["/dev/null", "/dev/full"])
def test_a_run_into_a_device_is_refused_before_the_first_attempt(place, capsys, out, force):
    assert bench("touch ../ran", "--out", out, *force) == 2
    assert capsys.readouterr().err == f"passfloor: --out '{out}' is not a regular file: name a file\n"
    assert not (place.parent / "ran").exists()


def meddler(place):
    """An agent that makes the receipt's file while it runs."""
    return shlex.join(["sh", "-c", f"echo theirs > {place / 'r.json'}; echo yes"])


def test_a_receipt_whose_place_was_taken_meanwhile_is_kept_beside_it(place, capsys):
    assert bench(meddler(place), "--out", "r.json", "--quiet", "--json") == 0
    captured = capsys.readouterr()
    said = json.loads(captured.out)
    beside = f"r-{said['run']}.json"
    assert said["receipt"] == beside
    assert f"r.json was made meanwhile; the receipt stands in {beside}\n" in captured.err
    assert (place / "r.json").read_text() == "theirs\n"
    assert json.loads((place / beside).read_bytes())["k"] == 1


def test_the_text_names_the_place_where_the_receipt_stands(place, capsys):
    assert bench(meddler(place), "--out", "r.json", "--quiet") == 0
    [beside] = place.glob("r-*.json")
    assert beside.name in capsys.readouterr().out


def test_with_force_the_file_is_replaced_and_a_link_stays(place, capsys):
    (place / "link.json").symlink_to("r.json")
    assert bench(meddler(place), "--out", "link.json", "--force", "--quiet", "--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["receipt"] == "link.json"
    assert "meanwhile" not in captured.err
    assert (place / "link.json").is_symlink()
    assert json.loads((place / "r.json").read_bytes())["k"] == 1


@pytest.mark.parametrize("flag", ["--agent-name", "--agent-version", "--model-name", "--k-reason"])
def test_a_claim_that_is_no_text_is_refused(place, capsys, flag):
    assert bench("echo yes", flag, "\udcff") == 2
    said = capsys.readouterr().err
    assert said.startswith(f"passfloor: {flag[2:].replace('-', '_')} ")
    assert said.count("\n") == 1


def test_publishing_never_replaces_a_file_unless_forced(place, capsys):
    assert run(["key", "generate"]) == 0
    assert run(["key", "publish", "--out", "keys.json"]) == 0
    (place / "keys.json").write_text("mine")
    capsys.readouterr()
    assert run(["key", "publish", "--out", "keys.json"]) == 2
    assert "'keys.json' exists" in capsys.readouterr().err
    assert (place / "keys.json").read_text() == "mine"
    assert run(["key", "publish", "--out", "keys.json", "--force"]) == 0
    assert len(json.loads((place / "keys.json").read_bytes())["keys"]) == 1


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_publishing_into_what_is_no_file_is_refused(place, capsys, force):
    assert run(["key", "generate"]) == 0
    capsys.readouterr()
    assert run(["key", "publish", "--out", "/dev/null", *force]) == 2
    assert "is not a regular file: name a file" in capsys.readouterr().err
