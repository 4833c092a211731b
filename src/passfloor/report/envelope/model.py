"""The envelope of a set of attempts: everything that any report shows, built once, said by every renderer."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from passfloor.aggregate import Pile
from passfloor.models.receipt import Counts
from passfloor.report.envelope.records import AttemptRecord, Contrast, Parting
from passfloor.stats.intervals import Interval, Noise

Kind = Literal["always", "flaky", "never_same", "never_scattered", "never"]
WhoChecks = Literal["nobody", "oracle", "person", "batch"]
Figure = Literal["pass@k", "pass^k", "success rate", "batch"]


@dataclass(frozen=True)
class Source:
    """Where the attempts come from, and what stands behind them.

    Attributes:
        kind: A receipt, or bare rows that nobody sealed.
        name: The file, as given.
        verified: Whether the receipt was verified, every claim of it.
        status: Verification's status; empty for rows.
        assurance: ``signed``, ``test`` or ``none``.
        anchor: Where the decision to trust the signer stands; empty without one.
        problem: The first thing the receipt does not support; empty where it is verified.
        suite_version: The suite's name; None for rows.
        suite_hash: Its hash; None for rows.
        suite_source: Which suite it was judged by, for people.
        suite_tasks: How many tasks the whole suite has.
        k_fixed: The k of the plan; None for rows.
        k_reason: Why that k, the signer's words; None where nothing was said.
        subject: The agent, the signer's words: name, version, adapter, model; empty for rows.
        run: The run's id; None for rows.
        started_at: When the run began, the signer's word; None for rows.
        receipt_hash: As recomputed.
        signer: Fingerprint of the signing key; empty without one.
        coordination: Held fixed, diverged (False) or not recorded (None).
        completion_only: Whether an attempt passed where it finished, since no assertion was consulted.
        not_established: What the receipt cannot show, by names of a closed list.
        established: What was asked for to see whether it was the only run, and held: of ``challenge``,
            ``commitment``, ``ledger``.
        rule: By which rule coordination was compared; None for rows.
        check: What a check statement says, and whose word it is; None where none was given.
        importer: Whose log the attempts are from, by the importer's name; None where they are of a run.
        import_rule: By which rule its records were read; empty where none is known.
    """

    kind: Literal["receipt", "rows"]
    name: str
    verified: bool = False
    status: str = ""
    assurance: str = "none"
    anchor: str = ""
    problem: str = ""
    suite_version: str | None = None
    suite_hash: str | None = None
    suite_source: str = ""
    suite_tasks: int = 0
    k_fixed: int | None = None
    k_reason: str | None = None
    subject: tuple[tuple[str, str], ...] = ()
    run: str | None = None
    started_at: str | None = None
    receipt_hash: str | None = None
    signer: str = ""
    coordination: bool | None = None
    completion_only: bool = False
    not_established: tuple[str, ...] = ()
    established: tuple[str, ...] = ()
    rule: str | None = None
    check: str | None = None
    importer: str | None = None
    import_rule: tuple[tuple[str, Any], ...] = ()

    @property
    def imported(self) -> bool:
        """Whether the attempts are what another tool's log says, and nobody here ran any."""
        return self.importer is not None

    @property
    def mark(self) -> str:
        """What stands across a report that rests on nothing verified; empty where it does."""
        if self.kind == "rows":
            return "UNSEALED"
        if not self.verified:
            return "UNVERIFIED"
        return "TEST-GRADE" if self.assurance == "test" else ""


@dataclass(frozen=True)
class CurvePoint:
    """Both figures at one k, 0 to 1, each with its 95% interval across tasks."""

    k: int
    ceiling: Fraction
    floor: Fraction
    ceiling_interval: Interval
    floor_interval: Interval

    @property
    def width(self) -> Fraction:
        """The envelope: ceiling minus floor."""
        return self.ceiling - self.floor


@dataclass(frozen=True)
class IfPassed:
    """What the figures could be: the headline counts errored attempts as failed, here they pass."""

    success_rate: Fraction
    ceiling: Fraction
    floor: Fraction


@dataclass(frozen=True)
class Quote:
    """What to tell users: which figure, its value, and why it is that one."""

    figure: Figure
    value: Fraction
    because: str


@dataclass(frozen=True)
class Remark:
    """A sentence for people under a stable name for machines."""

    code: str
    text: str


