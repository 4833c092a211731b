"""Step 15: what was said before the run, and what its signer's ledger says of it.

None of it can be derived from the attempts. Each is asked for by the relying party, who gave the challenge,
was handed the commitment in time, or is shown the ledger.
"""

from collections.abc import Iterator

from passfloor.models.receipt import ReceiptHead
from passfloor.verification.account import Account, OtherRun
from passfloor.verification.findings import Finding
from passfloor.verification.result import Committed

_MOST_SHOWN = 5


def check_challenge(head: ReceiptHead, challenge: str | None) -> Iterator[Finding]:
    """The run was begun under the challenge that was asked for, so that it is not older than that."""
    named = head.session.challenge
    if challenge is None or named == challenge:
        return
    seen = "the receipt names none" if named is None else f"the receipt names '{named[:128]}'"
    detail = f"asked for a run under challenge '{challenge}', {seen}: have it run with bench run --challenge"
    yield Finding(15, "challenge", detail, path="session.challenge")


def check_commitment(found: Committed | None) -> Iterator[Finding]:
    """The commitment that was given is authentic, and the one that the run was begun under."""
    if found is not None and found.problem:
        yield Finding(15, "precommit", found.problem, path="session.precommit_hash")


def check_ledger(account: Account | None, *, other_runs: bool) -> Iterator[Finding]:
    """The ledger that was given is whole, and holds this run and no other to choose from.

    Args:
        account: What it says.
        other_runs: Further runs of the same suite and agent are accepted.
    """
    if account is None:
        return
    for problem in account.problems:
        yield Finding(15, "ledger", f"{problem}; ask for the ledger as it stands now", path="session.run")
    if account.others and not other_runs:
        shown = ", ".join(_told(other) for other in account.others[:_MOST_SHOWN])
        more = len(account.others) - _MOST_SHOWN
        detail = (
            f"asked for the only run, the ledger holds {len(account.others)} more of this suite and agent: "
            f"{shown}{f' and {more} more' if more > 0 else ''}; ask for their receipts, or accept them with "
            "--allow-other-runs"
        )
        yield Finding(15, "ledger", detail, path="session.run")


def _told(other: OtherRun) -> str:
    plan = "" if other.same_plan else ", another plan"
    name = other.run if other.run_seq is None else f"number {other.run_seq}"
    return f"{name} ({other.status}{plan})"
