"""One run as the command line asks for it: looked over first, then performed, then told."""

import os
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passfloor.cli.agents import say_notes
from passfloor.cli.command_line import resume_command
from passfloor.cli.exits import Exit
from passfloor.cli.opening import OpeningFlags, Said
from passfloor.cli.options import code_graders, store
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.cli.plan_flags import PlanFlags
from passfloor.cli.progress import Progress, progress
from passfloor.cli.signals import Stopped
from passfloor.cli.spreading import Spread, SpreadFlags
from passfloor.cli.telling import tell, tell_stopped, tell_unsealed
from passfloor.errors import EnvironmentFault, PassfloorError, RunStoppedError
from passfloor.models.plan import ENDPOINTS, Plan
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.grading import RunGrader
    from passfloor.journal.ledger import Ledger
    from passfloor.journal.run_folder import RunFolder
    from passfloor.journal.state import Sealed
    from passfloor.models.receipt import Attempt, ReceiptHead
    from passfloor.models.suite import Suite, Task
    from passfloor.report.view import RunView
    from passfloor.running.recorded import RecordedRun
    from passfloor.running.runner import Runner
    from passfloor.running.sealing import Draft
    from passfloor.scrubbing import Scrubber
    from passfloor.signing.signers import Signer


@dataclass(frozen=True)
class Request:
    """The run's flags as given."""

    suite: str
    asked: PlanFlags
    seed: int
    run_graders: bool
    keep_going: bool
    out: Path
    force: bool
    opening: OpeningFlags
    spread: SpreadFlags
    runs_dir: Path
    resume: bool
    run: str | None
    embed_suite: bool | None
    stub_signer: bool
    no_seal: bool
    quiet: bool
    as_json: bool


