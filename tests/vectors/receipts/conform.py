"""Does a verifier agree with the vectors? Runs any command over the folders and says where it does not.

    python tests/vectors/receipts/conform.py [--only PATTERN] [--exit-only] [--seconds N] -- COMMAND

In each folder ``COMMAND receipt.json FLAGS`` is run, FLAGS being those of its ``expected.json``. It has to
end by itself within the time, with the exit code that stands there, and to print one JSON object with
``status`` and ``findings``, a list of objects with ``code``: the status has to be the one that stands
there, and the code that stands there has to be among the findings (none may be where it is null). ``--exit-
only`` compares the exit code and nothing else. Exits 0 where everything agrees, 1 where something does not.

    python tests/vectors/receipts/conform.py -- passfloor bench verify --json
"""

import argparse
import fnmatch
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def disagreement(folder, command, *, seconds=60, exit_only=False):
    """Where the command says otherwise than the folder, in words; empty where it agrees."""
    expected = json.loads((folder / "expected.json").read_text())
    words = [*command, "receipt.json", *expected["flags"]]
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {seconds} s"
    if done.returncode != expected["exit"]:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return f"exit {done.returncode}, expected {expected['exit']}{': ' if last else ''}{''.join(last)}"
    return "" if exit_only else _said(done.stdout, expected)


def _said(output, expected):
    try:
        said = json.loads(output)
        status, codes = said["status"], [finding["code"] for finding in said["findings"]]
    except (ValueError, LookupError, TypeError):
        return "printed no JSON object with status and findings"
    if status != expected["status"]:
        return f"status {status}, expected {expected['status']}"
    if expected["code"] is None:
        return f"findings {codes}, expected none" if codes else ""
    return "" if expected["code"] in codes else f"findings {codes}, expected {expected['code']} among them"


def main(words=None):
    """Run, compare, count."""
    words = list(sys.argv[1:] if words is None else words)
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0], usage=__doc__.split("\n\n")[1].strip()
    )
    parser.add_argument(
        "--only", action="append", metavar="PATTERN", help="folders of such names; repeatable"
    )
    parser.add_argument("--exit-only", action="store_true", help="compare exit codes alone")
    parser.add_argument("--seconds", type=float, default=60, metavar="N", help="time for each folder")
    given, command = parser.parse_args(words[:cut]), words[cut + 1 :]
    folders = sorted(path.parent for path in HERE.glob("*/expected.json"))
    if given.only:
        folders = [f for f in folders if any(fnmatch.fnmatchcase(f.name, pattern) for pattern in given.only)]
    if not command or not folders:
        parser.error("name a command after --, and patterns that some folder has")
    wrong = 0
    for folder in folders:
        found = disagreement(folder, command, seconds=given.seconds, exit_only=given.exit_only)
        if found:
            wrong += 1
            print(f"{folder.name}: {found}")
    print(f"{len(folders)} folders, {len(folders) - wrong} agree, {wrong} do not")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
