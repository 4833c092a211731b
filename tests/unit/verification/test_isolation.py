"""Verification does nothing but judge: it opens no file for writing, dials nobody and runs nothing."""

import subprocess
import sys

from judging import FOLDERS, HERE

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from judging import HERE, expected_of, inputs_of
import io
from dataclasses import replace
from passfloor.verification.verifier import verify

import passfloor.grading.kinds.schema_engine, passfloor.grading.registry, passfloor.projection  # all loaded
import importlib, pkgutil, passfloor.grading.imported
for module in pkgutil.iter_modules(passfloor.grading.imported.__path__, "passfloor.grading.imported."):
    importlib.import_module(module.name)
cases = []
for name in sys.argv[2:]:
    folder = HERE / name
    data = (folder / "receipt.json").read_bytes()
    given = inputs_of(expected_of(folder)["flags"], folder)
    # Where built-in suites are looked up is the caller's to give, as the suite itself is.
    cases.append((name, data, replace(given, builtin=lambda _version, _hash: None)))
verify(io.BytesIO(cases[0][1]), cases[0][2])
FORBIDDEN = ("open", "socket.", "subprocess.", "os.", "shutil.", "urllib.", "ctypes.", "import", "pty.")
hooked = True

def hook(event, arguments):
    if hooked and event.startswith(FORBIDDEN):
        print(f"verification did {event} {arguments}", file=sys.stderr)
        raise SystemExit(9)

sys.addaudithook(hook)
for name, data, inputs in cases:
    verify(io.BytesIO(data), inputs)
hooked = False
print(len(cases))
"""


def test_verification_opens_nothing_dials_nobody_and_runs_nothing():
    names = [folder.name for folder in FOLDERS]
    first = ["honest", *(name for name in names if name != "honest")]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(HERE), *first], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(len(names))


def test_verifying_leaves_no_trace_in_a_home(tmp_path):
    words = ["bench", "reliability-verify", "receipt.json", "--suite", "../suites/mini.json", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from passfloor.cli import main; raise SystemExit(main())", *words],
        cwd=HERE / "honest",
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert '"UNSIGNED"' in done.stdout
    assert list(tmp_path.iterdir()) == []
