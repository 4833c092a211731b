"""The members of every ``--json`` object are those of the page, no more and no fewer."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PASSFLOOR = Path(sys.executable).with_name("passfloor")


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Verb -> the object it prints, over one run of a test double."""
    folder = tmp_path_factory.mktemp("machine")
    environ = {**os.environ, "PASSFLOOR_HOME": str(folder / "identity")}

    def call(*words: str):
        ended = subprocess.run(
            [PASSFLOOR, *words, "--json"], cwd=folder, env=environ, capture_output=True, check=False
        )
        return json.loads(ended.stdout)

    suite = [
        "bench",
        "run",
        "golden-v1",
        "--reliability",
        "1",
        "--adapter",
        "mock",
        "--stub-signer",
        "--quiet",
    ]
    return {
        "bench run": call(*suite),
        "dry run": call(*suite, "--out", "other.json", "--dry-run"),
        "bench reliability-verify": call("bench", "reliability-verify", "reliability.json"),
        "bench reliability-check": call(
            "bench", "reliability-check", "reliability.json", "--allow-stub", "--adapter", "mock"
        ),
        "bench doctor": call("bench", "doctor"),
        "bench regrade": call("bench", "regrade", "reliability.json", "--allow-stub"),
        "bench gate": call("bench", "gate", "reliability.json", "--allow-stub", "--require-floor", "0"),
        "bench compare": call("bench", "compare", "reliability.json", "reliability.json", "--allow-stub"),
        "bench plan": call("bench", "plan"),
    }


def sections(docs: Path) -> dict[str, str]:
    page = (docs / "reference" / "json.md").read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in page.split("\n## ")[1:])


@pytest.mark.parametrize(
    "verb",
    [
        "bench run",
        "bench reliability-verify",
        "bench reliability-check",
        "bench doctor",
        "bench regrade",
        "bench gate",
        "bench compare",
        "bench plan",
    ],
)
def test_every_member_is_on_the_page(printed, docs, verb) -> None:
    cells = [line.split(" | ")[0] for line in sections(docs)[verb].splitlines() if line.startswith("| `")]
    assert {name for cell in cells for name in re.findall(r"`(\w+)`", cell)} == set(printed[verb])


def test_the_members_of_findings_and_attempts_are_on_the_page(printed, docs) -> None:
    for verb, member in (
        ("bench reliability-verify", "findings"),
        ("bench reliability-check", "attempts"),
        ("bench doctor", "attempts"),
        ("bench doctor", "checks"),
    ):
        (line,) = [row for row in sections(docs)[verb].splitlines() if row.startswith(f"| `{member}`")]
        assert printed[verb][member], "there is one to look at"
        assert set(re.findall(r"`(\w+)`", line)) - {member} == set(printed[verb][member][0])


def test_the_members_of_a_dry_run_are_on_the_page(printed, docs) -> None:
    for name in printed["dry run"]:
        assert f"`{name}`" in sections(docs)["bench run"].partition("With `--dry-run`")[2]
