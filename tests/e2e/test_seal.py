"""A run made where no key is, and sealed where one is."""

import json
import shutil
import time

import pytest

from passfloor.journal.run_folder import RunFolder

AGENT = ("--agent", "echo yes")
UNSEALED = ("--reliability", 2, "--no-seal", *AGENT)


class Place:
    """The machine that ran the agent, and the one that holds the key: two homes, and a copied folder."""

    def __init__(self, cli):
        self.cli = cli
        self.signer = {"PASSFLOOR_HOME": str(cli.home / "signer")}
        self.copied = cli.home / "copied"

    def run(self, *words, code=0, suite=("t", "u")):
        told = self.cli.json("bench", "run", self.cli.suite(*suite), *UNSEALED, *words, code=code)
        self.id = told["run"]
        self.folder = self.cli.cwd / ".passfloor" / "runs" / self.id
        return told

    def carry(self):
        shutil.copytree(self.folder, self.copied / self.id, dirs_exist_ok=True)
        return self.copied / self.id

    def seal(self, *words, **options):
        return self.cli("bench", "seal", self.copied / self.id, *words, env=self.signer, **options)

    def sealed(self, *words):
        return self.cli.json("bench", "seal", self.copied / self.id, *words, env=self.signer)

    def lines(self, home):
        ledger = (home / "ledger.jsonl").read_text().splitlines()
        return [json.loads(line)["body"] for line in ledger]


@pytest.fixture
def place(cli):
    return Place(cli)


def test_a_run_is_sealed_elsewhere_and_verifies_like_any_other(place, cli):
    told = place.run()
    assert (told["receipt"], told["pass_caret_k"], told["identity_created"]) == (None, None, False)
    assert not (cli.cwd / "reliability.json").exists()
    assert [path.name for path in cli.identity.iterdir() if path.name == "keys"] == []
    place.carry()
    shutil.rmtree(cli.cwd / ".passfloor")
    (cli.cwd / "suite.json").rename(cli.cwd / "mine.json")

    sealed = place.sealed()
    assert (sealed["run"], sealed["identity_created"]) == (place.id, True)
    assert (sealed["pass_caret_k"], sealed["counts"]["passed"]) == (1.0, 4)
    words = ("bench", "verify", "reliability.json", "--suite", "mine.json")
    assert cli.json(*words, env=place.signer)["status"] == "MATCH"
    receipt = json.loads((cli.cwd / "reliability.json").read_bytes())
    [started] = place.lines(cli.identity)
    assert (started["event"], started["run_seq"]) == ("start", 1)
    assert (receipt["session"]["run_seq"], receipt["session"]["started_at"]) == (1, started["at"])
    [line] = place.lines(cli.home / "signer")
    assert (line["event"], line["run"], line["run_seq"]) == ("seal", place.id, 1)
    assert line["receipt_hash"] == receipt["receipt_hash"]
    assert cli.json("bench", "runs", "list", env=place.signer)["runs"][0]["status"] == "completed"


def test_a_sealed_run_is_sealed_again_only_when_asked_and_as_the_same_receipt(place, cli, expect_refusal):
    place.run()
    place.carry()
    place.sealed()
    first = (cli.cwd / "reliability.json").read_bytes()
    said = expect_refusal(place.seal("--out", "again.json"), 2)
    assert "was sealed already" in said
    assert not (cli.cwd / "again.json").exists()
    assert "exists" in expect_refusal(place.seal(), 2)
    place.sealed("--force", "--out", "again.json")
    assert (cli.cwd / "again.json").read_bytes() == first
    # The key that counted then signs it, also once another has taken over.
    cli.good("key", "rotate", env=place.signer)
    place.sealed("--force")
    assert (cli.cwd / "reliability.json").read_bytes() == first
    assert [line["event"] for line in place.lines(cli.home / "signer")] == ["seal"]


def test_a_seal_that_a_run_brings_along_does_not_choose_the_time_of_the_new_one(place, cli):
    place.run()
    place.carry()
    backdated = 1_769_851_861.5
    folder = RunFolder.open(place.copied / place.id)
    with folder.write() as journal:
        journal.sealed("0" * 64, "2026-01-31T09:31:00.000Z", backdated, out=None, suite_embedded=False)
    before = time.time()
    done = place.seal("--force", "--json")
    assert (done.returncode, "sealed anew, as of now" in " ".join(done.stderr.split())) == (0, True)
    receipt = json.loads((cli.cwd / "reliability.json").read_bytes())
    assert receipt["emitted_at"] >= before
    assert "suite" in receipt
    # It is this identity's from here on, and comes out the same again.
    first = (cli.cwd / "reliability.json").read_bytes()
    place.sealed("--force")
    assert (cli.cwd / "reliability.json").read_bytes() == first
    assert [line["event"] for line in place.lines(cli.home / "signer")] == ["seal"]


def test_a_second_copy_of_a_run_is_not_sealed_under_the_same_identity_unasked(place, cli, expect_refusal):
    place.run()
    place.carry()
    first = place.sealed("--out", "first.json")
    shutil.rmtree(place.copied)
    place.carry()
    told = expect_refusal(place.seal("--out", "second.json"), 2)
    assert (
        f"was sealed here already, as {json.loads((cli.cwd / 'first.json').read_bytes())['receipt_hash']}"
        in told
    )
    assert not (cli.cwd / "second.json").exists()
    again = place.sealed("--out", "second.json", "--force")
    assert again["run"] == first["run"]


