"""Runs the examples of a page in order, in a folder of their own, and holds their output against the page.

Three kinds of block take part. A block after ``<!-- file: NAME -->`` is written to that file. A ``console``
block holds commands after ``$``, each followed by its output, standard error included. A ``python`` block is
run. All commands of a page share one shell, so that ``echo $?`` works and earlier folders are there.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(
    r"(?:<!-- file: (?P<file>\S+) -->\n)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S
)
_CLAIMED = "3f0cb1a94be2d7605c8e6d1f27a39b54c0d8f7e61a2b3c4d5e6f708192a3b4c5"
_GIVEN = "a1d9024cbb7e5f38106ac2d4e7f98b53c6a0d1e2f3948576b8c7d9eafb0c1d2e"
_VOLATILE = (
    (r"\b\d{8}T\d{6}Z-[0-9a-f]{6}\b", "20260314T092653Z-5a3f0c"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-03-14T09:26:53.589Z"),
    (r"(?<![\w-])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])", "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"),
    # A suite's hash is the same everywhere; those of receipts are not.
    (r"\b(claims\s+)[0-9a-f]{64}", rf"\g<1>{_CLAIMED}"),
    (r"\b(gives\s+)[0-9a-f]{64}", rf"\g<1>{_GIVEN}"),
    (r"^(  environment)\s+\S+", r"\1 Linux-6.12-x86_64-with-glibc2.41"),
    (r"(the local identity in)\s+\S+", r"\1 /home/you/.config/passfloor"),
    (r"( is passed as) \S+/", r"\1 /home/you/work/"),
)


@dataclass(frozen=True)
class Command:
    """A command as it stands in a page, and where its output stands there (offsets into the page)."""

    text: str
    expected: str
    start: int
    end: int


def tidy(output: str) -> str:
    """The output with everything that differs from run to run replaced by one example of it."""
    for pattern, example in _VOLATILE:
        output = re.sub(pattern, example, output, flags=re.M)
    return output


def commands(page: str) -> list[Command]:
    """The commands of all ``console`` blocks, in order."""
    return [
        command
        for block in _FENCE.finditer(page)
        if block["language"] == "console"
        for command in _commands(block["body"], block.start("body"))
    ]


def run(page: str) -> list[str]:
    """Run a page and return the tidied output of each command, in order.

    Raises:
        RuntimeError: a Python block failed, or the shell ended early.
    """
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        place = Path(folder).resolve()
        for name in ("work", "home", "identity", "blocks"):
            (place / name).mkdir()
        (place / "script").write_text(_script(page, place / "blocks"), encoding="utf-8")
        ended = subprocess.run(  # noqa: S603
            ["/bin/sh", str(place / "script")],
            cwd=place / "work",
            env={
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(place / "home"),
                "PASSFLOOR_HOME": str(place / "identity"),
                "LC_ALL": "C.UTF-8",
                "PYTHONUNBUFFERED": "1",
                **{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ},
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    *outputs, rest = ended.stdout.split("\n@@end@@\n")
    if len(outputs) != len(commands(page)) or ended.returncode:
        raise RuntimeError(f"the page's shell ended early with {ended.returncode}: {rest[-2000:]}")
    return [tidy(output).strip("\n") for output in outputs]


def refreshed(page: str) -> str:
    """The page with the output of every command as it is now."""
    outputs = run(page)
    for command, output in reversed(list(zip(commands(page), outputs, strict=True))):
        page = page[: command.start] + (output + "\n" if output else "") + page[command.end :]
    return page


def _commands(body: str, offset: int) -> list[Command]:
    found: list[Command] = []
    lines = body.splitlines(keepends=True)
    position = 0
    while position < len(lines):
        if not lines[position].startswith("$ "):
            raise ValueError(f"a console block begins with {lines[position]!r}, expected '$ ' and a command")
        words = [lines[position][2:]]
        while words[-1].endswith("\\\n"):
            position += 1
            words.append(lines[position])
        position += 1
        start = position
        while position < len(lines) and not lines[position].startswith("$ "):
            position += 1
        output = "".join(lines[start:position])
        begin = offset + sum(map(len, lines[:start]))
        found.append(Command("".join(words), output.strip("\n"), begin, begin + len(output)))
    return found


def _script(page: str, blocks: Path) -> str:
    lines = []
    for number, block in enumerate(_FENCE.finditer(page)):
        kept = blocks / str(number)
        kept.write_text(block["body"], encoding="utf-8")
        if block["file"]:
            target = shlex.quote(block["file"])
            lines.append(f'mkdir -p "$(dirname {target})" && cp {kept} {target} || exit 71')
        elif block["language"] == "python":
            lines.append(f"{shlex.quote(sys.executable)} {kept} || exit 72")
        elif block["language"] == "console":
            for command in _commands(block["body"], 0):
                lines += [command.text.rstrip("\n"), "_s=$?; printf '\\n@@end@@\\n'; (exit $_s)"]
    return "\n".join([*lines, "exit 0", ""])
