"""The text of verify and check, to the letter."""

import pytest

from passfloor.checking.check import AttemptCheck, Check
from passfloor.report.terminal import check_report, verification_report
from passfloor.running.plan import Claims
from passfloor.verification.findings import Finding
from passfloor.verification.result import Verification
from passfloor.verification.verifier import NOT_ESTABLISHED

MATCH = """\
overall: MATCH (TEST-GRADE)
every claim follows from the embedded attempts; anybody can make this test
signature

re-derived:
  suite own-v1, named by the relying party
  suite hash {suite_hash}
  pass^2 floor 50.0%
  pass@2 ceiling 66.7% (pass_at_1 in the receipt)
  success rate 58.3%
  3 tasks x 4 attempts: 7 passed, 3 wrong, 2 errored
  coordination held fixed (rule 'identical')
  5 distinct outputs among 12 attempts

asserted by the signer:
  signer {signer}
    trusted through the public test stub
  agent A 1.2 (adapter 'custom')
  model M
  run 20231114T221320Z-000000
    2023-11-14T22:13:20.000Z to 2023-11-14T22:13:20.000Z
  environment Test-1.0
  k=2 because: two

not covered:
  that the recorded events really took place
  that this was the only run: no challenge, no commitment, no ledger
  code that the agent imports (the digest covers the command and the files it
    names)
  times: numbers in ts and elapsed_s may hold anything"""

FABRICATED = """\
overall: FABRICATED_FLOOR
a claimed figure does not follow from the attempts
  HASH_MISMATCH/receipt_hash (step 4): receipt_hash
"""

MALFORMED = """\
overall: MALFORMED_RECEIPT
it is not a well-formed reliability receipt
  MALFORMED_RECEIPT/parse (step 1)
    not JSON

re-derived:
  nothing: the receipt cannot be read

asserted by the signer:
  nothing: the receipt cannot be read

not covered:
"""


def test_a_match_reads_like_this(sealed, judged):
    run = sealed(claims=Claims("A", "1.2", "M", "two"))
    text = verification_report(judged(run))
    receipt = run[2]
    assert text == MATCH.format(suite_hash=receipt.suite_hash, signer=receipt.signer_fingerprint)
    assert max(map(len, text.splitlines())) <= 80


def test_a_forged_floor_reads_like_this(sealed, judged):
    text = verification_report(judged(sealed(), lambda document: document.update(pass_caret_k=1.0)))
    assert text.startswith(FABRICATED)
    assert "FABRICATED_FLOOR/pass_caret_k (step 14): pass_caret_k\n    claims 1.0, the attempts" in text
    assert "cannot be attributed to the named signer" in " ".join(text.split())
    assert "    not trusted\n" in text
    assert "  pass^2 floor 50.0%\n" in text


def test_what_cannot_be_read_still_ends_with_the_three_lists():
    outcome = Verification((Finding(1, "parse", "not JSON"),), not_established=NOT_ESTABLISHED)
    assert verification_report(outcome).startswith(MALFORMED)


def test_no_figures_are_printed_where_verdicts_could_not_be_rederived(sealed, judged):
    text = verification_report(judged(sealed(), lambda document: document["task_results"].pop()))
    assert text.startswith("overall: MISSING_RECEIPT\n")
    assert "no figures: not every verdict could be re-derived" in text
    assert "floor" not in text.partition("re-derived:")[2].partition("asserted")[0]


def test_one_output_a_task_is_pointed_out(sealed, judged):
    text = " ".join(verification_report(judged(sealed({"a": ["yes", "yes"]}))).split())
    assert "1 distinct output among 2 attempts: one a task, so cached, seeded or deterministic" in text
    single = verification_report(judged(sealed({"a": ["yes"]}, k=1)))
    assert "1 distinct output among 1 attempt\n" in single


def test_many_findings_are_counted_and_not_all_listed():
    found = tuple(Finding(12, "score", "x", task_id="t", attempt=index) for index in range(25))
    text = verification_report(Verification(found))
    assert text.count("FABRICATED_SCORE/score (step 12): task t, attempt") == 20
    assert "and 5 more findings (--json lists all)" in text


