"""Result tables of other tools, parsed to (task, attempt, outcome) rows, give their figures exactly.

The tables stand beside the project, not in it; without them these tests are skipped.
"""

import json
import zipfile
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.stats import (
    Piles,
    agreement,
    at_least,
    bounds,
    curve,
    mean,
    percent,
    piles,
    plug_in,
    success_rate,
)

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the result tables of other tools are not here")


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


def lines(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines() if line]


def pairs_of(rows):
    """(n, c) a task, whatever is not passed staying in n."""
    tasks = defaultdict(list)
    for task, _attempt, outcome in rows:
        tasks[task].append(outcome)
    return [(len(outcomes), outcomes.count("passed")) for outcomes in tasks.values()]


def outcome(passed, errored=False):
    return "errored" if errored else "passed" if passed else "wrong"


def figures(pairs):
    points = curve(pairs)
    return [point.floor for point in points], [point.ceiling for point in points]


def test_tau_bench_gpt_4o_airline():
    table = read("tau-bench/gpt-4o-airline.cut.json")
    pairs = pairs_of((row["task_id"], row["trial"], outcome(row["reward"] == 1.0)) for row in table)
    assert {n for n, _ in pairs} == {4}
    floors, ceilings = figures(pairs)
    assert floors == [Fraction(21, 50), Fraction(41, 150), Fraction(11, 50), Fraction(1, 5)]
    assert ceilings == [Fraction(21, 50), Fraction(17, 30), Fraction(33, 50), Fraction(18, 25)]
    assert piles(pairs) == Piles(always=10, flaky=26, never=14)
    assert [percent(floor) for floor in floors] == ["42.0", "27.3", "22.0", "20.0"]


def test_terminal_bench_counts_what_did_not_finish():
    table = read("terminal-bench/orchestrator_claude-4-sonnet/results.cut.json")
    pairs = pairs_of(
        (row["task_id"], row["trial_name"], outcome(row["is_resolved"])) for row in table["results"]
    )
    assert (len(pairs), {n for n, _ in pairs}) == (80, {5})
    floors, ceilings = figures(pairs)
    assert floors == [
        Fraction(9, 25), Fraction(103, 400), Fraction(33, 160), Fraction(69, 400), Fraction(3, 20)
    ]  # fmt: skip
    assert [ceilings[1], ceilings[3], ceilings[4]] == [Fraction(37, 80), Fraction(219, 400), Fraction(23, 40)]
    assert {k: round(float(ceilings[int(k) - 1]), 4) for k in "245"} == table["pass_at_k"]
    assert piles(pairs) == Piles(always=12, flaky=34, never=34)
    assert sum(row["failure_mode"] not in {"unset", "none"} for row in table["results"]) == 146


def test_mcpmark_gpt_5_medium():
    rows = []
    for path in sorted((DATA / "mcpmark" / "gpt-5-medium").glob("*.json")):
        for name, run in json.loads(path.read_text(encoding="utf-8"))["runs"].items():
            rows.append((path.stem, name, outcome(run["success"])))
    pairs = pairs_of(rows)
    assert (len(pairs), {n for n, _ in pairs}) == (127, {4})
    floors, ceilings = figures(pairs)
    assert (ceilings[0], ceilings[3], floors[3]) == (Fraction(267, 508), Fraction(87, 127), Fraction(43, 127))
    assert [percent(x, 2) for x in (ceilings[0], ceilings[3], floors[3])] == ["52.56", "68.50", "33.86"]
    assert piles(pairs) == Piles(always=43, flaky=44, never=40)


def test_tau2_airline():
    table = read("tau2/airline_10tasks_2trials.cut.json")["simulations"]
    pairs = pairs_of(
        (run["task_id"], run["trial"], outcome(run["reward_info"]["reward"] == 1.0)) for run in table
    )
    floors, ceilings = figures(pairs)
    # Tasks 3 and 9 passed one of two.
    assert floors == [Fraction(3, 5), Fraction(1, 2)]
    assert ceilings == [Fraction(3, 5), Fraction(7, 10)]
    assert piles(pairs) == Piles(always=5, flaky=2, never=3)


def test_human_eval():
    table = lines("human-eval/example_samples.jsonl_results.jsonl")
    pairs = pairs_of((row["task_id"], i, outcome(row["passed"])) for i, row in enumerate(table))
    assert pairs == [(6, 3)]
    assert success_rate(pairs) == Fraction(1, 2)


def test_the_plug_in_that_a_study_published_is_not_our_figure():
    table = lines("agent-eval-harness/2026-02-10_droid_builtin.cut.jsonl")
    pairs = pairs_of(
        (row["id"], trial["trialNum"], outcome(trial["score"] >= 0.65))
        for row in table
        for trial in row["trials"]
    )
    assert (len(pairs), {n for n, _ in pairs}) == (151, {5})
    (point,) = curve(pairs, [5])
    assert (point.ceiling, point.floor) == (Fraction(107, 151), Fraction(69, 151))
    assert piles(pairs) == Piles(always=69, flaky=38, never=44)
    assert [format(float(x), ".4f") for x in plug_in(pairs, 5)] == ["0.6757", "0.4907"]


