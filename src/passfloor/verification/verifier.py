"""Verification: re-derive everything a receipt claims from the attempts it embeds; say what does not follow.

The part that judges can do nothing else. It is given bytes, a suite, keys and the time, and it neither runs,
writes, fetches nor waits. Task results are judged one by one and forgotten, so that the memory needed does
not grow with their number. Every step adds findings and none hides later ones, except that what cannot be
parsed cannot be judged, and that what passed a limit is not read on.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from passfloor.aggregate import Numbers, TaskCount, numbers
from passfloor.errors import JsonError, UsageError
from passfloor.grading import Scorer
from passfloor.models.plan import IMPORTED, SYNTHETIC
from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import REDACTED, Redaction
from passfloor.receipts import LayoutError, LineReader, Seal, WholeReader, rewindable
from passfloor.verification import account, commitment, second_pass, statement
from passfloor.verification.account import Account
from passfloor.verification.findings import Finding, Status
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.result import Assurance, Committed, Redacted, Verification, Vouched
from passfloor.verification.served import Served
from passfloor.verification.steps import (
    coordination,
    coverage,
    evidence,
    figures,
    history,
    identity,
    policy,
    recorded,
    redaction,
    schema,
    seal,
    session,
    signature,
    suite,
    verdicts,
)
from passfloor.verification.tasks import Bench, encode, judge_task

NOT_ESTABLISHED = ("events_happened", "only_run", "subject_code", "timing")
"""What no receipt of this kind can show: that the recorded events took place, that this was the only run,
which code the agent imported, and anything that hides in numbers of ``ts`` and ``elapsed_s``."""

WHERE_IT_APPLIES = (
    "answers",
    "other_tasks",
    "suite_choice",
    "coordination",
    "unrecorded_acts",
    "served_model",
    "imported",
    "redacted",
)
"""What a receipt does not show by what was asked of it: the answers of a run that consulted no assertions,
the tasks of the suite that were not selected, a suite that only the signer chose, coordination that was not
recorded; where model calls were recorded, what an agent did that reached neither the recording nor its output
and files, and which model it was that answered; of what was imported, anything at all beside what the
source's log says; of what was redacted, what was taken out of it."""


def verify(stream: BinaryIO, inputs: Inputs) -> Verification:
    """Judge the receipt in ``stream``, which stands at its start.

    Raises:
        UsageError: no suite was named and none is known for this receipt.
        EnvironmentFault: ``inputs.run_grader`` cannot run a grader, or the receipt changed before it could.
        OSError: the stream cannot be read.
    """
    limits = inputs.limits
    stream = rewindable(stream, max_bytes=limits.max_bytes)
    caps = {"max_bytes": limits.max_bytes, "max_nodes": limits.max_nodes}
    told = _Told(inputs)

    def reopened() -> LineReader:
        stream.seek(0)
        return LineReader(stream, **caps)

    try:
        try:
            return _Judgement(reopened(), inputs, told, reopened).result()
        except (LayoutError, UsageError):
            # What the line reader calls the head may not be all of it: members may stand behind the tasks.
            stream.seek(0)
            told.again()
            whole = WholeReader(stream, **caps)
            return _Judgement(whole, inputs, told, lambda: whole).result()
    except JsonError as error:
        step, code = {"size": (0, "size"), "nodes": (3, "nodes")}.get(error.code, (1, "parse"))
        return Verification((Finding(step, code, str(error)),), not_established=NOT_ESTABLISHED)


def _where_it_applies(head: ReceiptHead, chosen: suite.ChosenSuite) -> Iterator[str]:
    applies = (
        head.completion_only,
        head.selection is not None,
        chosen.source == suite.EMBEDDED,
        head.coordination_rule == "unrecorded",
        head.coordination_rule == "causal",
        head.coordination_rule == "causal",
        head.subject.adapter.startswith(IMPORTED),
        head.ext is not None and REDACTED in head.ext,
    )
    return itertools.compress(WHERE_IT_APPLIES, applies)


class _Told:
    """Hands task results to the observer, each once although a receipt may be read twice."""

    def __init__(self, inputs: Inputs) -> None:
        self._observe = inputs.observe
        self._told = 0
        self._skip = 0

    def again(self) -> None:
        """The receipt is read from its start again: the results seen so far come first, in the same order."""
        self._skip, self._told = self._told, 0

    def tell(self, verified: VerifiedTask) -> None:
        """Tell the observer, if there is one and it does not know yet."""
        self._told += 1
        if self._observe is not None and self._told > self._skip:
            self._observe(verified)


