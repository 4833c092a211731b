"""One run as the command line asks for it: looked over first, then performed, then told."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli.exits import Exit
from passfloor.cli.options import AgentFlags, say_notes, store, work_folders
from passfloor.cli.outputs import complain, note, print_json, print_text
from passfloor.cli.progress import Progress, progress
from passfloor.cli.signals import Stopped
from passfloor.errors import RunStoppedError, UsageError
from passfloor.models.plan import SYNTHETIC, Plan
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.models.receipt import Attempt, ReliabilityReceipt
    from passfloor.models.suite import Suite, Task
    from passfloor.running.plan import Claims
    from passfloor.running.session import OpenSession
    from passfloor.signing.signers import Signer


@dataclass(frozen=True)
class Request:
    """The run's flags as given."""

    suite: str
    k: int
    n: int | None
    agent: AgentFlags
    claims: "Claims"
    scheduler: str
    seed: int
    completion_only: bool
    keep_going: bool
    out: Path
    force: bool
    embed_suite: bool | None
    stub_signer: bool
    quiet: bool
    as_json: bool


@dataclass
class Job:
    """A run that was looked over and can start.

    Attributes:
        created: Whether the signing identity was made by this run.
    """

    request: Request
    suite: "Suite"
    adapter: "AnyAdapter"
    plan: Plan
    created: bool = field(default=False, init=False)

    @property
    def total(self) -> int:
        """How many attempts the plan asks for."""
        return len(self.suite.tasks) * self.plan.n

    def describe(self) -> Exit:
        """Print the plan and the bill, run nothing."""
        from passfloor.digests import plan_hash
        from passfloor.report.layout import counted

        plan = self.plan
        if self.request.as_json:
            print_json({"plan": plan.model_dump(), "plan_hash": plan_hash(plan), "runs": self.total})
            return Exit.DONE
        print_text(
            f"suite   : {show(self.suite.version)}, {counted(len(self.suite.tasks), 'task')}\n"
            f"          {plan.suite_hash}\n"
            f"agent   : adapter '{plan.subject.adapter}', digest {plan.subject.adapter_digest[:16]}...\n"
            f"plan    : k={plan.k}, n={plan.n}, rule '{plan.coordination_rule}'\n"
            f"          {plan_hash(plan)}\n"
            f"bill    : {counted(self.total, 'run')} of the agent\n"
            "nothing was run (--dry-run)"
        )
        return Exit.DONE

    def perform(self) -> Exit:
        """Run, seal, sign, write and tell."""
        from passfloor import receipts
        from passfloor.running.session import open_session

        session = open_session(self.plan)
        try:
            unsigned = self._run(session)
        except RunStoppedError as error:
            say_notes(self.adapter, note)
            return self._tell_stopped(session.run, error)
        say_notes(self.adapter, note)
        receipt = self._signer().sign(unsigned)
        receipts.save(receipt.document(), self.request.out)
        return self._tell(receipt)

    def _run(self, session: "OpenSession") -> "ReliabilityReceipt":
        from passfloor.running.runner import Runner

        request, finished = self.request, 0
        with progress(self.suite, self.plan.n, quiet=request.quiet) as shown:

            def observe(task: "Task", attempt: "Attempt") -> None:
                nonlocal finished
                finished += 1
                shown.finished(task, attempt)
                if finished == 1 and attempt.error is not None:
                    self._hint(attempt.error.type, shown)

            try:
                return Runner(
                    self.suite,
                    self.adapter,
                    self.plan,
                    seed=request.seed,
                    keep_going=request.keep_going,
                    observer=observe,
                    embed_suite=request.embed_suite,
                    session=session,
                ).run()
            except Stopped as stopped:
                stopped.detail = f"after {finished} of {self.total} attempts; nothing was sealed"
                raise

    def _hint(self, error: str, shown: Progress) -> None:
        from passfloor.report.run_summary import ERRORED_FIRST, is_process_error

        if is_process_error(error):
            shown.say(ERRORED_FIRST)

    def _signer(self) -> "Signer":
        from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner

        if self.request.stub_signer:
            return StubReliabilitySigner()
        from passfloor.keys.keystore import signing_key

        keys = store(os.environ)
        key, self.created = signing_key(
            os.environ, keys, start_folder=Path.cwd(), forbidden=work_folders(keys.home)
        )
        if self.created:
            note(f"new identity {key.public.kid}, publish it with: passfloor key publish")
            if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
                note(
                    "warning: CI is set and no key was given: this key dies with the job; "
                    "give one in PASSFLOOR_SIGNING_KEY"
                )
        return Ed25519Signer(key)

    def _tell(self, receipt: "ReliabilityReceipt") -> Exit:
        from passfloor.report import view
        from passfloor.report.run_summary import run_summary, warnings

        numbers = view.figures(receipt)
        first = view.first_error(receipt)
        if self.request.as_json:
            self._print_json(receipt.session.run, str(self.request.out), receipt)
        else:
            parting, tallies = view.divergence(receipt), view.tallies(receipt)
            print_text(run_summary(receipt, numbers, str(self.request.out), tallies, parting))
        alike = view.all_outputs_alike(receipt)
        for warning in warnings(receipt, numbers, outputs_alike=alike, first_error=first):
            note(warning)
        if not receipt.coordination_ok:
            return Exit.EVIDENCE_SAYS_NO
        if numbers.counts.errored == numbers.counts.attempts:
            return complain(
                f"every attempt errored (the first: {first}): the figures say nothing about the agent; "
                "mend it, or look at what it left with --keep-workspaces failed",
                Exit.UNDECIDED,
            )
        return Exit.DONE

    def _tell_stopped(self, run: str, error: RunStoppedError) -> Exit:
        if self.request.as_json:
            self._print_json(run, None, None)
        return complain(str(error), Exit.UNDECIDED)

    def _print_json(self, run: str, path: str | None, receipt: "ReliabilityReceipt | None") -> None:
        from passfloor.report import json_document, view

        figures = None if receipt is None else view.figures(receipt)
        print_json(
            json_document.run(
                receipt,
                figures,
                run=run,
                receipt=path,
                plan=self.plan,
                suite_version=self.suite.version,
                identity_created=self.created,
            )
        )


def prepare(request: Request) -> Job:
    """Look everything over before the first attempt: budget, suite, agent, place, disk, key.

    Raises:
        UsageError: something cannot work; nothing was run.
        EnvironmentFault: the machine stands in the way.
    """
    from passfloor.running.plan import check_budget, make_plan
    from passfloor.running.preflight import check_disk, check_out
    from passfloor.suites import load_suite
    from passfloor.workspaces.folder import default_root

    check_budget(request.k, request.n)
    suite = load_suite(request.suite, completion_only=request.completion_only)
    adapter = request.agent.ready(suite.version, note)
    plan = make_plan(
        suite,
        adapter,
        k=request.k,
        n=request.n,
        scheduler_config={"scheduler": request.scheduler},
        claims=request.claims,
        completion_only=request.completion_only,
    )
    check_out(request.out, force=request.force)
    check_disk(request.agent.workspace_root or default_root())
    _check_signer(request, plan)
    return Job(request, suite, adapter, plan)


def _check_signer(request: Request, plan: Plan) -> None:
    if request.stub_signer:
        return
    if plan.subject.adapter in SYNTHETIC:
        raise UsageError(
            f"--adapter {plan.subject.adapter} drives no real agent: only --stub-signer may sign for it"
        )
    from passfloor.keys.keystore import signing_key_available

    keys = store(os.environ)
    signing_key_available(os.environ, keys, start_folder=Path.cwd(), forbidden=work_folders(keys.home))