def test_inspect_with_errors_keeps_every_task_in_the_headline():
    samples = read("inspect/toolmade_6tasks_5epochs_errors.json")["samples"]
    values = {"C": Fraction(1), "P": Fraction(1, 2)}
    rows, scored = [], defaultdict(list)
    for sample in samples:
        errored = bool(sample.get("error"))
        letter = None if errored else sample["scores"]["letter"]["value"]
        rows.append((sample["id"], sample["epoch"], outcome(letter == "C", errored)))
        if not errored:
            scored[sample["id"]].append(values.get(letter, Fraction(0)))
    pairs = pairs_of(rows)
    assert (len(pairs), {n for n, _ in pairs}) == (6, {5})
    assert sum(row[2] == "errored" for row in rows) == 6
    assert success_rate(pairs) == Fraction(12, 30)
    triples = []
    for task in dict.fromkeys(row[0] for row in rows):
        mine = [row[2] for row in rows if row[0] == task]
        triples.append((5, mine.count("passed"), mine.count("errored")))
    assert bounds(triples, 1).floor == (Fraction(12, 30), Fraction(18, 30))
    # Its own reducers drop what errored: the tasks and attempts that are left.
    left = [(len(scores), sum(score == 1 for score in scores)) for scores in scored.values()]
    assert success_rate(left) == Fraction(51, 100)
    assert curve(left, [2])[0].ceiling == Fraction(66, 100)
    (five,) = curve(left, [5])
    assert (five.ceiling, five.tasks) == (Fraction(3, 4), 4)


def test_inspect_log_of_two_tasks():
    with zipfile.ZipFile(DATA / "inspect" / "log_streaming.eval") as log:
        names = [name for name in log.namelist() if name.startswith("samples/")]
        samples = [json.loads(log.read(name)) for name in names]
    rows = []
    for sample in samples:
        (score,) = sample["scores"].values()
        rows.append((sample["id"], sample["epoch"], outcome(score["value"] in {"C", 1})))
    pairs = pairs_of(rows)
    (once, twice) = curve(pairs)
    assert (once.ceiling, twice.ceiling, twice.floor) == (Fraction(3, 4), Fraction(1), Fraction(1, 2))


def test_harbor_figures_of_its_own_without_errors():
    rows = []
    for path in sorted((DATA / "harbor" / "binary5").glob("*/result.json")):
        trial = json.loads(path.read_text(encoding="utf-8"))
        passed = (trial["verifier_result"] or {"rewards": {"reward": 0}})["rewards"]["reward"] == 1.0
        rows.append((trial["task_name"], trial["trial_name"], outcome(passed)))
    pairs = pairs_of(rows)
    assert (len(pairs), {n for n, _ in pairs}) == (4, {5})
    (own,) = read("harbor/binary5/result.json")["stats"]["evals"].values()
    ceilings = {point.k: point.ceiling for point in curve(pairs)}
    assert own["pass_at_k"] == {"2": 0.7, "4": 0.75, "5": 0.75}
    assert {k: float(ceilings[int(k)]) for k in own["pass_at_k"]} == own["pass_at_k"]


def test_promptfoo_rows_have_no_attempt_number():
    table = read("promptfoo/repeat3.json")["results"]["results"]
    rows = [
        (json.dumps(row["testCase"], sort_keys=True), i, outcome(row["success"], row["failureReason"] == 2))
        for i, row in enumerate(table)
    ]
    found = [row[2] for row in rows]
    assert (found.count("passed"), found.count("wrong"), found.count("errored")) == (6, 5, 4)
    pairs = pairs_of(rows)
    assert (len(pairs), {n for n, _ in pairs}) == (5, {3})
    assert piles(pairs) == Piles(always=1, flaky=2, never=2)


def test_pydantic_evals_keeps_failures_in_another_list():
    report = read("pydantic-evals/report_repeat3.json")
    rows = [
        (
            case["source_case_name"],
            case["name"],
            outcome(all(a["value"] for a in case["assertions"].values())),
        )
        for case in report["cases"]
    ]
    rows += [(case["source_case_name"], case["name"], "errored") for case in report["failures"]]
    pairs = pairs_of(rows)
    assert (len(rows), len(pairs), {n for n, _ in pairs}) == (15, 5, {3})


@pytest.mark.parametrize(
    ("model", "decisions", "paths"),
    [
        ("claude-opus-4-20250514", ".8900", ".7033"),
        ("claude-sonnet-4-20250514", ".9433", ".7333"),
        ("gemini-2.0-flash", ".9367", ".8867"),
        ("gpt-oss_20b", ".9800", ".9788"),
    ],
)
def test_agreement_of_decisions_and_tool_paths_is_as_published(model, decisions, paths):
    """The study's figure of a model is the mean of its two benchmarks of financial decisions."""
    found = []
    for benchmark in ("compliance", "dataops"):
        decided, walked = defaultdict(list), defaultdict(list)
        for row in lines("dfah/episodes.jsonl"):
            if (row["model"], row["task"]) == (model, benchmark):
                decided[row["case_id"]].append(row["decision"])
                walked[row["case_id"]].append(tuple(row["tool_names"]))
        found.append((agreement(decided.values()), agreement(walked.values())))
    shown = [format(float(mean(column)), ".4f")[1:] for column in zip(*found, strict=True)]
    assert shown == [decisions, paths]


def test_a_service_level_lies_between_floor_and_ceiling_on_real_tasks():
    table = read("tau-bench/gpt-4o-airline.cut.json")
    pairs = pairs_of((row["task_id"], row["trial"], outcome(row["reward"] == 1.0)) for row in table)
    levels = [mean(at_least(n, c, 4, j) for n, c in pairs) for j in range(1, 5)]
    assert levels == sorted(levels, reverse=True)
    assert (levels[0], levels[3]) == (Fraction(18, 25), Fraction(1, 5))
