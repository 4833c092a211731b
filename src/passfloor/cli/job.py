"""One run as the command line asks for it: looked over first, then performed, then told."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from passfloor.cli import making
from passfloor.cli.command_line import resume_command
from passfloor.cli.driving import say_notes
from passfloor.cli.exits import Exit
from passfloor.cli.opening import OpeningFlags, Said
from passfloor.cli.options import code_graders
from passfloor.cli.outputs import note, print_json, print_text
from passfloor.cli.plan_flags import PlanFlags
from passfloor.cli.seal_flags import SealFlags
from passfloor.cli.sealing import Signed, sign_and_place
from passfloor.cli.signals import Stopped
from passfloor.cli.spreading import Spread, SpreadFlags
from passfloor.cli.telling import tell, tell_stopped, tell_unsealed
from passfloor.errors import PassfloorError, RunStoppedError
from passfloor.models.plan import Plan
from passfloor.report.escape import show

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.grading import RunGrader
    from passfloor.journal.run_folder import RunFolder
    from passfloor.journal.state import Sealed
    from passfloor.models.suite import Suite
    from passfloor.report.view import RunView
    from passfloor.running.recorded import RecordedRun
    from passfloor.running.sealing import Draft
    from passfloor.scrubbing import Scrubber


@dataclass(frozen=True)
class Request:
    """The run's flags as given."""

    suite: str
    asked: PlanFlags
    seed: int
    run_graders: bool
    keep_going: bool
    seal: SealFlags
    opening: OpeningFlags
    spread: SpreadFlags
    runs_dir: Path
    resume: bool
    run: str | None
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

    @property
    def as_json(self) -> bool:
        """Whether it is told as JSON."""
        return self.request.as_json

    @property
    def stub_signer(self) -> bool:
        """Whether the test stub signs."""
        return self.request.seal.stub_signer

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

        view, signed = RunView(), None
        with making.recorded(self).open() as run:
            try:
                if self.request.no_seal:
                    making.leave(self, run)
                else:
                    signed = self._sealed(run, view)
            except RunStoppedError as error:
                say_notes(self.adapter, note)
                self._abort(run)
                return tell_stopped(self, run.session.run, f"{error}; {_go_on()}")
            except Stopped as stopped:
                done = making.progress_words(self, run)
                left = "nothing was sealed" if run.sealed is None else "sealed, and no receipt written yet"
                stopped.detail = f"after {done}; {left}; {_go_on()}"
                self._abort(run)
                raise
            except BaseException:
                if run.sealed is None:
                    note(f"{making.progress_words(self, run)} are kept; {_go_on()}")
                self._abort(run)
                raise
            say_notes(self.adapter, note)
            if signed is None:
                return tell_unsealed(self, run)
            self._enter(run, signed)
        return tell(self, signed, view)

    def _sealed(self, run: "RecordedRun", view: "RunView") -> Signed:
        """The signed receipt, in its place; ``view`` sees its attempts."""
        from passfloor.running.recorded import check_same

        request, sealed = self.request, run.sealed
        if sealed is None:
            making.make(self, run)
        with self._draft(run, sealed, view) as draft:
            if sealed is not None:
                check_same(draft, sealed, request.seal.out)
            return sign_and_place(run, draft, request.seal, again=sealed is not None, apart=request.runs_dir)

    def _draft(self, run: "RecordedRun", sealed: "Sealed | None", view: "RunView") -> "Draft":
        """The unsigned receipt; of a run that was sealed before, as it was sealed then."""
        from passfloor.running.runner import SealedBefore

        embed = self.request.seal.embed_suite if sealed is None else sealed.suite_embedded
        before = None if sealed is None else SealedBefore(sealed.ended_at, sealed.emitted_at)
        return making.runner(self, run, embed_suite=embed).draft(run.folder, before, witness=view)

    def _abort(self, run: "RecordedRun") -> None:
        if run.sealed is not None:
            return
        try:
            run.abort()
        except PassfloorError as error:
            note(f"warning: the end of the run is not in the ledger: {error}")

    def _enter(self, run: "RecordedRun", signed: Signed) -> None:
        try:
            run.complete(signed.receipt.receipt_hash)
        except PassfloorError as error:
            note(f"warning: the receipt is sealed, but not in the ledger: {error}")


def _go_on() -> str:
    return f"go on with: {resume_command()}"
