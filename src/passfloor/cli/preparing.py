"""Looking a run over before its first attempt."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli.job import Job, Request
from passfloor.cli.options import store, work_folders
from passfloor.errors import UsageError
from passfloor.models.plan import SYNTHETIC, Plan

if TYPE_CHECKING:
    from passfloor.journal.run_folder import RunFolder
    from passfloor.models.suite import Suite


def prepare(request: Request) -> Job:
    """Look everything over before the first attempt: budget, suite, agent, place, disk, key.

    Raises:
        UsageError: something cannot work; nothing was run.
        EnvironmentFault: the machine stands in the way.
    """
    from passfloor.running.plan import check_budget, make_plan
    from passfloor.running.preflight import check_disk, check_out, check_runs_dir
    from passfloor.suites import load_suite
    from passfloor.workspaces.folder import default_root

    check_budget(request.k, request.n)
    request.spread.check()
    suite = load_suite(request.suite, completion_only=request.completion_only)
    part, selection = request.selection.choose(suite, os.environ, allow_stub=request.stub_signer)
    gate = _gate(request, part)
    adapter, scrubber = request.agent.ready(suite.version, part.tasks)
    compared = request.record.attach(adapter, request.agent.declared(), scrubber, os.environ)
    plan = make_plan(
        part,
        adapter,
        k=request.k,
        n=request.n,
        scheduler_config={"scheduler": request.scheduler},
        claims=request.claims,
        completion_only=request.completion_only,
        selection=selection,
        gate=gate,
        coordination_rule=compared.rule,
        identity_fields=compared.identity_fields,
    )
    old = _old(request, plan, suite.version)
    if not _is_in_place(request, plan, old):
        check_out(request.out, force=request.force)
    check_runs_dir(request.runs_dir)
    check_disk(request.agent.workspace_root or default_root())
    check_disk(request.runs_dir, "--runs-dir")
    _check_signer(request, plan)
    spread = request.spread.ready(adapter, scrubber)
    return Job(request, suite, part, adapter, scrubber, plan, spread, old)


def _gate(request: Request, part: "Suite") -> dict[str, str] | None:
    """What the gate flags ask of the tasks that are run, as the plan seals it."""
    asked = request.gate.thresholds()
    if not asked:
        return None
    from passfloor.comparison.gate import check_known
    from passfloor.comparison.thresholds import sealed

    check_known(asked, [task.id for task in part.tasks])
    return sealed(asked)


def _is_in_place(request: Request, plan: Plan, old: "RunFolder | None") -> bool:
    """Whether nothing is to be run, and the receipt stands where it is asked for."""
    from passfloor.running.preflight import holds

    state = None if old is None else old.state()
    if state is None or state.sealed is None or state.n != plan.n:
        return False
    return holds(request.out, state.sealed.receipt_hash)


def _old(request: Request, plan: Plan, suite_version: str) -> "RunFolder | None":
    from passfloor.running.recorded import find

    if not request.resume and request.run is None:
        return None
    return find(
        request.runs_dir,
        plan,
        suite_version=suite_version,
        seed=request.seed,
        out=request.out,
        run=request.run,
    )


def _check_signer(request: Request, plan: Plan) -> None:
    if request.stub_signer:
        return
    if plan.subject.adapter in SYNTHETIC:
        raise UsageError(
            f"--adapter {plan.subject.adapter} drives no real agent: only --stub-signer may sign for it"
        )
    from passfloor.keys.keystore import signing_key_available

    keys = store(os.environ)
    signing_key_available(
        os.environ,
        keys,
        start_folder=Path.cwd(),
        forbidden=[*work_folders(keys.home), request.runs_dir],
    )