@dataclass
class Job:
    """A run that was looked over and can start.

    Attributes:
        suite: The whole suite.
        part: Those of its tasks that are run.
        scrubber: What takes the agent's secrets out.
        spread: Where attempts are made.
        old: The run to go on with; None where a new one is started.
        said: What was said before a new one, for its opening.
        created: Whether the signing identity was made by this run.
        elsewhere: Where the receipt was written instead, where its place was taken meanwhile.
    """

    request: Request
    suite: "Suite"
    part: "Suite"
    adapter: "AnyAdapter"
    scrubber: "Scrubber"
    plan: Plan
    spread: Spread
    old: "RunFolder | None" = None
    said: Said = field(default_factory=Said)
    created: bool = field(default=False, init=False)
    elsewhere: Path | None = field(default=None, init=False)

    @property
    def as_json(self) -> bool:
        """Whether it is told as JSON."""
        return self.request.as_json

    @property
    def stub_signer(self) -> bool:
        """Whether the test stub signs."""
        return self.request.stub_signer

    @property
    def place(self) -> Path:
        """Where the receipt stands, once it is written."""
        return self.elsewhere or self.request.out

    @property
    def total(self) -> int:
        """How many attempts the plan asks for."""
        return len(self.part.tasks) * self.plan.n

    @property
    def due(self) -> int:
        """How many of them are still to be made."""
        return self.total - (0 if self.old is None else len(self.old.state().finished))

    @property
    def concurrency(self) -> int:
        """How many attempts run side by side."""
        return self.spread.concurrency

    @property
    def run_grader(self) -> "RunGrader | None":
        """What runs the suite's graders with code; None where that is not allowed."""
        root = self.request.asked.agent.workspace_root
        return code_graders(root) if self.request.run_graders else None

    def describe(self) -> Exit:
        """Print the plan and the bill, run nothing."""
        from passfloor.digests import plan_hash
        from passfloor.report.layout import counted, portion

        plan = self.plan
        if self.request.as_json:
            print_json({"plan": plan.model_dump(), "plan_hash": plan_hash(plan), "runs": self.due})
            return Exit.DONE
        print_text(
            f"suite   : {show(self.suite.version)}, {portion(len(self.part.tasks), len(self.suite.tasks))}\n"
            f"          {plan.suite_hash}\n"
            f"agent   : adapter '{plan.subject.adapter}', digest {plan.subject.adapter_digest[:16]}...\n"
            f"plan    : k={plan.k}, n={plan.n}, rule '{plan.coordination_rule}'\n"
            f"          {plan_hash(plan)}\n"
            f"{self._changing()}{self._asked()}"
            f"bill    : {counted(self.due, 'run')} of the agent\n"
            "nothing was run (--dry-run)"
        )
        return Exit.DONE

    def _changing(self) -> str:
        """A line for each declared place that changes by itself."""
        return "".join(f"changes : {show(field)}\n" for field in self.plan.identity_fields)

    def _asked(self) -> str:
        """The line of the gate, where the plan seals one."""
        gate = self.plan.gate
        return f"gate    : {', '.join(f'{show(key)} {text}' for key, text in gate.items())}\n" if gate else ""

    def perform(self) -> Exit:
        """Run what is due, seal, sign, write and tell; of a sealed run only tell."""
        from passfloor.report.view import RunView

        view = RunView()
        with self._recorded().open() as run:
            try:
                if self.request.no_seal:
                    self._leave(run)
                    receipt = None
                else:
                    receipt = self._receipt(run, view)
            except RunStoppedError as error:
                say_notes(self.adapter, note)
                self._abort(run)
                command = resume_command()
                return tell_stopped(self, run.session.run, f"{error}; go on with: {command}")
            except Stopped as stopped:
                stopped.detail = f"after {self._progress(run)}; nothing was sealed; {self._go_on()}"
                self._abort(run)
                raise
            except BaseException:
                if run.sealed is None:
                    note(f"{self._progress(run)} are kept; {self._go_on()}")
                self._abort(run)
                raise
            say_notes(self.adapter, note)
            if receipt is None:
                return tell_unsealed(self, run)
            self._enter(run, receipt)
        return tell(self, receipt, view)

    def _leave(self, run: "RecordedRun") -> None:
        """Make the attempts that are due, and leave the run to be sealed elsewhere."""
        from passfloor.journal.handover import Handover, write_handover
        from passfloor.running.session import timestamp

        self._run(run)
        ended_at, suite = timestamp(time.time()), self.suite.document()
        write_handover(run.folder, Handover(run=run.session.run, ended_at=ended_at, suite=suite))

    def _recorded(self) -> "RecordedRun":
        """The run on disk, with the attempts it has: a new one, or the one to go on with."""
        from passfloor.running.facts import oversubscribed
        from passfloor.running.recorded import RecordedRun

        request = self.request
        here = self.plan.subject.adapter not in ENDPOINTS and not self.spread.elsewhere
        if here and request.spread.concurrency is not None and (warning := oversubscribed(self.concurrency)):
            note(warning)
        if self.old is not None:
            run = RecordedRun.resume(
                self.old,
                n=self.plan.n,
                concurrency=self.concurrency,
                ledger=self._ledger(),
                where=self.spread.environment,
            )
            done = "is complete, nothing is run" if run.sealed else f"goes on after {self._progress(run)}"
            note(f"run {run.session.run} {done}")
            return run
        if request.resume:
            note(f"no run of this plan under {request.runs_dir}: starting one")
        return RecordedRun.start(
            request.runs_dir,
            self.plan,
            suite_version=self.suite.version,
            seed=request.seed,
            out=request.out,
            concurrency=self.concurrency,
            ledger=self._ledger(),
            where=self.spread.environment,
            challenge=self.said.challenge,
            precommit_hash=self.said.precommit_hash,
        )

    def _receipt(self, run: "RecordedRun", view: "RunView") -> "ReceiptHead":
        """The head of the signed receipt, which is written to its place; ``view`` sees its attempts."""
        from passfloor.running.preflight import holds
        from passfloor.running.recorded import check_same
        from passfloor.running.saving import place

        sealed = run.sealed
        if sealed is None:
            self._run(run)
        with self._draft(run, sealed, view) as draft:
            if sealed is not None:
                check_same(draft, sealed, self.request.out)
            signer = self._signer(draft.head.emitted_at)
            if sealed is None:
                run.seal(draft.head, self.request.out)
            receipt = signer.sign(draft.head)
            if self.request.force or not holds(self.request.out, receipt.receipt_hash):
                wanted, replace = self.request.out, self.request.force
                written = place(draft.file(receipt), wanted, replace=replace, run=run.session.run)
                if written != wanted:
                    self.elsewhere = written
                    note(f"{wanted} was made meanwhile; the receipt stands in {written}")
        return receipt

    def _draft(self, run: "RecordedRun", sealed: "Sealed | None", view: "RunView") -> "Draft":
        """The unsigned receipt; of a run that was sealed before, as it was sealed then."""
        from passfloor.running.runner import SealedBefore

        if sealed is None:
            return self._runner(run, embed_suite=self.request.embed_suite).draft(run.folder, witness=view)
        before = SealedBefore(sealed.ended_at, sealed.emitted_at)
        return self._runner(run, embed_suite=sealed.suite_embedded).draft(run.folder, before, witness=view)

    def _run(self, run: "RecordedRun") -> None:
        done = run.store.count()
        told = 0
        with progress(self.part, self.plan.n, quiet=self.request.quiet, done=done) as shown:

            def observe(task: "Task", attempt: "Attempt") -> None:
                nonlocal told
                told += 1
                shown.finished(task, attempt)
                if told == 1 and not done and attempt.error is not None:
                    self._hint(attempt, shown)

            # Nothing is started where nothing is due.
            with self.spread.open() if done < self.total else nullcontext(self.adapter) as adapter:
                self._runner(run, adapter, observer=observe, began=shown.began).execute()

    def _runner(
        self,
        run: "RecordedRun",
        adapter: "AnyAdapter | None" = None,
        *,
        embed_suite: bool | None = None,
        **observers: Any,
    ) -> "Runner":
        from passfloor.running.runner import Runner

        return Runner(
            self.suite,
            adapter or self.adapter,
            self.plan,
            seed=self.request.seed,
            keep_going=self.request.keep_going,
            run_grader=self.run_grader,
            embed_suite=embed_suite,
            session=run.session,
            store=run.store,
            concurrency=self.concurrency,
            environments=run.environments,
            scrubber=self.scrubber,
            recorded=getattr(self.adapter, "recording", None) is not None,
            **observers,
        )

    def _progress(self, run: "RecordedRun") -> str:
        return f"{run.store.count()} of {self.total} attempts"

    def _go_on(self) -> str:
        return f"go on with: {resume_command()}"

    def _abort(self, run: "RecordedRun") -> None:
        if run.sealed is not None:
            return
        try:
            run.abort()
        except PassfloorError as error:
            note(f"warning: the end of the run is not in the ledger: {error}")

    def _enter(self, run: "RecordedRun", receipt: "ReceiptHead") -> None:
        try:
            run.complete(receipt.receipt_hash)
        except PassfloorError as error:
            note(f"warning: the receipt is sealed, but not in the ledger: {error}")

    def _ledger(self) -> "Ledger | None":
        """That of the identity; a run that the stub signs is in none."""
        from passfloor.journal.ledger import Ledger
        from passfloor.keys import hidden
        from passfloor.keys.files import check_writable

        home = None if self.request.stub_signer else store(os.environ).home
        if home is None:
            return None
        if not {hidden.KEY_VARIABLE, hidden.KEY_FILE_VARIABLE}.isdisjoint(hidden.environ()):
            # The key needs no home then, and a job of CI may have none that can be written to.
            try:
                check_writable(home)
            except EnvironmentFault as fault:
                note(
                    f"warning: the run gets no number in a ledger: {fault}; name a folder with PASSFLOOR_HOME"
                )
                return None
        return Ledger(home / "ledger.jsonl")

    def _hint(self, attempt: "Attempt", shown: Progress) -> None:
        """What a first attempt that errored may be missing, and the last thing it said."""
        from passfloor.report import view
        from passfloor.report.run_summary import ERRORED_FIRST, is_process_error

        if attempt.error is not None and is_process_error(attempt.error.type, self.plan.subject.adapter):
            if words := view.last_words(attempt):
                shown.say(f"the agent's last line on standard error: {show(words)}")
            shown.say(ERRORED_FIRST)

    def _signer(self, at: float) -> "Signer":
        from passfloor.cli.signing import signer_for

        stub, runs_dir = self.request.stub_signer, self.request.runs_dir
        signer, self.created = signer_for(stub=stub, runs_dir=runs_dir, at=at)
        return signer
