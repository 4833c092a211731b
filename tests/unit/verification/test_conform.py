"""The vectors are a conformance suite: any command can be their subject."""

import sys

import conform
import pytest

OURS = [sys.executable, "-m", "passfloor", "bench", "verify", "--json"]
A_HANDFUL = (
    "honest",
    "recorded",
    "flipped_verdict_resealed_fail",
    "parse_name_twice_fail",
    "limit_bytes_fail",
)


def test_our_own_command_agrees_with_a_handful(capsys):
    only = [word for name in A_HANDFUL for word in ("--only", name)]
    assert conform.main([*only, "--", *OURS]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "5 folders, 5 agree, 0 do not\n"


@pytest.mark.parametrize(
    ("folder", "program", "said"),
    [
        ("inflated_floor_resealed_fail", "", "exit 0, expected 1"),
        ("honest", "raise SystemExit('no such flag')", "exit 1, expected 0: no such flag"),
        ("honest", "print('MATCH')", "printed no JSON object with status and findings"),
        (
            "honest",
            "print({})".format(repr('{"status": "UNSIGNED", "findings": []}')),
            "status UNSIGNED, expected MATCH",
        ),
        (
            "honest",
            "print({})".format(repr('{"status": "MATCH", "findings": [{"code": "type"}]}')),
            "findings ['type'], expected none",
        ),
        (
            "inflated_floor_resealed_fail",
            "print({}); raise SystemExit(1)".format(repr('{"status": "FABRICATED_FLOOR", "findings": []}')),
            "findings [], expected pass_caret_k among them",
        ),
    ],
)
def test_a_command_that_says_otherwise_is_told(capsys, folder, program, said):
    assert conform.main(["--only", folder, "--", sys.executable, "-c", program]) == 1
    assert capsys.readouterr().out == f"{folder}: {said}\n1 folders, 0 agree, 1 do not\n"


def test_a_command_that_does_not_end_is_told(capsys):
    sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
    assert conform.main(["--only", "honest", "--seconds", "0.5", "--", *sleeping]) == 1
    assert "honest: no answer within 0.5 s" in capsys.readouterr().out


def test_exit_codes_alone_can_be_compared():
    assert conform.main(["--only", "honest", "--exit-only", "--", sys.executable, "-c", ""]) == 0


def test_without_a_command_or_a_folder_nothing_is_said_to_agree():
    for words in ([], ["--only", "no such", "--", "true"]):
        with pytest.raises(SystemExit) as refused:
            conform.main(words)
        assert refused.value.code == 2
