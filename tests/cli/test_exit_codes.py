"""The one table of exit codes."""

import inspect

from passfloor import errors
from passfloor.checking.check import CheckStatus
from passfloor.cli.exits import MEANINGS, Exit, of_error, of_status
from passfloor.verification.findings import Status


def test_the_table_is_this():
    assert {code.name: int(code) for code in Exit} == {
        "DONE": 0,
        "EVIDENCE_SAYS_NO": 1,
        "USAGE": 2,
        "POLICY": 3,
        "UNDECIDED": 4,
        "BUG": 70,
        "INTERRUPTED": 130,
        "BROKEN_PIPE": 141,
        "TERMINATED": 143,
    }
    assert set(MEANINGS) == set(Exit)


def test_every_status_has_its_code():
    assert {status.value: int(of_status(status)) for status in (*Status, *CheckStatus)} == {
        "MATCH": 0,
        "RESOURCE_LIMIT": 4,
        "UNSUPPORTED": 4,
        "MALFORMED_RECEIPT": 1,
        "HASH_MISMATCH": 1,
        "MISSING_RECEIPT": 1,
        "DUPLICATE_ATTEMPT": 1,
        "FABRICATED_SCORE": 1,
        "COORDINATION_DIVERGED": 1,
        "FABRICATED_FLOOR": 1,
        "DIVERGED": 1,
        "UNSIGNED": 1,
        "POLICY_FAILED": 3,
        "PASS": 0,
        "FAIL": 1,
        "UNDECIDED": 4,
    }


def test_a_status_nobody_named_is_a_rejection():
    assert of_status("NEW") == Exit.EVIDENCE_SAYS_NO


def test_every_error_has_its_code():
    ours = {
        name: kind
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if issubclass(kind, errors.PassfloorError)
    }
    codes = {name: int(of_error(kind("x"))) for name, kind in ours.items()}
    assert codes == {
        "ImportRefused": 2,
        "PassfloorError": 4,
        "UsageError": 2,
        "SuiteError": 2,
        "KeyFileError": 2,
        "JsonError": 4,
        "MalformedRunReceiptError": 1,
        "EnvironmentFault": 4,
        "RunStoppedError": 4,
        "PolicyError": 3,
        "JournalError": 2,
    }