class _Judgement:
    """One pass over one receipt."""

    def __init__(
        self,
        reader: LineReader | WholeReader,
        inputs: Inputs,
        told: _Told,
        reopened: Callable[[], LineReader | WholeReader],
    ) -> None:
        self._reader = reader
        self._reopened = reopened
        self._inputs = inputs
        self._told = told
        self._findings: list[Finding] = []
        self._counts: list[TaskCount | None] = []
        self._held: list[bool | None] = []
        self._distinct: list[tuple[str, int, int]] = []
        self._served: list[Served] = []
        self._acts = self._marks = 0
        self._attested: list[tuple[str, int]] = []
        self._redaction: Redaction | None = None
        self._due: second_pass.Due | None = None

    def result(self) -> Verification:
        """Steps 2 to 16, reported in the order of their numbers."""
        raw = self._reader.head
        head, self._findings = schema.read_head(raw.value)
        if head is None and isinstance(self._reader, LineReader):
            raise LayoutError
        if head is None or not isinstance(raw.value, dict):
            return Verification(tuple(self._findings), not_established=NOT_ESTABLISHED)
        limits = self._inputs.limits
        passed = schema.check_limits(head, limits)
        self._findings += passed
        if any(finding.status is Status.RESOURCE_LIMIT for finding in passed):
            return Verification(tuple(self._findings), head=head, not_established=NOT_ESTABLISHED)
        chosen = suite.choose(head, self._inputs)
        self._findings += chosen.findings
        seal_hash = Seal(raw.value, plain=raw.plain)
        if not self._read_tasks(head, chosen, seal_hash):
            return Verification(
                (*self._findings, schema.too_many_tasks(limits)), not_established=NOT_ESTABLISHED
            )
        recomputed = seal_hash.hex()
        signed = signature.check(head, recomputed, self._inputs.trust)
        derived = self._numbers(head)
        vouched, unreplayed = self._vouched(head, recomputed)
        self._findings += [
            *seal.check(head, recomputed),
            *signed.findings,
            *(coordination.check_suite(head, all(self._held)) if None not in self._held else ()),
            *(figures.check(head, derived) if derived is not None else ()),
            *session.check(head, self._inputs.now),
            *session.check_interrupted(head, chosen.tasks),
            *session.check_environment(head),
            *policy.check(head, allow_unrecorded=self._inputs.allow_unrecorded, unreplayed=unreplayed),
        ]
        demands = self._inputs.demands
        committed, told = self._history(head, recomputed)
        redacted = self._redacted(head)
        self._findings += [
            *history.check_challenge(head, demands.challenge),
            *history.check_commitment(committed),
            *history.check_ledger(told, other_runs=demands.other_runs),
        ]
        evaluated = self._run_graders(signed.assurance)
        if evaluated:
            derived = self._numbers(head)
            self._findings += figures.check(head, derived) if derived is not None else ()
        attempts = sum(number for _, _, number in self._distinct)
        allowed = self._inputs.allow_attested
        self._findings += [
            *verdicts.check_attested(self._attested, attempts, allowed=allowed),
            *policy.check_demands(head, demands, derived, self._distinct, self._inputs.now),
        ]
        return Verification(
            findings=tuple(sorted(self._findings, key=lambda finding: finding.step)),
            assurance=signed.assurance,
            anchor=signed.anchor,
            head=head,
            receipt_hash=recomputed,
            numbers=derived,
            suite_source=chosen.source,
            suite_tasks=chosen.whole,
            distinct_outputs=tuple(self._distinct),
            acts_compared=self._acts if head.coordination_rule == "causal" else None,
            identity_marks=self._marks,
            served=tuple(self._served),
            attested=tuple(self._attested),
            graders_run=evaluated,
            vouched=vouched,
            redacted=redacted,
            answered=None if demands.challenge is None else demands.challenge == head.session.challenge,
            committed=committed,
            account=told,
            not_established=(*NOT_ESTABLISHED, *_where_it_applies(head, chosen)),
        )

    def _read_tasks(self, head: ReceiptHead, chosen: suite.ChosenSuite, seal_hash: Seal) -> bool:
        """Steps 8 to 13, task by task; False where there are too many of them."""
        self._redaction, torn = redaction.read(head)
        shelf = evidence.BlobShelf(head.blobs, self._redaction.blobs if self._redaction else ())
        ids = identity.Identity(head)
        fields, unread = recorded.read_fields(head)
        self._findings += [*torn, *shelf.check_digests(), *ids.check_plan(), *unread]
        judged, scorer = self._scorer(head, chosen)
        texts = recorded.TextShelf(head.blobs)
        bench = Bench(head, ids, shelf, judged, scorer, fields, texts)
        self._due = None if self._inputs.run_grader is None else second_pass.Due(bench)
        covered = coverage.Coverage(chosen.tasks)
        for where, parsed in enumerate(self._reader.tasks()):
            if where >= self._inputs.limits.max_tasks:
                return False
            result, findings = schema.read_task(parsed.value, where)
            self._findings += findings
            form, encoded = encode(parsed, result)
            seal_hash.add(form)
            if result is None:
                self._counts.append(None)
                continue
            position, findings = covered.place(result, where)
            self._findings += findings
            if position is None:
                self._counts.append(None)
                continue
            task = chosen.tasks[position]
            judgement = judge_task(bench, result, encoded, task, position, where)
            self._findings += judgement.findings
            self._counts.append(judgement.count)
            self._held.append(judgement.held)
            self._distinct.append((task.id, judgement.distinct, len(result.attempts)))
            self._served += judgement.served
            self._acts += judgement.acts
            self._marks += judgement.marks
            value: Any = parsed.value
            self._attested += [(task.id, index) for index in judgement.attested]
            if self._due is not None:
                self._due.add(where, task, value["attempts"], judgement.attested)
            forms = [attempt.events for attempt in encoded]
            self._told.tell(VerifiedTask(task, position, value, head, forms))
        missing = list(covered.missing())
        self._counts += [None] * len(missing)
        self._findings += [*missing, *shelf.check_unused()]
        return True

    def _scorer(self, head: ReceiptHead, chosen: suite.ChosenSuite) -> tuple[bool, Scorer | None]:
        """Who judges the attempts: (False, None) where nobody here can or may."""
        if not chosen.own_scorer or head.completion_only:
            return chosen.gradable, None
        adapter = head.subject.adapter
        test_grade = signature.stub_allowed(head, self._inputs.trust)
        if adapter in SYNTHETIC and not test_grade:
            return False, None
        scorer = self._inputs.scorer or self._inputs.synthetic_scorers.get(adapter)
        if scorer is None or _cannot_have_judged(scorer, test_grade=test_grade):
            detail = (
                f"the attempts were judged by the own scorer of adapter '{adapter}'; "
                "verify it in Python with ReliabilityVerifier(suite=..., adapter=...)"
            )
            self._findings.append(Finding(12, "scorer", detail, path="subject.adapter"))
            return False, None
        return True, scorer

    def _vouched(self, head: ReceiptHead, recomputed: str) -> tuple[Vouched | None, str]:
        """What the statement that was given is worth, and what it lacks of what is demanded."""
        inputs = self._inputs
        attempts = {(name, index) for name, _, number in self._distinct for index in range(number)}
        subject = statement.Subject(head, recomputed, attempts)
        given = inputs.statement
        found = None if given is None else statement.judge(given, subject, inputs.trust, inputs.now)
        demanded = inputs.require_replayed or (found is not None and found.statement is None)
        return found, statement.lacks(found, subject) if demanded else ""

    def _history(self, head: ReceiptHead, recomputed: str) -> tuple[Committed | None, Account | None]:
        """What the commitment and the ledger that were given are worth."""
        demands = self._inputs.demands
        committed = told = None
        if demands.commitment is not None:
            committed = commitment.judge(demands.commitment, head, self._inputs.trust)
        if demands.ledger is not None:
            told = account.judge(demands.ledger, head, recomputed)
        return committed, told

    def _redacted(self, head: ReceiptHead) -> Redacted | None:
        """Of a redacted receipt, what it was made from; adds what is wrong with the original's seal."""
        if self._redaction is None:
            return None
        redacted, findings = redaction.check(self._redaction, head, self._inputs.trust)
        self._findings += findings
        return redacted

    def _run_graders(self, assurance: Assurance) -> int:
        """Ask the graders with code, where there is somebody to run them and no reason not to.

        Returns:
            How many answers were derived again.
        """
        run, due = self._inputs.run_grader, self._due
        sound = assurance is Assurance.SIGNED and second_pass.is_sound(self._findings)
        if run is None or due is None or not sound:
            return 0
        rerun = second_pass.run_graders(self._reopened, due, run)
        for where, outcomes in rerun.changed.items():
            count = self._counts[where]
            self._counts[where] = None if count is None else count.exchanged(outcomes)
        self._findings += rerun.findings
        self._attested = rerun.attested
        return rerun.evaluated

    def _numbers(self, head: ReceiptHead) -> Numbers | None:
        """The figures, where every task of the suite has all its attempts judged."""
        counts = [count for count in self._counts if count is not None]
        if len(counts) != len(self._counts) or not counts or not 1 <= head.k <= head.n:
            return None
        return numbers(counts, head.k)


def _cannot_have_judged(scorer: Scorer, *, test_grade: bool) -> bool:
    """Whether a scorer is out of place: it asks the declared assertions, or passes whatever it is shown."""
    synthetic = getattr(scorer, "key", None) in SYNTHETIC
    return getattr(scorer, "declared", False) is True or (synthetic and not test_grade)
