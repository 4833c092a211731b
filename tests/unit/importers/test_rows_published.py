"""Other people's results as rows: what was published comes out, or what it should have been."""

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from passfloor.importers.collate import collate
from passfloor.importers.conventions import ours
from passfloor.importers.interface import Asked
from passfloor.importers.rows import RowsImporter
from passfloor.importers.spool import RecordSpool
from passfloor.stats import agreement, mean, piles, plug_in

DATA = Path(__file__).parents[4] / "shared" / "data"
HARNESS = DATA / "agent-eval-harness" / "2026-02-10_droid_builtin.cut.jsonl"
DFAH = DATA / "dfah" / "episodes.jsonl"


def _present(path):
    if not path.exists():
        pytest.skip(f"{path.name} is not at hand")
    return path


@pytest.fixture(scope="module")
def searches():
    asked = Asked(threshold=Fraction(65, 100))
    with RecordSpool() as spool:
        return collate(RowsImporter().read(_present(HARNESS), asked), asked, spool)


def test_a_web_search_study_by_its_threshold(searches):
    assert len(searches.tasks) == 151
    assert searches.sizes == {5: 151}
    assert ours(searches.tasks, "pass@5").value == Fraction(107, 151)
    assert ours(searches.tasks, "pass^5").value == Fraction(69, 151)
    pairs = [(task.n, task.count("passed")) for task in searches.tasks]
    found = piles(pairs)
    assert (found.always, found.flaky, found.never) == (69, 38, 44)


def test_its_published_figures_are_the_biased_ones_and_not_ours(searches):
    pairs = [(task.n, task.count("passed")) for task in searches.tasks]
    ceiling, floor = plug_in(pairs, 5)
    assert abs(float(ceiling) - 0.6757) < 5e-5
    assert abs(float(floor) - 0.4907) < 5e-5
    assert abs(float(ours(searches.tasks, "pass@5").value) - 0.6757) > 0.03


@pytest.mark.parametrize(
    ("model", "decisions", "paths"),
    [
        ("claude-opus-4", ".890", ".7033"),
        ("claude-sonnet-4", ".9433", ".7333"),
        ("gemini-2.0-flash", ".9367", ".8867"),
        ("gpt-oss_20b", ".980", ".97875"),
    ],
)
def test_a_study_of_repeated_decisions_gives_its_corrected_tables(model, decisions, paths):
    """The study's mean over its two kinds of task, each the mean over cases of the modal share."""
    found = [_labels(model, kind) for kind in ("compliance", "dataops")]
    assert _rounded(mean(agreement(labels["decision"]) for labels in found), decisions)
    assert _rounded(mean(agreement(labels["path"]) for labels in found), paths)


def _labels(model, kind):
    """What a model decided, and the tools it called, attempt by attempt of each case of that kind."""
    path = _present(DFAH)
    with path.open() as stream:
        full = next(name for line in stream if (name := json.loads(line)["model"]).startswith(model))
    columns = {"task": "task,case_id", "attempt": "replay", "outcome": "decision"}
    log = RowsImporter().read(path, Asked(agent=full, columns=columns, pass_values=("dismiss",)))
    decided, called = defaultdict(list), defaultdict(list)
    for record in log.records():
        if record.task.startswith(f"{kind}/"):
            row = json.loads(record.text)
            decided[record.task].append(row["decision"])
            called[record.task].append(tuple(row["tool_names"]))
    return {"decision": list(decided.values()), "path": list(called.values())}


def _rounded(value, text):
    return abs(value - Fraction(f"0{text}")) <= Fraction(1, 2) * Fraction(1, 10 ** (len(text) - 1))
