"""What a verification says of recorded model calls, in lines of at most 80 columns."""

from passfloor.report.escape import show
from passfloor.report.layout import counted, wrapped
from passfloor.verification.result import Verification
from passfloor.verification.served import Answer

_MOST = 5


def recorded_lines(outcome: Verification) -> list[str]:
    """How much of the recorded attempts was compared, and what was declared to change by itself."""
    lines = []
    if outcome.acts_compared is not None:
        lines += wrapped(f"{counted(outcome.acts_compared, 'act')} compared at shared histories", "    ")
        if not outcome.acts_compared:
            lines += wrapped("no two attempts heard the same, so that only a replay could tell", "    ")
    fields = [] if outcome.head is None else outcome.head.identity_fields
    if fields:
        times = counted(outcome.identity_marks, "place")
        lines += wrapped(
            f"{counted(len(fields), 'identity field')} declared, found at {times}: "
            + "; ".join(show(field) for field in fields[:_MOST])
            + ("; ..." if len(fields) > _MOST else ""),
            "    ",
            "      ",
        )
    return lines


def graders_lines(outcome: Verification) -> list[str]:
    """How many answers of graders with code were derived again."""
    if not outcome.graders_run:
        return []
    answers = counted(outcome.graders_run, "answer")
    return wrapped(f"{answers} of graders with code, each run here twice", "  ", "    ")


def attested_lines(outcome: Verification) -> list[str]:
    """How many verdicts are in part the signer's word."""
    sentence = attested_sentence(outcome)
    return wrapped(sentence, "  ", "    ") if sentence else []


def attested_sentence(outcome: Verification) -> str:
    """How many verdicts are in part the signer's word; empty where none is."""
    if not outcome.attested:
        return ""
    attempts = sum(number for _, _, number in outcome.distinct_outputs)
    return (
        f"{len(outcome.attested)} of {counted(attempts, 'verdict')}, in part: by graders with code that gave "
        "no answer here, or over what is kept as a digest alone"
    )


def redacted_lines(outcome: Verification) -> list[str]:
    """What was taken out of the receipt, and whose it was before."""
    sentence = redacted_sentence(outcome)
    return wrapped(sentence, "  ", "    ") if sentence else []


def redacted_sentence(outcome: Verification) -> str:
    """What was taken out of the receipt, and whose it was before; empty where nothing was."""
    if outcome.redacted is None:
        return ""
    redaction = outcome.redacted.redaction
    through = outcome.redacted.anchor
    trust = f"trusted through {show(through)}" if through else "not trusted"
    return (
        f"redacted: {counted(len(redaction.blobs), 'value')} taken out of receipt {redaction.receipt_hash}, "
        f"which {show(redaction.signer_fingerprint)} signed, {trust}"
    )


def vouched_lines(outcome: Verification) -> list[str]:
    """What the check statement that was given says, and whose word that is."""
    sentence = vouched_sentence(outcome)
    return wrapped(sentence, "  ", "    ") if sentence else []


def vouched_sentence(outcome: Verification) -> str:
    """What the check statement that was given says, and whose word that is; empty where none was."""
    if outcome.vouched is None:
        return ""
    statement = outcome.vouched.document
    if statement is None:
        return f"the check statement is refused: {show(outcome.vouched.problem, 400)}"
    counts = statement.counts
    attempts = sum(number for _, _, number in outcome.distinct_outputs)
    how = "replayed" if statement.mode == "replay" else "re-ran"
    undecided = f", {counts.undecided} undecided" if counts.undecided else ""
    return (
        f"{how} {counts.attempts} of {counted(attempts, 'attempt')} at {statement.checked_at}: coordination "
        f"identical in {counts.coordination_identical}, byte for byte in {counts.byte_identical}{undecided}; "
        f"by the word of {show(statement.signer_fingerprint)}, trusted through {show(outcome.vouched.anchor)}"
    )


def served_lines(outcome: Verification) -> list[str]:
    """Which models providers said that they served; a warning where that changed within the run."""
    told = sorted(
        {answer for served in outcome.served for answers in served.answers.values() for answer in answers},
        key=lambda answer: (answer[0] or "", answer[1] or ""),
    )
    if not told:
        return []
    named = "; ".join(_named(answer) for answer in told[:_MOST]) + ("; ..." if len(told) > _MOST else "")
    lines = wrapped(f"served, by the provider's word: {named}", "  ", "    ")
    changes = outcome.changed_models
    for change in changes[:_MOST]:
        where = f"task {show(change.task_id)}, attempt {change.attempt}"
        lines += wrapped(
            f"warning: the served model changed within the run, first in {where}: {_named(change.first)} "
            f"before, {_named(change.then)} there; the figures are of both",
            "  ",
            "    ",
        )
    if len(changes) > _MOST:
        lines.append(f"    and {len(changes) - _MOST} more changes (--json lists all)")
    return lines


def _named(answer: Answer) -> str:
    model, fingerprint = answer
    name = show(model) if model is not None else "no model named"
    return name if fingerprint is None else f"{name} (fingerprint {show(fingerprint)})"
