import os
import subprocess
import sys

import pytest

from passfloor.keys import hidden

HIDE = """
import os, sys
from pathlib import Path
from passfloor.keys import hidden
hidden.hide()
"""


def told(code: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout


def test_a_secret_is_taken_out_of_the_environment_and_still_found() -> None:
    said = told(
        f"{HIDE}print([name in os.environ for name in hidden.SECRETS])\n"
        "print([hidden.environ()[name] for name in hidden.SECRETS])\n",
        PASSFLOOR_SIGNING_KEY="a key",
        PASSFLOOR_KEY_PASSWORD="a password",
    )
    assert said.splitlines() == ["[False, False]", "['a key', 'a password']"]


def test_a_child_does_not_inherit_a_secret() -> None:
    said = told(
        f"{HIDE}import subprocess\nprint(subprocess.run(['env'], capture_output=True, text=True).stdout)",
        PASSFLOOR_SIGNING_KEY="canary-of-the-key",
        PASSFLOOR_KEY_PASSWORD="canary-of-the-password",
        PLAIN="seen",
    )
    assert "PLAIN=seen" in said
    assert "canary" not in said


@pytest.mark.skipif(not os.path.exists("/proc/self/environ"), reason="this system has no /proc")
def test_the_block_that_the_kernel_shows_no_longer_holds_a_secret() -> None:
    shown = "import sys\nfrom pathlib import Path\nprint(Path('/proc/self/environ').read_bytes())"
    variables = {"PASSFLOOR_SIGNING_KEY": "canary-of-the-key", "PLAIN": "seen"}
    assert "canary" in told(shown, **variables)
    # Read by a process that may look: the one that hid it may not look at itself any more.
    said = told(
        f"{HIDE}import ctypes\nctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n{shown}",
        **variables,
    )
    assert "PLAIN=seen" in said
    assert "PASSFLOOR_SIGNING_KEY=" in said
    assert "canary" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="the call is one of Linux")
def test_the_memory_is_closed_where_there_is_a_secret_and_only_there() -> None:
    code = f"{HIDE}import ctypes\nprint(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))"
    assert told(code, PASSFLOOR_KEY_PASSWORD="a password").strip() == "0"
    assert told(code).strip() == "1"


def test_without_a_secret_nothing_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in hidden.SECRETS:
        monkeypatch.delenv(name, raising=False)
    before = dict(os.environ)
    hidden.hide()
    assert dict(os.environ) == before == hidden.environ()


@pytest.mark.skipif(sys.platform != "linux", reason="the call is one of Linux")
def test_another_process_of_the_same_user_cannot_look_into_the_one_that_holds_a_secret() -> None:
    code = """
import os, sys, ctypes
from passfloor.keys import hidden
library = ctypes.CDLL(None)
if os.geteuid() == 0:  # who may trace everything may look everywhere
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
library.prctl(4, 1, 0, 0, 0)
def looked(pid):
    opened = []
    for name in ("environ", "mem", "fd"):
        try:
            os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
            opened.append(name)
        except PermissionError:
            pass
    return opened
for _ in range(2):
    reading, writing = os.pipe()
    mine = os.getpid()
    if os.fork() == 0:
        library.prctl(4, 1, 0, 0, 0)
        os.write(writing, repr(looked(mine)).encode())
        os._exit(0)
    os.wait()
    print(os.read(reading, 1000).decode())
    hidden.hide()
"""
    before, after = told(code, PASSFLOOR_SIGNING_KEY="a key").splitlines()
    assert "environ" in before
    assert after == "[]"
