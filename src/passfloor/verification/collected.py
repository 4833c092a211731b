"""What is collected on the way: of each task result that was judged and forgotten, what later steps need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from passfloor.aggregate import Numbers, TaskCount, numbers
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Task
from passfloor.verification.served import Served
from passfloor.verification.tasks import TaskJudgement


@dataclass
class Collected:
    """What the task results gave, in their order.

    Attributes:
        counts: An entry for each result, and for each task without one; None where it cannot be counted.
        held: Of each result that was judged, whether coordination held; None where its attempts do not say.
        distinct: Per task id, how many different outputs stand among how many attempts.
        served: What providers said that they served, an entry for each attempt with such an answer.
        attested: Task id and index of each attempt whose verdict is in part the signer's word.
        acts: How many acts of agents were compared under the rule ``causal``.
        marks: How often something declared by an identity field stands in recorded events.
    """

    counts: list[TaskCount | None] = field(default_factory=list)
    held: list[bool | None] = field(default_factory=list)
    distinct: list[tuple[str, int, int]] = field(default_factory=list)
    served: list[Served] = field(default_factory=list)
    attested: list[tuple[str, int]] = field(default_factory=list)
    acts: int = 0
    marks: int = 0

    def take(self, task: Task, judgement: TaskJudgement, attempts: int) -> None:
        """Add what one task result gave, and how many attempts it has."""
        self.counts.append(judgement.count)
        self.held.append(judgement.held)
        self.distinct.append((task.id, judgement.distinct, attempts))
        self.served += judgement.served
        self.attested += [(task.id, index) for index in judgement.attested]
        self.acts += judgement.acts
        self.marks += judgement.marks

    def pass_over(self, results: int = 1) -> None:
        """Note results that are missing or cannot be judged: without them there are no figures."""
        self.counts += [None] * results

    def exchange(self, changed: Mapping[int, Sequence[tuple[str, str]]]) -> None:
        """Count by the outcomes of a second pass: position of the result -> each as sealed and as now."""
        for where, outcomes in changed.items():
            count = self.counts[where]
            self.counts[where] = None if count is None else count.exchanged(outcomes)

    @property
    def attempts(self) -> int:
        """How many attempts there are."""
        return sum(number for _, _, number in self.distinct)

    @property
    def slots(self) -> set[tuple[str, int]]:
        """Task id and index of every attempt."""
        return {(name, index) for name, _, number in self.distinct for index in range(number)}

    @property
    def all_held(self) -> bool | None:
        """Whether coordination held in every result; None where one does not say."""
        return None if None in self.held else all(self.held)

    def numbers(self, head: ReceiptHead) -> Numbers | None:
        """The figures, where every task of the suite has all its attempts judged."""
        counts = [count for count in self.counts if count is not None]
        if len(counts) != len(self.counts) or not counts or not 1 <= head.k <= head.n:
            return None
        return numbers(counts, head.k)
