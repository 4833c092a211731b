"""What a finished run says: the tasks that do not always pass, then the block of figures, then warnings."""

from collections.abc import Iterator, Sequence

from passfloor.aggregate import Numbers, Pile
from passfloor.models.plan import ENDPOINTS, SYNTHETIC
from passfloor.models.receipt import ReceiptHead
from passfloor.report.escape import show
from passfloor.report.layout import counted, portion, wrapped
from passfloor.report.view import TaskTally
from passfloor.report.wording import COMPLETION_ONLY, COORDINATION
from passfloor.stats import percent, ruled_out

_LABEL = 13
_MOST_TASKS = 20
_MOST_NAMED = 3
_PROCESS_ERRORS = frozenset({"exit", "signal", "spawn", "timeout", "worker"})
_SEEDS = {"function": "attempt.seed", "http": "the request's seed"}

ERRORED_FIRST = (
    "hint: the agent errored on its first attempt. It does not run as in your shell: HOME and TMPDIR are "
    "fresh and empty, the environment holds PATH, LANG, LC_ALL and TZ (let more through with --env NAME), "
    "and the working directory is a new folder with the task's files (look at it with "
    "--keep-workspaces failed)"
)


def run_summary(
    head: ReceiptHead,
    numbers: Numbers,
    receipt_path: str,
    tallies: Sequence[TaskTally],
    divergence: str = "",
    *,
    suite_tasks: int | None = None,
) -> str:
    """The tasks that do not always pass, the suite, and the block that ends a run.

    Args:
        head: The sealed receipt's members.
        numbers: Its figures.
        receipt_path: Where it was written.
        tallies: One a task, in suite order.
        divergence: Where coordination was not held fixed; empty where it was.
        suite_tasks: How many tasks the whole suite has; None: those that were run.
    """
    width = max(_LABEL, len(f"pass^{head.k} floor"))
    whole = numbers.counts.tasks if suite_tasks is None else suite_tasks
    lines = [*_piles(tallies, width), *_suite(head, numbers, whole, width), *_figures(head, numbers, width)]
    if head.completion_only and head.gate is None:  # a gate says it itself
        lines += _labelled("measured", COMPLETION_ONLY, width)
    held = COORDINATION[head.coordination_ok]
    lines += _labelled("coordination", f"{held}: {show(divergence, 500)}" if divergence else held, width)
    if head.subject.adapter in SYNTHETIC:
        lines += _labelled("subject", f"synthetic ({head.subject.adapter}): no agent was run", width)
    lines.append(f"{'receipt':<{width}}: {show(receipt_path, 1000)}")
    return "\n".join(lines)


def warnings(
    head: ReceiptHead,
    numbers: Numbers,
    *,
    outputs_alike: bool,
    first_error: str = "",
    alike_tasks: Sequence[str] = (),
    cached: tuple[int, Sequence[str]] = (0, ()),
) -> Iterator[str]:
    """What weakens the reading of a run, each with what removes it.

    Args:
        head: The sealed receipt's members.
        numbers: Its figures.
        outputs_alike: Whether every task gave one and the same output in all its attempts.
        first_error: The first errored attempt's error.
        alike_tasks: The tasks that did.
        cached: How many attempts were answered from a cache, as the answers said, and by what.
    """
    counts = numbers.counts
    if head.coordination_ok is False:
        yield (
            "warning: coordination was not held fixed, so the floor measures more than the model's sampling; "
            "make the field named above the same in every attempt, then run again"
        )
    if counts.errored and counts.errored < counts.attempts:
        yield (
            f"warning: {counts.errored} of {counts.attempts} attempts errored (the first: {first_error}); "
            "they count as not passing and partly measure the platform; "
            f"{look_closer(head.subject.adapter)}, or give them longer with --timeout"
        )
    if cached[0] and head.subject.adapter in ENDPOINTS:
        yield (
            f"warning: {cached[0]} of {counts.attempts} attempts were answered from a cache, as the answers "
            f"say ({', '.join(map(show, cached[1]))}): they are copies and no independent attempts, so the "
            "figures mean less; turn the cache off, then run again"
        )
    if outputs_alike:
        yield f"warning: all attempts of every task gave the same output; {_alike_remedy(head)}"
    elif alike_tasks and head.subject.adapter != "reference":
        yield _some_alike(head, alike_tasks, counts.tasks)