HOSTILE = "a\x1b[31m\x9b\u202e\r\n[red]x"


def test_hostile_text_is_escaped_wherever_it_may_stand(sealed, judged):
    def edit(document):
        document["suite_version"] = HOSTILE
        document["k_reason"] = HOSTILE
        document["signer_fingerprint"] = HOSTILE
        document["environment"][0]["platform"] = HOSTILE
        document["subject"].update(name=HOSTILE, version=HOSTILE, model=HOSTILE, adapter=HOSTILE)
        document["task_results"][0]["task_id"] = HOSTILE

    outcome = judged(sealed(), edit)
    finding = Finding(12, "score", HOSTILE, task_id=HOSTILE, path=HOSTILE)
    found = Verification((finding, *outcome.findings), head=outcome.head, anchor=HOSTILE)
    attempt = AttemptCheck(HOSTILE, 0, False, False, "x", HOSTILE)
    for text in (
        verification_report(outcome),
        verification_report(found),
        check_report(Check(Verification(()), (attempt,))),
        check_report(Check(Verification(()), undecided=HOSTILE)),
        check_report(Check(found)),
    ):
        assert not any(character in text for character in "\x1b\x9b\u202e\r")
        assert "\n[red]" not in text
        assert "a\\x1b[31m\\x9b\\u202e\\r\\n[red]x" in text


def attempt(index=0, *, held=True, same=True, detail="", inconclusive=False):
    return AttemptCheck("t", index, held, same, None, detail, inconclusive)


def test_a_passing_check_reads_like_this():
    text = check_report(Check(Verification(()), (attempt(0), attempt(1, same=False))))
    assert text == (
        "reliability-check: PASS\n"
        "coordination came out as recorded in every attempt compared\n"
        "re-ran 2 attempts: coordination identical in 2, the output as well in 1"
    )


def test_a_failing_check_names_the_field():
    parted = attempt(1, held=False, same=False, detail="events[1].to ('r' != 'q')")
    text = check_report(Check(Verification(()), (attempt(0), parted)))
    assert text == (
        "reliability-check: FAIL\n"
        "coordination was not held fixed, so the floor may measure it\n"
        "re-ran 2 attempts: coordination identical in 1, the output as well in 1\n"
        "  task t, attempt 1 (recorded != re-run): events[1].to ('r' != 'q')"
    )


def test_an_undecided_check_says_why():
    cut = attempt(0, held=False, same=False, detail="the re-run errored", inconclusive=True)
    text = check_report(Check(Verification(()), (cut,)))
    assert text.startswith("reliability-check: UNDECIDED\ncould not tell\n")
    assert text.endswith("\n  task t, attempt 0: the re-run errored")
    other = check_report(Check(Verification(()), undecided="another agent"))
    assert other == "reliability-check: UNDECIDED\ncould not tell\nanother agent"


@pytest.mark.parametrize(("step", "code", "ran"), [(4, "receipt_hash", False), (14, "counts", True)])
def test_a_check_of_a_receipt_with_findings_tells_them(step, code, ran):
    verification = Verification((Finding(step, code, "why"),))
    text = check_report(Check(verification, (attempt(0),) if ran else ()))
    assert text.startswith(f"reliability-check: {'PASS' if ran else verification.status}\n")
    assert (f"the receipt itself is rejected: {verification.status}" in text) is ran
    assert ("nothing was run" in text) is not ran


def test_a_gate_fixed_before_the_run_is_shown_and_not_decided(sealed, judged):
    gate = {"require_floor": "0.5", "must_pass:a\x1b[1m": "1"}
    text = verification_report(judged(sealed(plan_update={"gate": gate})))
    shown = " ".join(text.split())
    assert "gate fixed before the run: must_pass:a\\x1b[1m 1, require_floor 0.5 (decide it with" in shown
    many = {f"must_pass:t{i:02d}": "1" for i in range(25)}
    text = verification_report(judged(sealed(plan_update={"gate": many})))
    assert "must_pass:t19 1 and 5 more (decide it" in " ".join(text.split())
