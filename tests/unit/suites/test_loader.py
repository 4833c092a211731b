import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import passfloor
from passfloor.errors import SuiteError
from passfloor.suites import builtin, builtin_folder, builtin_matching, builtin_names, load_suite

YAML = """\
# a comment
version: v1
tasks:
- {id: café, description: "Dö it.", assertions: [{kind: output_contains, text: x}]}
"""
DATA = {
    "tasks": [
        {"assertions": [{"text": "x", "kind": "output_contains"}], "description": "Dö it.", "id": "café"}
    ],
    "version": "v1",
}


def refusal(source: str | Path) -> str:
    with pytest.raises(SuiteError) as caught:
        load_suite(source)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_file_and_a_folder_in_either_format_are_one_suite(tmp_path: Path) -> None:
    for name in ("one/suite.yaml", "two/suite.yml", "three/suite.json", "four.YAML", "five.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(YAML if not name.endswith("json") else json.dumps(DATA), encoding="utf-8")
    sources = ["one", "two", "three", "four.YAML", "five.json", "one/suite.yaml"]
    hashes = {load_suite(tmp_path / source).suite_hash for source in sources}
    hashes |= {load_suite(str(tmp_path / source)).suite_hash for source in sources}
    assert len(hashes) == 1


def test_line_ends_do_not_matter(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(YAML.encode())
    (tmp_path / "b.yaml").write_bytes(YAML.replace("\n", "\r\n").encode())
    assert load_suite(tmp_path / "a.yaml").suite_hash == load_suite(tmp_path / "b.yaml").suite_hash


def test_files_are_taken_from_beside_the_suite_and_not_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "f").write_bytes(b"right\r\n")
    (tmp_path / "f").write_bytes(b"wrong")
    (tmp_path / "suite" / "suite.yaml").write_text(
        YAML.replace("id: café", "id: a, files: {g: {from: f}}"), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    assert load_suite("suite").tasks[0].file_bytes == {"g": b"right\r\n"}


def test_two_documents_in_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "suite.json").write_text("{}", encoding="utf-8")
    assert "suite.yaml and suite.json; keep one" in refusal(tmp_path)


def test_a_folder_without_a_document_is_refused(tmp_path: Path) -> None:
    assert "holds no suite.yaml" in refusal(tmp_path)


def test_a_file_with_another_ending_is_refused(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text("", encoding="utf-8")
    assert "end it in .yaml" in refusal(tmp_path / "suite.toml")


@pytest.mark.parametrize("text", ["", "# nothing\n", "version: v1\ntasks: []\n"])
def test_a_file_without_tasks_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.yaml").write_text(text, encoding="utf-8")
    assert "has no tasks" in refusal(tmp_path / "s.yaml")


def test_what_is_no_regular_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "s.yaml")
    assert "not a regular file" in refusal(tmp_path / "s.yaml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "s.yaml").chmod(0)
    assert "permission denied" in refusal(tmp_path / "s.yaml")


def test_an_unknown_name_lists_the_built_in_ones_and_the_nearest() -> None:
    message = refusal("golden-v2")
    assert 'did you mean "golden-v1"?' in message
    assert "answers-v1" in message


@pytest.mark.parametrize("source", ["", "zzz", "no/such/file.yaml", "a\0b", "x" * 5000, "\x1b[2J"])
def test_a_source_that_is_nothing_lists_the_built_in_ones(source: str) -> None:
    message = refusal(source)
    assert "golden-v1" in message
    assert message.isascii()
    assert len(message) < 400


def test_a_built_in_name_wins_over_a_file_of_that_name_and_a_path_is_never_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "golden-v1").mkdir()
    (tmp_path / "golden-v1" / "suite.yaml").write_text(YAML, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_suite("golden-v1").version == "golden-v1"
    assert load_suite("./golden-v1").version == "v1"
    assert load_suite(Path("golden-v1")).version == "v1"


def test_a_task_without_assertions_is_accepted_for_completion_only(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("version: v\ntasks: [{id: a, description: d}]\n", encoding="utf-8")
    assert "has no assertions" in refusal(path)
    assert load_suite(path, completion_only=True).tasks[0].assertions == []


@pytest.mark.parametrize("name", builtin_names())
def test_a_built_in_suite_is_called_by_its_version_and_loads(name: str) -> None:
    suite = load_suite(name)
    assert suite.version == name
    assert builtin(name) == suite
    assert (builtin_folder(name) / "README.md").is_file()


def test_an_installed_package_finds_the_suites_inside_itself(tmp_path: Path) -> None:
    package = Path(passfloor.__file__).parent
    shutil.copytree(package, tmp_path / "passfloor", ignore=shutil.ignore_patterns("__pycache__"))
    inside = tmp_path / "passfloor" / "suites" / "builtin"
    shutil.copytree(builtin_folder("golden-v1").parent, inside, dirs_exist_ok=True)
    program = (
        "from passfloor.suites import builtin_folder, load_suite;"
        "print(builtin_folder('golden-v1'), load_suite('golden-v1').suite_hash)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    folder, suite_hash = done.stdout.split()
    assert Path(folder) == inside / "golden-v1"
    assert suite_hash == load_suite("golden-v1").suite_hash


def test_suites_and_files_are_read_as_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("é😀", encoding="utf-8")
    text = YAML.replace("id: café", "id: 😀, files: {f: {from: f}}")
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    program = "import sys; from passfloor.suites import load_suite; print(load_suite(sys.argv[1]).suite_hash)"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == load_suite(tmp_path).suite_hash


def test_the_built_in_suites_are_there() -> None:
    assert builtin_names() == ["answers-v1", "golden-v1"]


def test_a_built_in_suite_is_found_by_its_version_or_else_by_its_hash() -> None:
    golden, answers = load_suite("golden-v1"), load_suite("answers-v1")
    assert builtin_matching("golden-v1", answers.suite_hash) == golden
    assert builtin_matching("other", answers.suite_hash) == answers
    assert builtin_matching("other", "0" * 64) is None


def test_a_version_that_is_not_built_in_is_none() -> None:
    assert builtin("golden-v0") is None
    assert builtin("../suites/golden-v1") is None
    assert builtin("") is None
