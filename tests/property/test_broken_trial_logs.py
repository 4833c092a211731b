"""However a log of these five tools is broken, it is read or refused in one line."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passfloor.errors import ImportRefused
from passfloor.importers.collate import collate
from passfloor.importers.interface import Asked
from passfloor.importers.registry import importer
from passfloor.importers.spool import RecordSpool

TRIAL = {
    "task_name": "a",
    "trial_name": "a__1",
    "agent_info": {"name": "x"},
    "verifier_result": {"rewards": {"reward": 1.0}},
}
ROW = {"trial_name": "a.1-of-2", "task_id": "a", "is_resolved": None, "failure_mode": "unset"}
RUNS = {
    "model": "m",
    "service": "s",
    "task": "t",
    "runs": {"run-1": {"success": True}, "run-2": {"success": False}},
}
OUTPUT_ROW = {
    "testIdx": 0,
    "promptIdx": 0,
    "promptId": "p",
    "provider": {"id": "x"},
    "testCase": {"assert": [1]},
    "vars": {"a": 1},
    "success": True,
    "failureReason": 0,
}
OUTPUT = {
    "evalId": "e",
    "results": {"version": 3, "results": [OUTPUT_ROW, OUTPUT_ROW | {"testIdx": 1}]},
    "runtimeOptions": {"repeat": 2},
}
VALLY = {
    "type": "trial-result",
    "stimulus": "a",
    "status": "success",
    "gradeResult": {"passed": True, "score": 1},
}

# Importer -> the file that is broken, the files beside it, all below one folder; "" is the folder itself.
LOGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "harbor": (
        "",
        "a__1/result.json",
        {"a__1/result.json": TRIAL, "a__2/result.json": TRIAL, "config.json": {"n_attempts": 2}},
    ),
    "harbor job": (
        "",
        "result.json",
        {
            "a__1/result.json": TRIAL,
            "config.json": {"n_attempts": 2},
            "result.json": {
                "n_total_trials": 4,
                "stats": {"n_retries": 1, "evals": {"x__s": {"pass_at_k": {"2": 0.5}}}},
            },
        },
    ),
    "harbor settings": ("", "config.json", {"a__1/result.json": TRIAL, "config.json": {"n_attempts": 2}}),
    "terminal-bench": (
        "",
        "results.json",
        {"results.json": {"results": [ROW], "accuracy": 0.5, "pass_at_k": {"2": 1}}},
    ),
    "terminal-bench trial": (
        "",
        "a/a.1-of-2/results.json",
        {"a/a.1-of-2/results.json": ROW, "run_metadata.json": {}},
    ),
    "mcpmark": ("x.json", "x.json", {"x.json": RUNS}),
    "promptfoo": ("x.json", "x.json", {"x.json": OUTPUT}),
    "promptfoo lines": ("x.jsonl", "x.jsonl", {"x.jsonl": OUTPUT_ROW}),
    "vally": ("x.jsonl", "x.jsonl", {"x.jsonl": VALLY}),
}
JUNK = st.sampled_from(
    [b"", b"\x00", b"\xff", b"{", b"}", b"[", b"]", b'"', b",", b"NaN", b"1e999", b"9" * 30, b"null"]
)


@st.composite
def breaks(draw: st.DrawFn, content: bytes) -> bytes:
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 12)) | st.just(len(content)))
    return (
        content[:start]
        + draw(JUNK | st.binary(max_size=4)) * draw(st.sampled_from([1, 1, 300]))
        + content[end:]
    )


def written(folder: Path, contents: dict[str, bytes]) -> None:
    for name, content in contents.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def attempts(name: str, path: Path) -> Iterator[int]:
    reader = importer(name.partition(" ")[0])
    reader.recognise(path)
    with RecordSpool() as spool:
        found = collate(reader.read(path, Asked()), Asked(), spool)
        yield from (task.n for task in found.tasks)


@pytest.mark.parametrize("name", LOGS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_broken_log_is_read_or_refused(name: str, data: st.DataObject) -> None:
    start, broken, files = LOGS[name]
    contents = {each: json.dumps(value).encode() + b"\n" for each, value in files.items()}
    contents[broken] = data.draw(breaks(contents[broken]))
    with tempfile.TemporaryDirectory() as folder:
        written(Path(folder), contents)
        try:
            sizes = list(attempts(name, Path(folder) / start))
        except ImportRefused as refusal:
            message = str(refusal)
        else:
            assert all(size >= 1 for size in sizes)
            return
    assert message.isprintable()


@pytest.mark.parametrize("name", LOGS)
def test_the_same_log_unbroken_is_read(name: str, tmp_path: Path) -> None:
    start, _, files = LOGS[name]
    written(tmp_path, {each: json.dumps(value).encode() + b"\n" for each, value in files.items()})
    assert list(attempts(name, tmp_path / start))
