"""What was said before a run and what its signer's ledger says of it, in lines of at most 80 columns."""

from passfloor.report.escape import show
from passfloor.report.layout import counted, wrapped
from passfloor.verification.account import OtherRun
from passfloor.verification.result import Verification

_MOST = 5


def challenge_lines(outcome: Verification) -> list[str]:
    """That the run answers the challenge, which every attempt's id covers; empty where none was asked for."""
    if not outcome.answered:
        return []
    return wrapped(
        "begun under your challenge: no attempt is older than that (other runs may be under it too)",
        "  ",
        "    ",
    )


def commitment_lines(outcome: Verification) -> list[str]:
    """When the plan was committed to, and whose word that is; empty where no commitment holds."""
    commitment = None if outcome.committed is None else outcome.committed.document
    if outcome.committed is None or commitment is None:
        return []
    sentence = (
        f"plan committed to at {commitment.committed_at}, by the word of "
        f"{show(commitment.signer_fingerprint)}, trusted through {show(outcome.committed.anchor)}; the time "
        "is true only as far as somebody else put a timestamp under the commitment; other "
        "runs of the plan may follow it too"
    )
    return wrapped(sentence, "  ", "    ")


def ledger_lines(outcome: Verification) -> list[str]:
    """What the ledger that was shown holds beside the run; empty where none was."""
    account = outcome.account
    if account is None or account.problems:
        return []
    lines = wrapped(
        f"ledger of {counted(account.runs, 'run')}, this one sealed as here; of the same suite and agent "
        f"{len(account.others) or 'no'} more, of the same suite {account.same_suite or 'no'} more; it is its "
        "signer's own file, of which there may be another",
        "  ",
        "    ",
    )
    if account.interruptions:
        lines += wrapped(f"this run was broken off {counted(account.interruptions, 'time')}", "    ")
    for other in account.others[:_MOST]:
        lines += wrapped(_other(other), "    ", "      ")
    if len(account.others) > _MOST:
        lines.append(f"    and {len(account.others) - _MOST} more (--json lists all)")
    return lines


def _other(other: OtherRun) -> str:
    number = "of elsewhere" if other.run_seq is None else f"number {other.run_seq}"
    plan = "the same plan" if other.same_plan else "another plan"
    made = f"{other.status} as {show(other.receipt_hash)}" if other.receipt_hash else other.status
    return f"run {other.run}, {number}, {plan}, {made}"
