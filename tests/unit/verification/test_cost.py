"""What a forger can make a verifier pay: every input gets an answer within a gigabyte, and no traceback.

Each is judged by the command itself, in a process that cannot have more than a gigabyte of address space.
"""

import json
import subprocess
import sys

import casework
import forging
import pytest
from judging import HERE

PROGRAM = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from passfloor.cli import main
sys.argv[0] = "passfloor"
raise SystemExit(main())
"""
FLAGS = ("--suite", str(HERE / "suites/mini.json"), "--signer-key", forging.TEST_X, "--at", casework.AT)
NUMBERS = 600_000


def _within(member, value):
    """The honest receipt with one member of other bytes."""
    data = forging.lines(casework.honest())
    opened = b'"%s":' % member.encode()
    place = data.index(opened) + len(opened)
    end = data.index(b",\n", place)
    return data[:place] + value + data[end:]


def _attempts(number):
    document = casework.honest()
    first = document["task_results"][0]["attempts"][0]
    document["task_results"][0]["attempts"] = [first] * number
    return forging.lines(document)


def _events(number):
    document = casework.honest()
    casework.events(document)[1:1] = [{"kind": "tool.call", "seq": 1}] * number
    return forging.lines(document)


def _blobs(number):
    document = casework.honest()
    document["blobs"] = {f"{at:064x}": at for at in range(number)}
    return forging.lines(document)


WORST = {
    "48 MB of empty objects": lambda: b"[" + b"{}," * 16_000_000 + b"{}]",
    "200,000 brackets": lambda: b"[" * 200_000,
    "60 MB of brackets": lambda: b"[" * 60_000_000,
    "an integer of 10,000 digits": lambda: _within("emitted_at", b"9" * 10_000),
    "an integer of 30 MB": lambda: _within("emitted_at", b"9" * 30_000_000),
    "a float of 30 MB": lambda: _within("emitted_at", b"1." + b"9" * 30_000_000),
    "30 MB of escapes": lambda: _within("suite_version", b'"' + b"\\u0041" * 5_000_000 + b'"'),
    "a line of 60 MB": lambda: b'{"task_results":[\n' + b"{" + b" " * 60_000_000,
    "many names": lambda: _within(
        "scheduler_config", json.dumps(dict.fromkeys(map(str, range(NUMBERS)), 0)).encode()
    ),
    "many fractions": lambda: _within("scheduler_config", b'{"x":[' + b"1e-7," * NUMBERS + b"0]}"),
    "many empty objects": lambda: _within("scheduler_config", b'{"x":[' + b"{}," * NUMBERS + b"0]}"),
    "many blobs": lambda: _blobs(200_000),
    "many attempts": lambda: _attempts(10_001),
    "many copies": lambda: _attempts(3_000),
    "many events": lambda: _events(100_000),
    "one name a thousand times": lambda: b"{" + b'"task_results":[],' * 1_000 + b'"k":1}',
    "many documents": lambda: forging.lines(casework.honest()) * 1_000,
    "more than may be read": lambda: b" " * (64 * 2**20 + 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_the_worst_inputs_are_answered_within_a_gigabyte(name, tmp_path):
    path = tmp_path / "receipt.json"
    path.write_bytes(WORST[name]())
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "bench", "verify", str(path), *FLAGS],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode in {1, 4}, done.stderr[-2000:]
    assert done.stdout.startswith("overall: ")
    assert "Traceback" not in done.stderr
    assert len(done.stdout) < 200_000
