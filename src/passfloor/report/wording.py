"""The closed lists of sentences: one a status, one for everything that no receipt can show."""

from collections.abc import Collection, Iterable

from passfloor.verification.findings import Status
from passfloor.verification.result import HISTORY

VERDICTS = {
    Status.MATCH: "every claim follows from the embedded attempts, and a trusted key signed it",
    Status.RESOURCE_LIMIT: "not judged: a limit was passed, which says nothing about the receipt",
    Status.UNSUPPORTED: "not judged: this version of passfloor does not know a part of it",
    Status.MALFORMED_RECEIPT: "it is not a well-formed reliability receipt",
    Status.HASH_MISMATCH: "the content is not what was hashed",
    Status.MISSING_RECEIPT: "attempts or evidence are missing",
    Status.DUPLICATE_ATTEMPT: "an attempt stands where another belongs",
    Status.FABRICATED_SCORE: "a claimed verdict does not follow from its attempt",
    Status.COORDINATION_DIVERGED: "coordination was not held fixed, so the floor is inadmissible",
    Status.FABRICATED_FLOOR: "a claimed figure does not follow from the attempts",
    Status.DIVERGED: "the scorer could not judge the attempts again",
    Status.UNSIGNED: "nobody who is trusted signed it",
    Status.POLICY_FAILED: "authentic and consistent, but a demanded policy is not met",
}
"""What each verification status means, in one sentence."""

TEST_GRADE_MATCH = "every claim follows from the embedded attempts; anybody can make this test signature"

CHECKS = {
    "PASS": "coordination came out as recorded in every attempt compared",
    "FAIL": "coordination was not held fixed, so the floor may measure it",
    "UNDECIDED": "could not tell",
}
"""What each verdict of a determinism check means, in one sentence."""

GATES = {
    "passed": "every clause holds",
    "failed": "a clause does not hold",
    "undecided": "could not tell, which is not passed",
}
"""What each decision of a gate means, in one sentence."""

NOT_COVERED = {
    "events_happened": "that the recorded events really took place",
    "only_run": "that this was the only run",
    "subject_code": "code that the agent imports (the digest covers the command and the files it names)",
    "timing": "times: numbers in ts and elapsed_s may hold anything",
    "answers": "whether any answer was right: no assertion was consulted (--completion-only)",
    "other_tasks": "the tasks of the suite that were not selected",
    "suite_choice": "that the suite is the one you mean: its signer chose it (name yours with --suite)",
    "coordination": "that coordination was held fixed: it was not recorded",
    "unrecorded_acts": (
        "what reached neither recorded calls, journal, output nor files; the order of acts that do not "
        "depend on each other; races; what followed once attempts had heard different answers"
    ),
    "served_model": "which model answered: names and fingerprints are the provider's word",
    "imported": (
        "that the source's log is whole and true: imported, not witnessed; nobody saw these attempts, nor "
        "that they were independent"
    ),
    "redacted": (
        "what was taken out since, and that nothing else was changed: who redacted seals what is left; "
        "whoever holds the original can tell"
    ),
}
"""What no receipt can show, by the name it has in machine output."""


def not_covered(names: Iterable[str], established: Collection[str] = ()) -> list[str]:
    """The sentences of these names, in order.

    Args:
        names: Of ``NOT_COVERED``.
        established: What was asked for to see whether it was the only run, and held; of ``HISTORY``.
    """
    lacking = [f"no {name}" for name in HISTORY if name not in established]
    why = ", ".join(lacking) if lacking else "its ledger is its signer's own file"
    return [f"{NOT_COVERED[name]}: {why}" if name == "only_run" else NOT_COVERED[name] for name in names]


COMPLETION_ONLY = "completion only: an attempt passed where it finished, whatever it answered"
"""What ``--completion-only`` measures."""

IMPORTED_NOTE = "imported, not witnessed: the attempts are what another tool's log says"
"""What stands beside every figure of an imported receipt."""

COORDINATION = {True: "held fixed", False: "DIVERGED", None: "not recorded"}
