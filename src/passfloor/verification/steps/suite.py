"""Step 7: which suite is the measure, and is it the one the receipt names?"""

from collections.abc import Sequence
from dataclasses import dataclass

from passfloor.errors import SuiteError, UsageError
from passfloor.grading import unsupported, versions_of
from passfloor.models.plan import ADAPTER_OBJECTS
from passfloor.models.receipt import ReceiptHead
from passfloor.models.suite import Suite, Task, hash_suite
from passfloor.verification.findings import Finding
from passfloor.verification.inputs import Inputs
from passfloor.verification.steps import imported

EMBEDDED = "embedded in the receipt: its signer chose it"
"""How a suite is called that nobody but the signer named."""


@dataclass(frozen=True)
class ChosenSuite:
    """The tasks to judge by, in order, where they come from, and what does not fit.

    ``own_scorer`` says that the verdicts were made by the scorer of an adapter object, not by the assertions;
    ``gradable`` that every grader the receipt names is at hand; ``whole`` how many tasks the suite has, of
    which the receipt may have selected some.
    """

    tasks: Sequence[Task]
    source: str
    own_scorer: bool
    gradable: bool
    findings: tuple[Finding, ...]
    whole: int = 0


def choose(head: ReceiptHead, inputs: Inputs) -> ChosenSuite:
    """Pick the suite: the one named, else the built-in of that version, else the embedded one where allowed.

    Raises:
        UsageError: no suite can be found; only the caller can name one.
    """
    findings: list[Finding] = []
    embedded = _embedded(head, inputs, findings)
    wanted = head.suite_hash if head.selection is None else head.selection.of
    if inputs.suite is not None:
        suite, source = inputs.suite, "named by the relying party"
    elif (builtin := inputs.builtin(head.suite_version, wanted)) is not None:
        suite, source = builtin, "built in"
    elif inputs.use_embedded_suite:
        if embedded is None and head.suite is None:
            raise UsageError("the receipt embeds no suite: name the suite with --suite")
        if embedded is None:
            return ChosenSuite((), "embedded in the receipt, unreadable", False, False, tuple(findings))
        suite, source = embedded, EMBEDDED
    else:
        hint = ", or accept the signer's own with --use-embedded-suite" if embedded is not None else ""
        raise UsageError(
            f"no built-in suite is '{head.suite_version[:80]}': name the suite with --suite{hint}"
        )
    if suite.version != head.suite_version:
        findings.append(
            Finding(
                7,
                "suite_version",
                f"claims '{head.suite_version}', the suite is '{suite.version}'",
                path="suite_version",
            )
        )
    tasks = _selected(head, suite, findings)
    own_scorer = head.subject.adapter in ADAPTER_OBJECTS and not head.graders
    gradable = _check_graders(head, tasks, findings, own_scorer=own_scorer) and imported.readable(head)
    findings += imported.check(head, tasks)
    return ChosenSuite(tasks, source, own_scorer, gradable, tuple(findings), len(suite.tasks))


def _embedded(head: ReceiptHead, inputs: Inputs, findings: list[Finding]) -> Suite | None:
    """The suite inside the receipt, which must be the one whose hash the receipt names."""
    if head.suite is None:
        return None
    wanted = head.suite_hash if head.selection is None else head.selection.of
    try:
        suite = inputs.read_suite(head.suite)
    except SuiteError as error:
        findings.append(Finding(7, "suite", f"the embedded suite cannot be read: {error}", path="suite"))
        return None
    if suite.suite_hash != wanted:
        detail = f"the embedded suite hashes to {suite.suite_hash}, the receipt names {wanted}"
        findings.append(Finding(7, "suite", detail, path="suite"))
    return suite


def _selected(head: ReceiptHead, suite: Suite, findings: list[Finding]) -> Sequence[Task]:
    tasks: Sequence[Task] = suite.tasks
    if head.selection is not None:
        if suite.suite_hash != head.selection.of:
            detail = f"selected from {head.selection.of}, the suite hashes to {suite.suite_hash}"
            findings.append(Finding(7, "suite", detail, path="selection.of"))
        chosen = set(head.selection.tasks)
        tasks = [task for task in suite.tasks if task.id in chosen]
        if [task.id for task in tasks] != head.selection.tasks:
            detail = "the selection names a task twice, out of order, or one that the suite does not hold"
            findings.append(Finding(7, "suite", detail, path="selection.tasks"))
    recomputed = hash_suite(suite.version, (task.task_hash for task in tasks))
    if recomputed != head.suite_hash:
        detail = (
            f"claims {head.suite_hash}, the suite hashes to {recomputed}: another suite, or an edited one"
        )
        findings.append(Finding(7, "suite", detail, path="suite_hash"))
    return tasks


def _check_graders(
    head: ReceiptHead, tasks: Sequence[Task], findings: list[Finding], *, own_scorer: bool
) -> bool:
    """Are the graders that judged those of the tasks' assertions? Says whether all of them are known here."""
    unknown = unsupported(head.graders)
    if unknown:
        detail = f"judged by graders unknown to this version: {', '.join(sorted(unknown))}"
        findings.append(Finding(7, "grader", detail, path="graders"))
    expected = {} if head.completion_only or own_scorer else dict.fromkeys(versions_of(tasks), "1")
    if set(expected) != set(head.graders):
        detail = f"graders name {sorted(head.graders)}, the tasks use {sorted(expected)}"
        findings.append(Finding(7, "plan", detail, path="graders"))
    bare = next((task for task in tasks if not task.assertions), None)
    if bare is not None and not head.completion_only and not own_scorer:
        detail = "the suite's task has no assertions, so that nothing says whether it was done"
        findings.append(Finding(7, "suite", detail, task_id=bare.id, path="completion_only"))
    return not unknown
