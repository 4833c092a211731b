from hashlib import sha256

import pytest

from passfloor.adapters.words import missing_program, parse_command, resolve
from passfloor.errors import UsageError


@pytest.fixture
def start(tmp_path):
    folder = tmp_path / "start"
    (folder / "bin").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "agent.py").write_text("print()")
    program = folder / "bin" / "tool"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return folder


def words(start, *given):
    return resolve(given, {"PATH": str(start / "bin")}, start)


def test_a_command_is_split_as_a_shell_splits_words_and_nothing_is_expanded():
    assert parse_command("a 'b c' \"d $X\" e\\ f *") == ["a", "b c", "d $X", "e f", "*"]


@pytest.mark.parametrize("text", ["", "   ", "# only", "a 'b"])
def test_a_command_without_words_or_with_an_open_quotation_is_refused(text):
    if text == "# only":
        assert parse_command(text) == ["#", "only"]
        return
    with pytest.raises(UsageError):
        parse_command(text)


def test_the_program_is_found_through_path_first_and_without_a_note(start):
    (start / "tool").write_text("another")
    found = words(start, "tool")
    assert (found.argv, found.found, found.notes) == ((str(start / "bin/tool"),), True, ())


def test_a_program_beside_the_start_folder_is_passed_absolute_and_noted(start):
    found = words(start, "./bin/tool")
    assert found.argv == (str(start / "bin/tool"),)
    assert found.notes == (f"./bin/tool is passed as {start}/bin/tool",)


def test_words_that_name_files_and_folders_become_absolute_and_are_noted(start):
    found = words(start, "tool", "agent.py", "src", "--in=agent.py", "none.py", "")
    assert found.argv[1:] == (f"{start}/agent.py", f"{start}/src", "--in=agent.py", "none.py", "")
    assert found.notes == (
        f"agent.py is passed as {start}/agent.py",
        f"src is passed as {start}/src",
    )


def test_a_word_too_long_for_a_path_is_passed_as_it_is(start):
    prompt = "say what you see " * 40
    found = words(start, "tool", "-p", prompt, "x" * 5000)
    assert found.argv[1:] == found.given[1:] == ("-p", prompt, "x" * 5000)
    assert found.named()[2:] == [prompt, "x" * 5000]
    missing = words(start, "y" * 300)
    assert not missing.found
    assert "cannot be found" in str(missing_program(missing))


def test_an_absolute_word_is_passed_as_it_is_without_a_note(start):
    assert words(start, "tool", str(start / "agent.py")).notes == ()


def test_a_relative_entry_of_path_is_seen_from_the_start_folder(start, monkeypatch):
    monkeypatch.chdir(start)
    assert resolve(["tool"], {"PATH": "bin"}, start).argv == (str(start / "bin/tool"),)


def test_files_are_named_by_base_name_and_digest_and_other_words_as_given(start):
    found = words(start, "tool", "agent.py", "src", "--flag")
    assert found.named() == [
        {"file": "tool", "sha256": sha256(b"#!/bin/sh\n").hexdigest()},
        {"file": "agent.py", "sha256": sha256(b"print()").hexdigest()},
        "src",
        "--flag",
    ]


def test_a_changed_agent_file_is_another_agent(start):
    found = words(start, "tool", "agent.py")
    before = found.named()
    (start / "agent.py").write_text("print(1)")
    assert found.named() != before


def test_the_name_of_an_agent_does_not_depend_on_where_it_lies(start, tmp_path):
    other = tmp_path / "other"
    start_named = words(start, "tool", "agent.py", "src").named()
    start.rename(other)
    assert words(other, "tool", "agent.py", "src").named() == start_named


@pytest.mark.parametrize("given", [[], [""], ["tool", "a\0b"], ["tool", "\udcff"]])
def test_words_that_no_program_or_receipt_can_take_are_refused(start, given):
    with pytest.raises(UsageError):
        words(start, *given)


@pytest.mark.parametrize("given", [("cd", "x", "&&", "run"), ("a|b",), ("run", ">out"), ("$AGENT",)])
def test_the_hint_for_a_missing_program_is_a_shell_where_shell_signs_stand(start, given):
    found = words(start, *given)
    assert not found.found
    assert "sh -c" in str(missing_program(found))


def test_the_hint_for_a_missing_program_is_its_path_otherwise(start):
    message = str(missing_program(words(start, "no-such-tool")))
    assert "'no-such-tool'" in message
    assert "sh -c" not in message
    assert "not executable" in str(missing_program(words(start, "agent.py")))
