"""The making of a job's attempts: the run on disk that keeps them, what is shown meanwhile, what is left."""

import os
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from passfloor.cli.options import store
from passfloor.cli.outputs import note
from passfloor.cli.progress import Progress, progress
from passfloor.errors import EnvironmentFault
from passfloor.models.plan import ENDPOINTS
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.cli.job import Job
    from passfloor.journal.ledger import Ledger
    from passfloor.models.receipt import Attempt
    from passfloor.models.suite import Task
    from passfloor.running.recorded import RecordedRun
    from passfloor.running.runner import Runner


def recorded(job: "Job") -> "RecordedRun":
    """The run on disk, with the attempts it has: a new one, or the one to go on with."""
    from passfloor.running.facts import oversubscribed
    from passfloor.running.recorded import RecordedRun

    request = job.request
    here = job.plan.subject.adapter not in ENDPOINTS and not job.spread.elsewhere
    if here and request.spread.concurrency is not None and (warning := oversubscribed(job.concurrency)):
        note(warning)
    if job.old is not None:
        run = RecordedRun.resume(
            job.old,
            n=job.plan.n,
            concurrency=job.concurrency,
            ledger=_ledger(stub=request.seal.stub_signer),
            where=job.spread.environment,
        )
        done = "is complete, nothing is run" if run.sealed else f"goes on after {progress_words(job, run)}"
        note(f"run {run.session.run} {done}")
        return run
    if request.resume:
        note(f"no run of this plan under {request.runs_dir}: starting one")
    return RecordedRun.start(
        request.runs_dir,
        job.plan,
        suite_version=job.suite.version,
        seed=request.seed,
        out=request.seal.out,
        concurrency=job.concurrency,
        ledger=_ledger(stub=request.seal.stub_signer),
        where=job.spread.environment,
        challenge=job.said.challenge,
        precommit_hash=job.said.precommit_hash,
    )


def make(job: "Job", run: "RecordedRun") -> None:
    """Make the attempts that are due, and show how far that is."""
    done = run.store.count()
    told = 0
    with progress(job.part, job.plan.n, quiet=job.request.quiet, done=done) as shown:

        def observe(task: "Task", attempt: "Attempt") -> None:
            nonlocal told
            told += 1
            shown.finished(task, attempt)
            if told == 1 and not done and attempt.error is not None:
                _hint(attempt, shown, job.plan.subject.adapter)

        # Nothing is started where nothing is due.
        with job.spread.open() if done < job.total else nullcontext(job.adapter) as adapter:
            runner(job, run, adapter, observer=observe, began=shown.began).execute()


def runner(
    job: "Job",
    run: "RecordedRun",
    adapter: "AnyAdapter | None" = None,
    *,
    embed_suite: bool | None = None,
    **observers: Any,
) -> "Runner":
    """What makes the attempts of a job with ``adapter`` (None: its own), and drafts their receipt."""
    from passfloor.running.runner import Runner

    return Runner(
        job.suite,
        adapter or job.adapter,
        job.plan,
        seed=job.request.seed,
        keep_going=job.request.keep_going,
        run_grader=job.run_grader,
        embed_suite=embed_suite,
        session=run.session,
        store=run.store,
        concurrency=job.concurrency,
        environments=run.environments,
        scrubber=job.scrubber,
        recorded=getattr(job.adapter, "recording", None) is not None,
        **observers,
    )


def leave(job: "Job", run: "RecordedRun") -> None:
    """Make the attempts that are due, and leave the run to be sealed elsewhere."""
    from passfloor.journal.handover import Handover, write_handover
    from passfloor.running.session import timestamp

    make(job, run)
    ended_at, suite = timestamp(time.time()), job.suite.document()
    write_handover(run.folder, Handover(run=run.session.run, ended_at=ended_at, suite=suite))


def progress_words(job: "Job", run: "RecordedRun") -> str:
    """How many of a job's attempts are there: ``3 of 10 attempts``."""
    return f"{run.store.count()} of {job.total} attempts"


def _ledger(*, stub: bool) -> "Ledger | None":
    """That of the identity; a run that the stub signs is in none."""
    from passfloor.journal.ledger import Ledger
    from passfloor.keys import hidden
    from passfloor.keys.files import check_writable

    home = None if stub else store(os.environ).home
    if home is None:
        return None
    if not {hidden.KEY_VARIABLE, hidden.KEY_FILE_VARIABLE}.isdisjoint(hidden.environ()):
        # The key needs no home then, and a job of CI may have none that can be written to.
        try:
            check_writable(home)
        except EnvironmentFault as fault:
            note(f"warning: the run gets no number in a ledger: {fault}; name a folder with PASSFLOOR_HOME")
            return None
    return Ledger(home / "ledger.jsonl")


def _hint(attempt: "Attempt", shown: Progress, adapter: str) -> None:
    """What a first attempt that errored may be missing, and the last thing it said."""
    from passfloor.report import view
    from passfloor.report.run_summary import ERRORED_FIRST, is_process_error

    if attempt.error is not None and is_process_error(attempt.error.type, adapter):
        if words := view.last_words(attempt):
            shown.say(f"the agent's last line on standard error: {show(words)}")
        shown.say(ERRORED_FIRST)
