"""Step 16: what the relying party demands beyond authenticity and consistency."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from passfloor.aggregate import Numbers
from passfloor.models.receipt import ReceiptHead
from passfloor.verification.demands import Demands, ExpectedSubject
from passfloor.verification.findings import MOST_ALIKE, Finding
from passfloor.verification.steps.session import seconds_of


def check(head: ReceiptHead, *, allow_unrecorded: bool, unreplayed: str = "") -> Iterator[Finding]:
    """Evidence whose coordination was not recorded counts only where the relying party says so.

    Args:
        head: The receipt.
        allow_unrecorded: It does.
        unreplayed: Why the replay that is demanded is not vouched for; empty where it is, or none is.
    """
    if head.coordination_rule == "unrecorded" and not allow_unrecorded:
        detail = "coordination was not recorded; --allow-unrecorded accepts the figures without that claim"
        yield Finding(16, "coordination_unrecorded", detail, path="coordination_rule")
    if unreplayed:
        detail = (
            f"{unreplayed}; make a statement over every attempt with reliability-check --all --out FILE, "
            "and name it with --check"
        )
        yield Finding(16, "replayed_coordination", detail)


def check_demands(
    head: ReceiptHead,
    demands: Demands,
    numbers: Numbers | None,
    distinct: Sequence[tuple[str, int, int]],
    now: float,
) -> Iterator[Finding]:
    """Each demand that is not met, with what was asked, what is there and what to do.

    Args:
        head: The receipt.
        demands: What is asked.
        numbers: The figures as re-derived; None where they could not be.
        distinct: Per task id, how many different outputs stand among how many attempts.
        now: Seconds since the epoch.
    """
    if demands.min_floor is not None:
        yield from _floor(head, demands, demands.min_floor, numbers)
    if demands.min_k is not None and head.k < demands.min_k:
        detail = (
            f"asked for k of at least {demands.min_k}, the run has k={head.k}: have it run with "
            f"--reliability {demands.min_k}, or look with bench report -k at what its n={head.n} supports"
        )
        yield Finding(16, "k", detail, path="k")
    if demands.suite_hash is not None and head.suite_hash != demands.suite_hash:
        part = "" if head.selection is None else f", a part of {head.selection.of}"
        detail = f"asked for the suite {demands.suite_hash}, the run is over {head.suite_hash}{part}"
        yield Finding(16, "expected_suite", f"{detail}: have it run over the one you mean", path="suite_hash")
    if demands.subject is not None:
        yield from _subject(head, demands.subject)
    if demands.max_age is not None:
        yield from _age(head, demands.max_age, now)
    if demands.distinct_outputs:
        yield from _distinct(distinct)


def _floor(
    head: ReceiptHead, demands: Demands, least: Fraction, numbers: Numbers | None
) -> Iterator[Finding]:
    asked = f"asked for pass^{head.k} of at least {_decimal(least)}"
    if numbers is None:
        detail = f"{asked}, and no figure could be derived: look at the other findings"
    elif numbers.pass_hat_k < least:
        detail = (
            f"{asked}, the attempts give {numbers.pass_hat_k} = {_decimal(numbers.pass_hat_k)}: "
            "look with bench report at which tasks are flaky"
        )
    elif head.completion_only:
        detail = (
            f"{asked}, and no answer was judged (--completion-only): have it run with assertions, or decide "
            "with bench gate --allow-completion-only"
        )
    elif head.selection is not None and demands.suite_hash is None:
        detail = (
            f"{asked} over the suite, and the run is over a part of it: have the whole run, or accept this "
            f"part with --expect-suite-hash {head.suite_hash}"
        )
    else:
        return
    yield Finding(16, "floor", detail, path="pass_caret_k")


def _subject(head: ReceiptHead, expected: ExpectedSubject) -> Iterator[Finding]:
    subject = head.subject
    pairs = (
        ("adapter_digest", expected.adapter_digest, subject.adapter_digest, "how the agent was invoked"),
        ("name", expected.name, subject.name, "the name"),
        ("version", expected.version, subject.version, "the version"),
    )
    for member, asked, seen, what in pairs:
        if asked is not None and asked != seen:
            said = "nothing" if seen is None else f"'{seen[:200]}'"
            detail = (
                f"asked for '{asked}', the receipt says {said}: {what} is its signer's word; have the agent "
                "that you mean run, and named so"
            )
            yield Finding(16, "subject", detail, path=f"subject.{member}")


def _age(head: ReceiptHead, most: float, now: float) -> Iterator[Finding]:
    began = seconds_of(head.session.started_at)
    if began is not None and now - began <= most:
        return
    seen = "at no time that exists" if began is None else f"{_span(now - began)} ago"
    detail = (
        f"asked for a run begun at most {_span(most)} ago, it began {seen} by its signer's clock "
        f"({head.session.started_at}): have it run again"
    )
    yield Finding(16, "age", detail, path="session.started_at")


def _distinct(distinct: Sequence[tuple[str, int, int]]) -> Iterator[Finding]:
    alike = [(task_id, number, attempts) for task_id, number, attempts in distinct if number < attempts]
    for task_id, number, attempts in alike[:MOST_ALIKE]:
        detail = (
            f"asked for a different output in every attempt, seen {number} among {attempts}: copies, a "
            "cache, a fixed seed or an agent that samples nothing look like that; a challenge rules old "
            "copies out"
        )
        yield Finding(16, "distinct_outputs", detail, task_id, path="task_results")


def _decimal(number: Fraction) -> str:
    """Six digits after the point at most; what stands beside it is exact."""
    return f"{float(number):.6f}".rstrip("0").rstrip(".")


def _span(seconds: float) -> str:
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds:.0f}s"
