"""The result tables of other tools, as bare rows, give the figures that their makers published or must give.

The tables are no part of this project; where they are absent the tests are skipped.
"""

import json
import re
from pathlib import Path

import pytest

from passfloor.cli.entry import run

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="the result tables of others are not here")


def tau_bench():
    for row in json.loads((FOLDER / "tau-bench/gpt-4o-airline.cut.json").read_bytes()):
        yield str(row["task_id"]), row["trial"], row["reward"] >= 1


def terminal_bench():
    path = FOLDER / "terminal-bench/orchestrator_claude-4-sonnet/results.cut.json"
    for row in json.loads(path.read_bytes())["results"]:
        place = int(re.search(r"\.(\d+)-of-", row["trial_name"])[1]) - 1
        yield row["task_id"], place, row["is_resolved"] is True


def mcpmark():
    for path in sorted((FOLDER / "mcpmark/gpt-5-medium").glob("*.json")):
        for name, attempt in json.loads(path.read_bytes())["runs"].items():
            yield path.stem, int(name.removeprefix("run-")) - 1, attempt["success"] is True


def web_search():
    (path,) = (FOLDER / "agent-eval-harness").glob("*.jsonl")
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        for trial in row["trials"]:
            yield row["id"], trial["trialNum"] - 1, (trial["score"] or 0) >= 0.65


TABLES = [
    (
        tau_bench,
        {1: "21/50", 2: "41/150", 3: "11/50", 4: "1/5"},
        {1: "21/50", 2: "17/30", 3: "33/50", 4: "18/25"},
        (10, 26, 14),
    ),
    (
        terminal_bench,
        {1: "9/25", 2: "103/400", 3: "33/160", 4: "69/400", 5: "3/20"},
        {2: "37/80", 4: "219/400", 5: "23/40"},
        (12, 34, 34),
    ),
    (mcpmark, {4: "43/127"}, {1: "267/508", 4: "87/127"}, (43, 44, 40)),
    (web_search, {5: "69/151"}, {5: "107/151"}, (69, 38, 44)),
]


@pytest.mark.parametrize(
    ("read", "floors", "ceilings", "piles"), TABLES, ids=lambda each: getattr(each, "__name__", "")
)
def test_the_figures_agree_exactly(read, floors, ceilings, piles, tmp_path, capsys):
    path = tmp_path / "rows.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for task, attempt, passed in read():
            outcome = "passed" if passed else "wrong"
            stream.write(json.dumps({"task": task, "attempt": attempt, "outcome": outcome}) + "\n")
    assert run(["bench", "report", "--from-rows", str(path), "-k", "1", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    curve = {point["k"]: point for point in document["curve"]}
    assert {k: curve[k]["pass_hat_k"]["fraction"] for k in floors} == floors
    assert {k: curve[k]["pass_at_k"]["fraction"] for k in ceilings} == ceilings
    found = document["piles"]
    assert (found["always"], found["flaky"], found["never"]) == piles
