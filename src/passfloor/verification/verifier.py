"""Verification: re-derive everything a receipt claims from the attempts it embeds; say what does not follow.

The part that judges can do nothing else. It is given bytes, a suite, keys and the time, and it neither runs,
writes, fetches nor waits. Task results are judged one by one and forgotten, so that the memory needed does
not grow with their number. Every step adds findings and none hides later ones, except that what cannot be
parsed cannot be judged, and that what passed a limit is not read on.
"""

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from passfloor.errors import JsonError, UsageError
from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import Redaction
from passfloor.models.suite import Task
from passfloor.receipts import LayoutError, LineReader, Seal, WholeReader, rewindable
from passfloor.verification import beside, second_pass
from passfloor.verification.collected import Collected
from passfloor.verification.findings import Finding, Status
from passfloor.verification.inputs import Inputs, VerifiedTask
from passfloor.verification.limits_of_proof import NOT_ESTABLISHED, not_established
from passfloor.verification.observer import Observer
from passfloor.verification.result import Assurance, Verification
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
    scorers,
    seal,
    session,
    signature,
    suite,
    verdicts,
)
from passfloor.verification.tasks import Bench, encode, judge_task


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
    observer = Observer(inputs.observe)

    def reopened() -> LineReader:
        stream.seek(0)
        return LineReader(stream, **caps)

    try:
        try:
            return _Judgement(reopened(), inputs, observer, reopened).result()
        except (LayoutError, UsageError):
            # What the line reader calls the head may not be all of it: members may stand behind the tasks.
            stream.seek(0)
            observer.again()
            whole = WholeReader(stream, **caps)
            return _Judgement(whole, inputs, observer, lambda: whole).result()
    except JsonError as error:
        step, code = {"size": (0, "size"), "nodes": (3, "nodes")}.get(error.code, (1, "parse"))
        return Verification((Finding(step, code, str(error)),), not_established=NOT_ESTABLISHED)


