"""The sentences of a report: what each pile asks for, what weakens a reading, which figure to quote."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from passfloor.models.plan import SYNTHETIC
from passfloor.models.receipt import Counts
from passfloor.report.envelope.model import Kind, Quote, Remark, Source, WhoChecks
from passfloor.report.escape import show
from passfloor.report.imported import rule_words
from passfloor.report.layout import counted
from passfloor.report.wording import (
    COMPLETION_ONLY,
    COORDINATION,
    IMPORTED_NOTE,
    TEST_GRADE_MATCH,
    VERDICTS,
)
from passfloor.stats import ruled_out
from passfloor.verification.findings import Status

FEW_TASKS = 20
"""With fewer tasks than these a pair of figures is a rough position."""

KINDS: Mapping[Kind, str] = {
    "always": "always pass",
    "flaky": "flaky",
    "never_same": "never pass, always the same wrong answer",
    "never_scattered": "never pass, different wrong answers",
    "never": "never pass",
}
"""What each kind of task is called."""

UNNAMED: Mapping[WhoChecks, str] = {
    "nobody": "nobody",
    "oracle": "a check that knows the right answer",
    "person": "a person",
    "batch": "nobody",
}
"""Who picks, where it was given no name."""

ESTIMATOR = "per task, then mean over tasks; pass@k = 1 - C(n-c,k)/C(n,k), pass^k = C(c,k)/C(n,k)"


def proof(source: Source) -> Iterator[str]:
    """By which rule imported records were read; by which one recorded calls held, and who replayed them."""
    if source.importer is not None:
        rule = rule_words(dict(source.import_rule)) or "not in the receipt"
        yield f"imported : by '{show(source.importer)}'; the rule that decided each record: {rule}"
    if source.rule == "causal" or source.check:
        yield f"held by  : the rule '{source.rule}': {COORDINATION[source.coordination].lower()}"
        yield f"replay   : {source.check or 'not proved by one; see reliability-check --out'}"


@dataclass(frozen=True)
class Facts:
    """What decides which warnings are said.

    Attributes:
        identical_outputs: Every task gave one and the same output in all its attempts.
        first_error: The first errored attempt's error; empty where that is not known.
        drift: How the success rate moves with the order of attempts; empty where nothing is to be said.
        adapter: The adapter's key; empty for rows.
        interrupted: Attempts that were begun more than once.
        completion_only: No assertion was consulted.
    """

    n: int
    k: int
    counts: Counts
    identical_outputs: bool = False
    first_error: str = ""
    drift: str = ""
    served: tuple[str, ...] = ()
    adapter: str = ""
    interrupted: int = 0
    completion_only: bool = False


def standing(source: Source) -> str:
    """What stands behind the attempts, in one sentence, and what a pass means where no answer was judged."""
    beside = [COMPLETION_ONLY] * source.completion_only + [IMPORTED_NOTE] * source.imported
    return "; ".join([_verdict(source), *beside])


def _verdict(source: Source) -> str:
    if source.kind == "rows":
        return "UNSEALED: bare rows, without evidence or signature; nothing could be verified"
    verdict = VERDICTS[Status(source.status)]
    if not source.verified:
        return f"UNVERIFIED ({source.status}: {verdict}): the figures below are of what the receipt claims"
    if source.assurance == "test":
        return f"MATCH (TEST-GRADE): {TEST_GRADE_MATCH}"
    return f"MATCH: {verdict}"


def quote(who: WhoChecks, picker: str, k: int, values: Mapping[str, Fraction]) -> Quote:
    """The figure that a product lives on: by who looks at an attempt before it takes effect.

    Args:
        who: Who that is.
        picker: What an oracle or a person is called; empty where it has no name.
        k: The draw size.
        values: Figure -> value.
    """
    match who:
        case "oracle":
            because = f"{picker or UNNAMED[who]} picks an attempt before it takes effect"
            return Quote("pass@k", values["pass@k"], because)
        case "person":
            return Quote(
                "success rate",
                values["success rate"],
                f"{picker or UNNAMED[who]} reviews every single output",
            )
        case "batch":
            return Quote("batch", values["batch"], f"a batch of {k} different jobs must all succeed")
        case "nobody":
            return Quote("pass^k", values["pass^k"], "nobody checks")


def not_covered(n: int, *, of_batch: bool) -> tuple[str, ...]:
    """What no figure here speaks about."""
    batch = () if of_batch else ("a batch of different jobs",)
    return (f"k above {n}", *batch, "grader error", "traffic the suite lacks")


def advice(piles: Mapping[Kind, int], n: int) -> Iterator[Remark]:
    """What to do about each pile that is not empty."""
    flaky, always, same, scattered = (piles[k] for k in ("flaky", "always", "never_same", "never_scattered"))
    never = piles["never"] + same + scattered
    if flaky:
        text = "it can do these and sometimes does not; a picker helps, unattended use hurts"
        yield Remark("flaky", f"flaky ({flaky}): {text}")
    if never:
        text = "a missing capability or a broken task; more tries will not help"
        yield Remark("never", f"never ({never}): {text}")
    if same:
        text = "gave the same wrong answer every time: read the task and its assertions"
        yield Remark("never_same", f"  {same} of them {text}")
    if scattered:
        text = "gave different wrong answers: it cannot do them"
        yield Remark("never_scattered", f"  {scattered} of them {text}")
    if always:
        excludes = "excludes" if n == 1 else "exclude"
        above = f"{excludes} only failure rates above {100 * ruled_out(n):.1f}%"
        yield Remark("always", f"always ({always}): {counted(n, 'clean attempt')} of a task {above}")


def warnings(facts: Facts) -> Iterator[Remark]:
    """What weakens the reading, each with the step that removes it."""
    yield from _of_attempts(facts)
    yield from _of_plan(facts)


def _of_attempts(facts: Facts) -> Iterator[Remark]:
    counts, served = facts.counts, facts.served
    if facts.completion_only:
        yield Remark(
            "completion_only",
            f"{COMPLETION_ONLY} (--completion-only): no figure here says that an answer was right; run "
            "without it, with assertions in the suite",
        )
    if facts.identical_outputs:
        yield Remark(
            "identical_outputs",
            "every task gave the same output in all its attempts: cached, seeded or deterministic, "
            f"{facts.n} attempts say no more than one; turn caches off and let the agent sample anew",
        )
    if counts.errored:
        first = f" (the first: {facts.first_error})" if facts.first_error else ""
        yield Remark(
            "errored",
            f"{counts.errored} of {counted(counts.attempts, 'attempt')} errored{first}: the figures partly "
            "measure the platform; read those runs first",
        )
    if facts.drift:
        yield Remark("trend", facts.drift)
    if len(served) > 1:
        yield Remark(
            "served_models",
            f"{len(served)} models answered ({', '.join(served)}): one figure over several models is of none "
            "of them; pin the model's version",
        )
    if facts.interrupted:
        yield Remark(
            "interrupted",
            f"{counted(facts.interrupted, 'attempt')} begun more than once, because the run died under them: "
            "that can hide a failure; read those, or run again without a break",
        )


def _of_plan(facts: Facts) -> Iterator[Remark]:
    n, k = facts.n, facts.k
    if facts.counts.tasks < FEW_TASKS:
        yield Remark(
            "few_tasks",
            f"fewer than {FEW_TASKS} tasks: take the pair as a rough position and read what the attempts "
            "answered; more tasks narrow the interval",
        )
    if k == n > 1:
        yield Remark(
            "k_is_n",
            f"k = n = {n}: a head count, coarse per task; about twice the attempts (--attempts {2 * k}) make "
            "it steadier",
        )
    if facts.adapter in SYNTHETIC:
        yield Remark(
            "synthetic",
            f"the adapter '{facts.adapter}' is a test double: no agent was run; name one with --agent",
        )
