"""What is said before a run, from the command that says it to the verdict that asks for it."""

import json

import pytest

from passfloor.cli import entry

RUN = ("bench", "run", "golden-v1", "--reliability", "1", "--task", "file_io_read_write", "--quiet")
PLAN = ("golden-v1", "--reliability", "1", "--task", "file_io_read_write")


@pytest.fixture
def here(tmp_path, monkeypatch, capsys):
    """Runs a command in a folder of its own, under an identity of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "home"))

    def call(*words):
        code = entry.run(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def verdict(here, *flags, receipt="reliability.json"):
    code, out, _ = here("bench", "verify", receipt, "--json", *flags)
    document = json.loads(out)
    return code, [(each["status"], each["code"]) for each in document["findings"]], document


def test_a_run_answers_the_challenge_it_was_begun_under_and_no_other(here):
    code, challenge, err = here("bench", "challenge", "--out", "c.txt")
    assert code == 0
    assert "the challenge stands in c.txt" in err
    assert here(*RUN, "--challenge", "c.txt")[0] == 0
    code, findings, document = verdict(here, "--challenge", challenge.strip())
    assert (code, findings, document["challenge"]) == (0, [], {"answered": True})
    _, other, _ = here("bench", "challenge", "--json")
    code, findings, _ = verdict(here, "--challenge", json.loads(other)["challenge"])
    assert (code, findings) == (3, [("POLICY_FAILED", "challenge")])
    assert here(*RUN, "--out", "plain.json")[0] == 0
    code, findings, _ = verdict(here, "--challenge", "c.txt", receipt="plain.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "challenge")])


def test_a_challenge_is_new_each_time_and_never_looks_like_a_flag(here):
    made = {here("bench", "challenge")[1].strip() for _ in range(5)}
    assert len(made) == 5
    assert all(len(text) == 43 and text[0] != "-" for text in made)


def test_a_challenge_file_is_not_replaced_unasked(here):
    assert here("bench", "challenge", "--out", "c.txt")[0] == 0
    code, out, err = here("bench", "challenge", "--out", "c.txt")
    assert (code, out) == (2, "")
    assert "--force" in err
    assert here("bench", "challenge", "--out", "c.txt", "--force")[0] == 0


def test_a_run_under_a_commitment_verifies_with_it(here):
    code, out, _ = here("bench", "commit", *PLAN, "--json")
    committed = json.loads(out)
    assert code == 0
    assert here(*RUN, "--commitment", "commitment.json")[0] == 0
    code, findings, document = verdict(here, "--commitment", "commitment.json")
    assert (code, findings) == (0, [])
    assert document["commitment"]["precommit_hash"] == committed["precommit_hash"]
    _, text, _ = here("bench", "verify", "reliability.json", "--commitment", "commitment.json")
    words = " ".join(text.split())
    assert "plan committed to at" in words
    assert "somebody else put a timestamp under the commitment" in words
    assert "that this was the only run: no challenge, no ledger" in words
    code, findings, _ = verdict(here, "--commitment", "reliability.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "precommit")])


def test_another_plan_than_the_one_committed_to_is_refused_by_what_differs(here):
    code, text, _ = here("bench", "commit", *PLAN)
    assert code == 0
    assert "k=1, n=1" in text
    code, _, err = here(*RUN, "--attempts", "2", "--agent-name", "x", "--commitment", "commitment.json")
    assert code == 2
    assert "n 2, committed to 1" in err
    assert 'subject.name "x", committed to null' in err
    assert len(err.splitlines()) == 1


def test_a_commitment_of_a_stranger_is_said_to_need_trust_of_its_own(here, monkeypatch, tmp_path):
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "another"))
    assert here("bench", "commit", *PLAN)[0] == 0
    monkeypatch.setenv("PASSFLOOR_HOME", str(tmp_path / "home"))
    code, _, err = here(*RUN, "--commitment", "commitment.json")
    assert code == 0
    assert "whoever verifies the receipt has to trust it as well" in err
    code, findings, _ = verdict(here, "--commitment", "commitment.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "precommit")])


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda document: document.update(signature="x" * 86), "it is header"),
        (lambda document: document.update(committed_at="2999-01-01T00:00:00.000Z"), "it was changed"),
        (lambda document: document.clear(), "it is no commitment"),
    ],
)
def test_a_commitment_that_will_not_count_is_refused_before_the_run(here, tmp_path, edit, why):
    assert here("bench", "commit", *PLAN)[0] == 0
    document = json.loads((tmp_path / "commitment.json").read_text())
    edit(document)
    (tmp_path / "commitment.json").write_text(json.dumps(document))
    code, _, err = here(*RUN, "--commitment", "commitment.json")
    assert code == 2
    assert why in err


def test_what_a_run_was_begun_under_cannot_change_when_it_is_gone_on_with(here):
    assert here("bench", "commit", *PLAN)[0] == 0
    assert here(*RUN, "--challenge", "A" * 43, "--commitment", "commitment.json")[0] == 0
    again = (*RUN, "--resume", "--force")
    assert here(*again)[0] == 0
    assert here(*again, "--challenge", "A" * 43, "--commitment", "commitment.json")[0] == 0
    code, _, err = here(*again, "--challenge", "B" * 43)
    assert code == 2
    assert f"was begun under the challenge {'A' * 43}" in err
    code, _, err = here(*again, "--attempts", "2")
    assert code == 0
    assert "no longer answers to the commitment" in " ".join(err.split())
    code, findings, document = verdict(here, "--commitment", "commitment.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "precommit")])
    assert "attempts were added" in document["commitment"]["problem"]


def test_a_run_begun_without_a_challenge_does_not_get_one_later(here):
    assert here(*RUN)[0] == 0
    code, _, err = here(*RUN, "--resume", "--challenge", "A" * 43)
    assert code == 2
    assert "was begun without a challenge" in err


def test_a_ledger_bears_out_a_run_that_was_gone_on_with(here, tmp_path):
    assert here(*RUN)[0] == 0
    assert here(*RUN, "--resume", "--force", "--attempts", "3")[0] == 0
    code, findings, document = verdict(here, "--ledger", str(tmp_path / "home" / "ledger.jsonl"))
    assert (code, findings) == (0, [])
    assert (document["ledger"]["runs"], document["ledger"]["problems"]) == (1, [])


def test_a_ledger_shows_the_runs_that_were_not_shown(here, tmp_path):
    assert here(*RUN)[0] == 0
    ledger = tmp_path / "home" / "ledger.jsonl"
    first = ledger.read_bytes()
    code, findings, document = verdict(here, "--ledger", str(ledger))
    assert (code, findings) == (0, [])
    assert (document["ledger"]["runs"], document["ledger"]["others"]) == (1, [])
    assert here(*RUN, "--out", "better.json")[0] == 0
    code, findings, document = verdict(here, "--ledger", str(ledger), receipt="better.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "ledger")])
    assert [each["status"] for each in document["ledger"]["others"]] == ["sealed"]
    code, out, _ = here("bench", "verify", "better.json", "--ledger", str(ledger), "--allow-other-runs")
    assert code == 0
    assert "number 1, the same plan, sealed as" in " ".join(out.split())
    (tmp_path / "old.jsonl").write_bytes(first)
    code, findings, document = verdict(here, "--ledger", "old.jsonl", receipt="better.json")
    assert (code, findings) == (3, [("POLICY_FAILED", "ledger")])
    assert "and not" in document["ledger"]["problems"][0]


def test_a_policy_that_is_not_met_refuses_wherever_a_receipt_is_read(here):
    assert here(*RUN)[0] == 0
    for words in (
        ("gate", "reliability.json", "--require-floor", "0"),
        ("report", "reliability.json"),
        ("compare", "reliability.json", "reliability.json"),
    ):
        flags = ("--allow-selection",) if words[0] == "gate" else ()
        assert here("bench", *words, *flags, "--min-k", "1")[0] == 0
        assert here("bench", *words, *flags, "--min-k", "2")[0] == 3


def test_a_run_that_only_completes_says_so_with_or_without_a_gate(here):
    code, out, _ = here(*RUN, "--completion-only")
    assert code == 0
    assert "completion only: an attempt passed where it finished" in " ".join(out.split())
    assert here(*RUN, "--force")[1].count("completion only") == 0
