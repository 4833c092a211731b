"""The page that checks a receipt by openssl and sha256sum alone does what it says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "reference" / "example" / "receipt.json"
PAGE = ROOT / "docs" / "how-to" / "check-without-passfloor.md"
VERIFIED = "Signature Verified Successfully"


@pytest.fixture(scope="module")
def tools():
    """Skips where the page's own tools are not those it needs."""
    for name in ("openssl", "sha256sum", "awk", "sed", "grep", "tr"):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    made = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "ed25519"], capture_output=True, check=False, timeout=60
    )
    told = subprocess.run(
        ["openssl", "pkeyutl", "-help"], capture_output=True, text=True, check=False, timeout=60
    )
    if made.returncode or "-rawin" not in told.stdout + told.stderr:
        pytest.skip("openssl has no Ed25519, or cannot sign it from the command line")


def blocks():
    """The shell blocks of the first way, and those of the second."""
    page = PAGE.read_text(encoding="utf-8")
    by_hand, others = page.split("## With a page of Python")
    return [re.findall(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL) for part in (by_hand, others)]


def by_hand(folder, content):
    (folder / "receipt.json").write_bytes(content)
    return subprocess.run(
        ["/bin/sh", "-c", "\n".join(blocks()[0])],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_example_is_found_to_be_the_signers(tools, tmp_path):
    done = by_hand(tmp_path, EXAMPLE.read_bytes())
    assert done.stderr == ""
    assert "content: OK" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == VERIFIED
    assert VERIFIED in PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(("old", "new"), [(b'"n":1', b'"n":2'), (b"3\\\\n", b"4\\\\n"), (b"EMITTED", b"")])
def test_a_change_is_found(tools, tmp_path, old, new):
    content = EXAMPLE.read_bytes()
    if old == b"EMITTED":
        content = re.sub(rb'"emitted_at":(\d)', rb'"emitted_at":2\1', content)
    else:
        assert old in content or old.replace(b"\\\\", b"\\") in content
        content = content.replace(old, new).replace(old.replace(b"\\\\", b"\\"), new.replace(b"\\\\", b"\\"))
    done = by_hand(tmp_path, content)
    assert "content: FAILED" in done.stdout
    assert VERIFIED not in done.stdout


def test_another_signature_is_found(tools, tmp_path):
    content = EXAMPLE.read_bytes()
    found = re.search(rb'"signature":"[^"]*\.\.(.)', content)
    other = b"A" if found[1] != b"A" else b"B"
    done = by_hand(tmp_path, content[: found.start(1)] + other + content[found.end(1) :])
    assert "content: OK" in done.stdout
    assert VERIFIED not in done.stdout


def test_the_independent_verifiers_are_called_as_the_page_says(tmp_path):
    words = [
        line.split() for line in "\n".join(blocks()[1]).splitlines() if line.startswith(("python", "node"))
    ]
    key = re.search(r"^x=(\S+)$", blocks()[0][0], re.MULTILINE)[1]
    suite = str(EXAMPLE.with_name("suite.json"))
    known = {"suite.json": suite, "receipt.json": str(EXAMPLE), '"$x"': key}
    assert len(words) == 2
    for program, script, *rest in words:
        command = sys.executable if program == "python" else shutil.which(program)
        if command is None:
            continue
        done = subprocess.run(
            [command, str(ROOT / "tests/conformance" / script), *(known.get(word, word) for word in rest)],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, "MATCH"), done.stderr
