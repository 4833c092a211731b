"""One run as the command line asks for it: looked over first, then performed, then told."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passfloor.cli.exits import Exit
from passfloor.cli.options import AgentFlags, store
from passfloor.cli.outputs import complain, note, print_json, print_text
from passfloor.cli.progress import progress
from passfloor.errors import RunStoppedError, UsageError
from passfloor.models.plan import SYNTHETIC, Plan

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.models.receipt import ReliabilityReceipt
    from passfloor.models.suite import Suite
    from passfloor.running.plan import Claims
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

    def describe(self) -> Exit:
        """Print the plan and the bill, run nothing."""
        from passfloor.digests import plan_hash

        plan, runs = self.plan, len(self.suite.tasks) * self.plan.n
        if self.request.as_json:
            print_json({"plan": plan.model_dump(), "plan_hash": plan_hash(plan), "runs": runs})
            return Exit.DONE
        tasks = len(self.suite.tasks)
        print_text(
            f"suite   : {self.suite.version}, {tasks} task{'' if tasks == 1 else 's'}\n"
            f"          {plan.suite_hash}\n"
            f"agent   : adapter '{plan.subject.adapter}', digest {plan.subject.adapter_digest[:16]}...\n"
            f"plan    : k={plan.k}, n={plan.n}, rule '{plan.coordination_rule}'\n"
            f"          {plan_hash(plan)}\n"
            f"bill    : {runs} runs of the agent\n"
            "nothing was run (--dry-run)"
        )
        return Exit.DONE

    def perform(self) -> Exit:
        """Run, seal, sign, write and tell."""
        from passfloor import receipts
        from passfloor.running.runner import Runner
        from passfloor.running.session import open_session

        request = self.request
        session = open_session(self.plan)
        total = len(self.suite.tasks) * self.plan.n
        with progress(total, quiet=request.quiet) as observer:
            runner = Runner(
                self.suite,
                self.adapter,
                self.plan,
                seed=request.seed,
                keep_going=request.keep_going,
                observer=observer,
                embed_suite=request.embed_suite,
                session=session,
            )
            try:
                unsigned = runner.run()
            except RunStoppedError as error:
                return self._tell_stopped(session.run, error)
        receipt = self._signer().sign(unsigned)
        receipts.save(receipt.document(), request.out)
        return self._tell(receipt)

    def _signer(self) -> "Signer":
        from passfloor.signing.signers import Ed25519Signer, StubReliabilitySigner

        if self.request.stub_signer:
            return StubReliabilitySigner()
        from passfloor.keys.keystore import signing_key

        key, self.created = signing_key(os.environ, store(os.environ), start_folder=Path.cwd())
        if self.created:
            note(f"new identity {key.public.kid}, publish it with: passfloor key publish")
            if os.environ.get("CI", "").lower() not in {"", "0", "false"}:
                note(
                    "warning: CI is set and no key was given: this key dies with the job; "
                    "give one in PASSFLOOR_SIGNING_KEY"
                )
        return Ed25519Signer(key)

    def _tell(self, receipt: "ReliabilityReceipt") -> Exit:
        from passfloor.report import terminal, view

        numbers = view.figures(receipt)
        if self.request.as_json:
            self._print_json(receipt.session.run, str(self.request.out), receipt)
        else:
            print_text(
                terminal.run_summary(receipt, numbers, str(self.request.out), view.divergence(receipt))
            )
        if not receipt.coordination_ok:
            return Exit.EVIDENCE_SAYS_NO
        if numbers.counts.errored == numbers.counts.attempts:
            first = receipt.task_results[0].attempts[0].error
            what = "" if first is None else f" (the first: {first.type}, {first.detail})"
            return complain(
                f"every attempt errored{what}: the figures say nothing about the agent", Exit.UNDECIDED
            )
        return Exit.DONE

    def _tell_stopped(self, run: str, error: RunStoppedError) -> Exit:
        if self.request.as_json:
            self._print_json(run, None, None)
        return complain(str(error), Exit.UNDECIDED)

    def _print_json(self, run: str, path: str | None, receipt: "ReliabilityReceipt | None") -> None:
        from passfloor.report import json_document, view

        plan: dict[str, Any] = {
            "suite_version": self.suite.version,
            "suite_hash": self.plan.suite_hash,
            "k": self.plan.k,
            "n": self.plan.n,
        }
        print_json(
            json_document.run(
                receipt,
                None if receipt is None else view.figures(receipt),
                run=run,
                receipt=path,
                plan=plan,
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
    suite = load_suite(request.suite)
    adapter = request.agent.ready(suite.version, note)
    plan = make_plan(
        suite,
        adapter,
        k=request.k,
        n=request.n,
        scheduler_config={"scheduler": request.scheduler},
        claims=request.claims,
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

    signing_key_available(os.environ, store(os.environ), start_folder=Path.cwd())