class _Judgement:
    """One pass over one receipt."""

    def __init__(
        self,
        reader: LineReader | WholeReader,
        inputs: Inputs,
        observer: Observer,
        reopened: Callable[[], LineReader | WholeReader],
    ) -> None:
        self._reader = reader
        self._reopened = reopened
        self._inputs = inputs
        self._observer = observer
        self._findings: list[Finding] = []
        self._collected = Collected()

    def result(self) -> Verification:
        """Steps 2 to 16, reported in the order of their numbers."""
        raw = self._reader.head
        head, self._findings = schema.read_head(raw.value)
        if head is None and isinstance(self._reader, LineReader):
            raise LayoutError
        if head is None or not isinstance(raw.value, dict):
            return self._stopped()
        passed = schema.check_limits(head, self._inputs.limits)
        self._findings += passed
        if any(finding.status is Status.RESOURCE_LIMIT for finding in passed):
            return self._stopped(head)
        chosen = suite.choose(head, self._inputs)
        removed, torn = redaction.read(head)
        self._findings += [*chosen.findings, *torn]
        due = second_pass.Due(self._bench(head, chosen, removed), self._inputs.run_grader)
        seal_hash = Seal(raw.value, plain=raw.plain)
        if not self._read_tasks(due, chosen.tasks, seal_hash):
            self._findings.append(schema.too_many_tasks(self._inputs.limits))
            return self._stopped()
        return self._judge_whole(head, chosen, removed, due, seal_hash.hex())

    def _stopped(self, head: ReceiptHead | None = None) -> Verification:
        return Verification(tuple(self._findings), head=head, not_established=NOT_ESTABLISHED)

    def _bench(self, head: ReceiptHead, chosen: suite.ChosenSuite, removed: Redaction | None) -> Bench:
        """What every attempt is judged with; adds what is wrong with that already."""
        shelf = evidence.BlobShelf(head.blobs, removed.blobs if removed else ())
        ids = identity.Identity(head)
        fields, unread = recorded.read_fields(head)
        judge = scorers.choose(head, chosen, self._inputs)
        self._findings += [*shelf.check_digests(), *ids.check_plan(), *unread, *judge.findings]
        return Bench(head, ids, shelf, judge.judged, judge.scorer, fields, recorded.TextShelf(head.blobs))

    def _read_tasks(self, due: second_pass.Due, tasks: Sequence[Task], seal_hash: Seal) -> bool:
        """Steps 8 to 13, task by task; False where there are too many of them."""
        bench, collected = due.bench, self._collected
        covered = coverage.Coverage(tasks)
        for where, parsed in enumerate(self._reader.tasks()):
            if where >= self._inputs.limits.max_tasks:
                return False
            result, findings = schema.read_task(parsed.value, where)
            self._findings += findings
            form, encoded = encode(parsed, result)
            seal_hash.add(form)
            if result is None:
                collected.pass_over()
                continue
            position, findings = covered.place(result, where)
            self._findings += findings
            if position is None:
                collected.pass_over()
                continue
            task = tasks[position]
            judgement = judge_task(bench, result, encoded, task, position, where)
            self._findings += judgement.findings
            collected.take(task, judgement, len(result.attempts))
            value: Any = parsed.value
            due.add(where, task, value["attempts"], judgement.attested)
            forms = [attempt.events for attempt in encoded]
            self._observer.tell(VerifiedTask(task, position, value, bench.head, forms))
        missing = list(covered.missing())
        collected.pass_over(len(missing))
        self._findings += [*missing, *bench.shelf.check_unused()]
        return True

    def _judge_whole(
        self,
        head: ReceiptHead,
        chosen: suite.ChosenSuite,
        removed: Redaction | None,
        due: second_pass.Due,
        recomputed: str,
    ) -> Verification:
        """Steps 4 to 6 and 13 to 16: what rests on all task results together."""
        inputs, collected = self._inputs, self._collected
        demands = inputs.demands
        signed = signature.check(head, recomputed, inputs.trust)
        given = beside.judge(head, recomputed, collected.slots, inputs)
        redacted, misnamed = redaction.check(removed, head, inputs.trust)
        self._findings += [
            *seal.check(head, recomputed),
            *signed.findings,
            *coordination.check_suite(head, collected.all_held),
            *figures.check(head, collected.numbers(head)),
            *session.check(head, inputs.now),
            *session.check_interrupted(head, chosen.tasks),
            *session.check_environment(head),
            *policy.check(head, allow_unrecorded=inputs.allow_unrecorded, unreplayed=given.unreplayed),
            *misnamed,
            *history.check_challenge(head, demands.challenge),
            *history.check_commitment(given.committed),
            *history.check_ledger(given.account, other_runs=demands.other_runs),
        ]
        evaluated = self._run_graders(due, signed.assurance)
        derived = collected.numbers(head)
        self._findings += [
            *verdicts.check_attested(collected.attested, collected.attempts, allowed=inputs.allow_attested),
            *policy.check_demands(head, demands, derived, collected.distinct, inputs.now),
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
            distinct_outputs=tuple(collected.distinct),
            acts_compared=collected.acts if head.coordination_rule == "causal" else None,
            identity_marks=collected.marks,
            served=tuple(collected.served),
            attested=tuple(collected.attested),
            graders_run=evaluated,
            vouched=given.vouched,
            redacted=redacted,
            answered=None if demands.challenge is None else demands.challenge == head.session.challenge,
            committed=given.committed,
            account=given.account,
            not_established=not_established(head, suite_of_the_signer=chosen.source == suite.EMBEDDED),
        )

    def _run_graders(self, due: second_pass.Due, assurance: Assurance) -> int:
        """Ask the graders with code, where there is somebody to run them and no reason not to.

        Returns:
            How many answers were derived again.
        """
        sound = assurance is Assurance.SIGNED and second_pass.is_sound(self._findings)
        if due.run is None or not sound:
            return 0
        rerun = second_pass.run_graders(self._reopened, due, due.run)
        collected, head = self._collected, due.bench.head
        collected.exchange(rerun.changed)
        collected.attested = rerun.attested
        self._findings += [*rerun.findings, *figures.check(head, collected.numbers(head))]
        return rerun.evaluated