@dataclass(frozen=True)
class TaskRow:
    """One task.

    Attributes:
        position: Its place in the suite, from 0.
        kind: Its pile; never-passing tasks split by what they answered where that is known.
        rate: The success rate c/n, which is pass@1.
        ceiling: pass@k.
        floor: pass^k.
        rate_interval: The 95% interval of Clopper and Pearson for the success rate, low and high.
        ruled_out: The failure rate above which a clean sheet speaks; None without one.
        distinct_answers: How many different answers the attempts that finished gave; None where unknown.
        modal_share: The share of the most frequent answer among them; None where unknown.
        parting: The first step at which attempts part; None where they do not, or no events are at hand.
        contrast: A passing and a failing answer side by side.
        attempts: In order.
    """

    task_id: str
    position: int
    kind: Kind
    n: int
    passed: int
    wrong: int
    errored: int
    rate: Fraction
    ceiling: Fraction
    floor: Fraction
    rate_interval: tuple[float, float]
    ruled_out: float | None
    distinct_answers: int | None
    modal_share: Fraction | None
    parting: Parting | None
    contrast: Contrast | None
    category: str | None
    tags: tuple[str, ...]
    cluster: str | None
    attempts: Sequence[AttemptRecord]

    @property
    def pile(self) -> Pile:
        """Whether every attempt passed, some did, or none."""
        return "always" if self.kind == "always" else "flaky" if self.kind == "flaky" else "never"

    @property
    def all_passed(self) -> bool:
        """Whether every attempt passed."""
        return self.kind == "always"


@dataclass(frozen=True)
class Measure:
    """One figure about consistency: its name, its value, in which unit, and the tasks behind it.

    Attributes:
        code: A stable name.
        label: The name for people.
        value: The figure.
        unit: ``share`` (0 to 1) or ``ratio``.
        tasks: How many tasks it rests on.
        meaning: What it says, in half a sentence.
    """

    code: str
    label: str
    value: Fraction | float
    unit: Literal["share", "ratio", "tokens"]
    tasks: int
    meaning: str


@dataclass(frozen=True)
class Envelope:
    """What every renderer shows.

    Attributes:
        counts: Whole numbers over all tasks.
        success_rate: Attempts passed among all, errored ones in the denominator.
        at: Both figures at the k of this report, with intervals.
        curve: The same at every k from 1 to n.
        piles: Kind -> how many tasks; every kind is there.
        batch: The chance that k different jobs all succeed: the mean success rate to the power k.
        if_passed: What the figures would be were errored attempts passes; None where none errored.
        noise: Standard deviations from the attempts alone, given the observed rates: at least this.
        who_checks: Who looks at an attempt before it takes effect.
        picker: Who picks among attempts.
        quote: The figure that answers for this product.
        not_covered: What these figures do not speak about.
        advice: A sentence a pile that is not empty.
        warnings: What weakens the reading.
        consistency: How alike the attempts are.
        served_models: The models that recorded answers name.
        tasks: In suite order.
    """

    source: Source
    n: int
    k: int
    counts: Counts
    success_rate: Fraction
    at: CurvePoint
    curve: tuple[CurvePoint, ...]
    piles: dict[Kind, int]
    batch: Fraction
    if_passed: IfPassed | None
    noise: Noise
    who_checks: WhoChecks
    picker: str
    quote: Quote
    not_covered: tuple[str, ...]
    advice: tuple[Remark, ...]
    warnings: tuple[Remark, ...]
    consistency: tuple[Measure, ...]
    served_models: tuple[str, ...]
    tasks: tuple[TaskRow, ...]

    @property
    def worst_first(self) -> list[TaskRow]:
        """The tasks, lowest success rate first; of equals the one with more errored attempts."""
        return sorted(self.tasks, key=lambda task: (task.passed, -task.errored, task.position))

    def of_pile(self, pile: Pile) -> list[TaskRow]:
        """The tasks of one pile, worst first."""
        return [task for task in self.worst_first if task.pile == pile]

    @property
    def k_words(self) -> str:
        """Why this k, as a sentence's end; the signer's words are not escaped."""
        fixed, reason = self.source.k_fixed, self.source.k_reason
        if fixed is None:
            return "asked for in this report"
        if fixed != self.k:
            when = "on import" if self.source.imported else "before the run"
            return f"asked for in this report; {when} k was fixed to {fixed}"
        because = f"chosen because {reason}" if reason else "no reason given"
        when = "on import, after the attempts" if self.source.imported else "before the run"
        return f"{because}; fixed {when}"