def _some_alike(head: ReceiptHead, alike: Sequence[str], tasks: int) -> str:
    named = ", ".join(show(task_id, 40) for task_id in alike[:_MOST_NAMED])
    more = ", ..." if len(alike) > _MOST_NAMED else ""
    return (
        f"warning: in {len(alike)} of {counted(tasks, 'task')} all attempts gave the same output "
        f"({named}{more}): expected where an answer has one form; else turn caches off, or {_seeding(head)}"
    )


def is_process_error(kind: str, adapter: str) -> bool:
    """Whether an error of this type may come from where and how the agent was started."""
    return kind in _PROCESS_ERRORS and adapter not in ENDPOINTS


def look_closer(adapter: str) -> str:
    """How to see more of an attempt that errored."""
    if adapter in ENDPOINTS:
        return "look into the log of the service"
    return "look at what they left with --keep-workspaces failed"


def _alike_remedy(head: ReceiptHead) -> str:
    adapter = head.subject.adapter
    if adapter == "reference":
        return "that is how the packaged agent is scripted; measure your own with --agent CMD"
    return (
        f"cached, seeded or deterministic, {head.n} attempts say no more than one; turn caches off, "
        f"or {_seeding(head)}"
    )


def _seeding(head: ReceiptHead) -> str:
    """How to let attempts differ."""
    adapter = head.subject.adapter
    if adapter == "chat":
        return "let the model sample (--model-option temperature=1)"
    return f"let the agent seed its sampling from {_SEEDS.get(adapter, 'PASSFLOOR_ATTEMPT_SEED')}"


def _piles(tallies: Sequence[TaskTally], width: int) -> list[str]:
    lines: list[str] = []
    for pile in ("flaky", "never"):
        lines += _pile(pile, [tally for tally in tallies if tally.pile == pile], width)
    return lines


def _pile(pile: Pile, tallies: Sequence[TaskTally], width: int) -> list[str]:
    lines: list[str] = []
    for position, tally in enumerate(tallies[:_MOST_TASKS]):
        errored = f", {tally.errored} errored" if tally.errored else ""
        text = f"{show(tally.task_id)}  {tally.passed} of {tally.n} passed{errored}"
        lines += _labelled("" if position else pile, text, width)
    if len(tallies) > _MOST_TASKS:
        lines.append(f"{'':<{width + 2}}and {counted(len(tallies) - _MOST_TASKS, 'more task')}")
    return lines


def _suite(head: ReceiptHead, numbers: Numbers, whole: int, width: int) -> list[str]:
    size = f"{portion(numbers.counts.tasks, whole)} x {counted(head.n, 'attempt')}"
    text = f"{show(head.suite_version)}, {size}"
    return [*_labelled("suite", text, width), f"{'':<{width + 2}}{head.suite_hash}"]


def _figures(head: ReceiptHead, numbers: Numbers, width: int) -> list[str]:
    k, n, counts = head.k, head.n, numbers.counts
    floor, ceiling, rate = (
        f"{percent(value)}%" for value in (numbers.pass_hat_k, numbers.pass_at_k, numbers.success_rate)
    )
    lines = [
        f"{f'pass^{k} floor':<{width}}: {floor:<8}{_all(k, n)} must pass",
        f"{f'pass@{k}':<{width}}: {ceiling:<8}{_any(k, n)} passed: the ceiling (pass_at_1 in the receipt)",
        f"{'success rate':<{width}}: {rate:<8}{counts.passed} of {counted(counts.attempts, 'attempt')}; "
        f"{counts.wrong} wrong, {counts.errored} errored",
    ]
    if counts.tasks_all:
        estimate = (
            f"a point estimate, not a bound: {counted(n, 'clean attempt')} of a task "
            f"rule{'s' if n == 1 else ''} out only "
            f"failure rates above {100 * ruled_out(n):.1f}%"
        )
        lines += wrapped(estimate, " " * (width + 2))
    return lines


def _all(k: int, n: int) -> str:
    if k == 1:
        return "the one attempt" if n == 1 else f"the one drawn from {n}"
    return f"all {k} attempts" if k == n else f"all {k} of {k} drawn from {n}"


def _any(k: int, n: int) -> str:
    if k == 1 < n:
        return "the one drawn"
    return "any attempt" if k == n else f"any of {k} drawn"


def _labelled(label: str, text: str, width: int) -> list[str]:
    return wrapped(text, f"{label:<{width}}: " if label else " " * (width + 2), " " * (width + 2))
