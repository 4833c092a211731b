"""Looking a run over before its first attempt."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli.driving import ready
from passfloor.cli.job import Job, Request
from passfloor.cli.opening import check_same
from passfloor.cli.options import store, work_folders
from passfloor.cli.plan_flags import PlanFlags
from passfloor.errors import UsageError
from passfloor.models.plan import SYNTHETIC, Plan

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.journal.run_folder import RunFolder
    from passfloor.journal.state import Sealed
    from passfloor.models.suite import Suite
    from passfloor.scrubbing import Scrubber


@dataclass(frozen=True)
class Planned:
    """A plan, and what it was made of.

    Attributes:
        suite: The whole suite.
        part: Those of its tasks that are run.
        adapter: Drives the agent; made to record where that is asked for.
        scrubber: What takes the agent's secrets out.
    """

    suite: "Suite"
    part: "Suite"
    adapter: "AnyAdapter"
    scrubber: "Scrubber"
    plan: Plan


def make_planned(suite_name: str, asked: PlanFlags, *, allow_stub: bool) -> Planned:
    """Make the plan that the flags ask for; nothing is run or written.

    ``allow_stub``: the test stub's signature counts on the receipt that a selection looks at.

    Raises:
        UsageError: something cannot work.
    """
    from passfloor.running.plan import check_budget, make_plan
    from passfloor.suites import load_suite

    check_budget(asked.k, asked.attempts)
    suite = load_suite(suite_name, completion_only=asked.completion_only)
    part, selection = asked.selection.choose(suite, os.environ, allow_stub=allow_stub)
    gate = _gate(asked, part)
    adapter, scrubber = ready(asked.agent, suite.version, part.tasks)
    compared = asked.record.attach(adapter, asked.agent.declared(), scrubber, os.environ)
    plan = make_plan(
        part,
        adapter,
        k=asked.k,
        n=asked.attempts,
        scheduler_config={"scheduler": asked.scheduler},
        claims=asked.claim.claims(),
        completion_only=asked.completion_only,
        selection=selection,
        gate=gate,
        coordination_rule=compared.rule,
        identity_fields=compared.identity_fields,
    )
    return Planned(suite, part, adapter, scrubber, plan)


def prepare(request: Request) -> Job:
    """Look everything over before the first attempt: budget, suite, agent, place, disk, key.

    Raises:
        UsageError: something cannot work; nothing was run.
        EnvironmentFault: the machine stands in the way.
    """
    from passfloor.running.preflight import check_disk, check_out, check_runs_dir
    from passfloor.running.runner import require_graders
    from passfloor.workspaces.folder import default_root

    request.spread.check()
    made = make_planned(request.suite, request.asked, allow_stub=request.seal.stub_signer)
    said = request.opening.said(made.plan, stub=request.seal.stub_signer)
    old = _old(request, made.plan, made.suite.version)
    if old is not None:
        check_same(said, old, made.plan.n)
    if old is None or len(old.state().finished) < len(made.part.tasks) * made.plan.n:
        require_graders(made.plan, allowed=request.run_graders)
    if request.no_seal:
        _check_unsealed(request, made.plan, old)
    elif not _is_in_place(request, made.plan, old):
        check_out(request.seal.out, force=request.seal.force)
    check_runs_dir(request.runs_dir)
    check_disk(request.asked.agent.workspace_root or default_root())
    check_disk(request.runs_dir, "--runs-dir")
    if not request.no_seal:
        # What was sealed before is signed again as of then.
        at = None if _sealed(made.plan, old) else time.time()
        check_signer(made.plan, stub=request.seal.stub_signer, runs_dir=request.runs_dir, at=at)
    spread = request.spread.ready(made.adapter, made.scrubber)
    return Job(request, made.suite, made.part, made.adapter, made.scrubber, made.plan, spread, old, said)


def _gate(asked: PlanFlags, part: "Suite") -> dict[str, str] | None:
    """What the gate flags ask of the tasks that are run, as the plan seals it."""
    thresholds = asked.gate.thresholds()
    if not thresholds:
        return None
    from passfloor.comparison.gate import check_known
    from passfloor.comparison.thresholds import sealed

    check_known(thresholds, [task.id for task in part.tasks])
    return sealed(thresholds)


def _check_unsealed(request: Request, plan: Plan, old: "RunFolder | None") -> None:
    """What is said of a seal has no meaning where none is made, and a seal that is there stays."""
    of_the_seal = {
        "--stub-signer": request.seal.stub_signer,
        "--force": request.seal.force,
        "--embed-suite": request.seal.embed_suite is not None,
    }
    if given := [name for name, is_given in of_the_seal.items() if is_given]:
        raise UsageError(f"--no-seal makes no receipt: leave {given[0]} out, and give it to bench seal")
    state = None if old is None else old.state()
    if old is not None and state is not None and state.sealed is not None and state.n == plan.n:
        raise UsageError(f"the run {old.header.run} is sealed already: leave --no-seal out")


def _is_in_place(request: Request, plan: Plan, old: "RunFolder | None") -> bool:
    """Whether nothing is to be run, and the receipt stands where it is asked for."""
    from passfloor.running.preflight import holds

    sealed = _sealed(plan, old)
    return sealed is not None and holds(request.seal.out, sealed.receipt_hash)


def _sealed(plan: Plan, old: "RunFolder | None") -> "Sealed | None":
    """The seal that the run has already, where nothing of it is to be run."""
    state = None if old is None else old.state()
    return None if state is None or state.n != plan.n else state.sealed


def _old(request: Request, plan: Plan, suite_version: str) -> "RunFolder | None":
    from passfloor.running.recorded import find

    if not request.resume and request.run is None:
        return None
    return find(
        request.runs_dir,
        plan,
        suite_version=suite_version,
        seed=request.seed,
        out=request.seal.out,
        run=request.run,
    )


def check_signer(plan: Plan, *, stub: bool, runs_dir: Path, at: float | None = None) -> None:
    """There is a key that may sign for what the plan runs, or one can be made.

    ``at``: When it signs, in seconds since the epoch; None: at any time.

    Raises:
        UsageError: there is none, or it stands where attempts could read it.
    """
    if stub:
        return
    if plan.subject.adapter in SYNTHETIC:
        raise UsageError(
            f"--adapter {plan.subject.adapter} drives no real agent: only --stub-signer may sign for it"
        )
    from passfloor.keys import hidden
    from passfloor.keys.choosing import signing_key_available
    from passfloor.keys.rehearsal import rehearse

    environ = hidden.environ()
    keys = store(environ)
    forbidden = [*work_folders(keys.home), runs_dir]
    rehearse(
        lambda: signing_key_available(environ, keys, start_folder=Path.cwd(), forbidden=forbidden, at=at)
    )
