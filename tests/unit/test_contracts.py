"""The import contracts of pyproject.toml hold, and would not if a module reached where it must not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINT = Path(sys.executable).with_name("lint-imports")


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT, "--no-cache", "--config", ROOT / "pyproject.toml"],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A copy of the package that may be spoilt."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "src"


def test_every_import_goes_down_the_floors() -> None:
    result = lint(ROOT / "src")
    assert result.returncode == 0, result.stdout
    assert "0 broken" in result.stdout


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("stray.py", "", "Imports go down the floors"),
        ("models/base.py", "import passfloor.grading", "Imports go down the floors"),
        ("verification/findings.py", "import subprocess", "What judges"),
        ("aggregate.py", "import time", "What judges"),
        ("comparison/gate.py", "import passfloor.journal.ledger", "What judges"),
        ("agents/reference.py", "import passfloor.errors", "The packaged agent"),
        ("api.py", "import rich.console", "Only cli and report"),
        ("models/plan.py", "import cryptography.fernet", "Only signing and keys"),
        ("blobs.py", "import json", "Only canonical"),
    ],
)
def test_an_import_that_breaks_a_contract_is_named(
    source: Path, module: str, line: str, contract: str
) -> None:
    path = source / "passfloor" / module
    path.write_text(
        (path.read_text(encoding="utf-8") if path.exists() else "") + f"\n{line}\n", encoding="utf-8"
    )
    result = lint(source)
    assert result.returncode == 1
    assert any(row.startswith(contract) and "BROKEN" in row for row in result.stdout.splitlines()), (
        result.stdout
    )