def test_an_unfinished_run_is_finished_where_it_was_begun(place, cli, expect_refusal):
    agent = cli.write("agent.sh", f"test -e {cli.cwd}/works || exit 3; echo yes")
    cli.suite("t")
    # One at a time: an eleventh that is under way when the tenth errs counts as well.
    words = ("bench", "run", "suite.json", "--reliability", 12, "--no-seal", "--agent", f"sh {agent}")
    words += ("--concurrency", 1)
    stopped = cli(*words, "--json")
    assert stopped.returncode == 4
    assert "--no-seal" in stopped.stderr
    place.id = json.loads(stopped.stdout)["run"]
    place.folder = cli.cwd / ".passfloor" / "runs" / place.id
    place.carry()
    said = expect_refusal(place.seal("--suite", "suite.json"), 2)
    assert "has 10 of 12 attempts" in said
    assert "--no-seal --resume" in said
    (cli.cwd / "works").touch()
    cli.good(*words, "--resume")
    place.carry()
    assert place.sealed()["counts"] == {
        "tasks": 1,
        "attempts": 12,
        "passed": 2,
        "wrong": 0,
        "errored": 10,
        "tasks_any": 1,
        "tasks_all": 0,
    }


def test_a_run_that_does_not_bear_itself_out_is_not_sealed(place, cli):
    """Whoever ran the agent makes the journal anew, chain and all, with a verdict that nothing supports."""
    place.run("--agent", "echo no")
    folder = place.carry()
    remake(folder, b'"outcome":"wrong","passed":false', b'"outcome":"passed","passed":true')
    refused = place.seal()
    assert refused.returncode == 1
    assert (refused.stdout, refused.stderr.count("\n")) == ("", 1)
    assert "is not sealed, a verifier would say FABRICATED_SCORE/" in refused.stderr
    assert not (cli.cwd / "reliability.json").exists()
    assert not (cli.home / "signer").exists()


def remake(folder, old, new):
    """Edit the journal and compute its chain anew."""
    from passfloor import chains
    from passfloor.journal.run_folder import RunFolder

    path = folder / "journal.jsonl"
    before, remade = RunFolder.open(folder)._before, []
    for number, line in enumerate(path.read_bytes().splitlines()):
        body = line[len(b'{"body":') : line.rindex(b',"chain":')]
        edited = body.replace(old, new)
        before = chains.link(before, edited)
        remade.append(chains.line(number, before, edited))
    assert path.read_bytes() != b"".join(remade)
    path.write_bytes(b"".join(remade))


def test_a_broken_chain_another_suite_or_a_strange_folder_is_refused(place, cli, expect_refusal):
    place.run()
    folder = place.carry()
    journal = folder / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b'"passed":true', b'"passed":tru3', 1))
    assert "journal.jsonl" in expect_refusal(place.seal(), 2)
    journal.write_bytes(whole)
    cli.suite("t", "u", "v", name="other.json")
    said = expect_refusal(place.seal("--suite", "other.json"), 2)
    assert "name the suite that was run" in said
    (folder / "unsealed.json").unlink()
    assert "brought no suite along" in expect_refusal(place.seal(), 2)
    folder.rename(folder.with_name("renamed"))
    expect_refusal(cli("bench", "seal", folder.with_name("renamed"), env=place.signer), 2)
    expect_refusal(cli("bench", "seal", "20260131T093000Z-0a1b2c", env=place.signer), 2)
    assert not (cli.home / "signer").exists()
    folder.with_name("renamed").rename(folder)
    assert place.seal("--suite", "suite.json").returncode == 0


def test_what_was_left_for_another_run_is_refused(place, cli, expect_refusal):
    place.run()
    folder = place.carry()
    left = folder / "unsealed.json"
    good = left.read_text()
    for text in (
        "{}",
        "not json",
        good.replace(place.id, "20200131T093000Z-0a1b2c"),
        good.replace("ended_at", "x"),
    ):
        left.write_text(text)
        assert "unsealed.json" in expect_refusal(place.seal(), 2)
    left.write_text(good)
    assert place.seal().returncode == 0


def test_flags_of_a_seal_have_no_meaning_where_none_is_made(place, cli, expect_refusal):
    for flag in ("--stub-signer", "--force", "--embed-suite"):
        said = expect_refusal(cli("bench", "run", cli.suite("t"), *UNSEALED, flag), 2)
        assert f"leave {flag} out" in said
    cli.good("bench", "run", cli.suite("t"), "--reliability", 2, *AGENT)
    said = expect_refusal(cli("bench", "run", cli.suite("t"), *UNSEALED, "--resume"), 2)
    assert "is sealed already" in said


def test_a_run_is_sealed_where_it_was_made_as_well(place, cli):
    place.run()
    told = cli.json("bench", "seal", place.id)
    assert told["run"] == place.id
    assert [line["event"] for line in place.lines(cli.identity)] == ["start", "end"]
    # And a resumed run without the flag is sealed as ever.
    told = cli.json("bench", "run", cli.suite("x"), *UNSEALED)
    sealed = cli.json(
        "bench", "run", cli.suite("x"), "--reliability", 2, *AGENT, "--resume", "--out", "x.json"
    )
    assert sealed["run"] == told["run"]
    cli.good("bench", "verify", "x.json", "--suite", "suite.json")


def test_a_double_is_sealed_by_the_stub_alone(cli, expect_refusal):
    told = cli.json("bench", "run", "golden-v1", "--reliability", 1, "--adapter", "mock", "--no-seal")
    assert "only --stub-signer may sign for it" in expect_refusal(cli("bench", "seal", told["run"]), 2)
    cli.good("bench", "seal", told["run"], "--stub-signer")
    cli.good("bench", "verify", "reliability.json", "--allow-stub")
