"""Start-up: the command and the verifier's imports, beside bare Python and a minimal typer program."""

import subprocess
import sys

import pytest

TYPER = """
import typer
app = typer.Typer(rich_markup_mode=None, add_completion=False)
@app.command()
def go(name: str = "x") -> None: ...
app(["--help"], standalone_mode=False)
"""
PROGRAMS = {
    "bare python": ["-c", "pass"],
    "minimal typer --help": ["-c", TYPER],
    "passfloor --version": ["-m", "passfloor", "--version"],
    "passfloor --help": ["-m", "passfloor", "--help"],
    "import pydantic": ["-c", "from pydantic import BaseModel, Field\nclass A(BaseModel):\n    a: int"],
    "import verifier": ["-c", "import passfloor.verification.verifier"],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_start(benchmark, name):
    benchmark.group = "start"
    benchmark.pedantic(
        lambda: subprocess.run([sys.executable, *PROGRAMS[name]], check=True, capture_output=True),
        rounds=7,
        warmup_rounds=1,
    )
