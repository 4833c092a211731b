"""The flags of a recorded run: where its model calls go, and by which rule attempts are compared."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from passfloor.errors import UsageError

if TYPE_CHECKING:
    from passfloor.adapters.describe import AnyAdapter
    from passfloor.config import Agent
    from passfloor.recording.upstreams import Upstream
    from passfloor.scrubbing import Scrubber

Rule = Literal["identical", "causal"]


@dataclass(frozen=True)
class Compared:
    """How attempts are compared, as the plan seals it."""

    rule: Rule
    identity_fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class RecordFlags:
    """The flags as given."""

    record: Annotated[
        bool,
        typer.Option(
            "--record",
            help="Record every model call: a proxy on this machine, which OPENAI_BASE_URL and "
            "ANTHROPIC_BASE_URL of the agent name, passes them on. Needs passfloor[record].",
        ),
    ] = False
    upstream: Annotated[
        list[str] | None,
        typer.Option(
            "--upstream",
            metavar="[NAME=]URL",
            help="Where recorded calls go: openai=URL, anthropic=URL, or URL for both. Repeatable. "
            "[default: the provider's own variable, else its own address]",
        ),
    ] = None
    coordination: Annotated[
        str | None,
        typer.Option(
            "--coordination",
            metavar="identical|causal",
            help="What is the same in every attempt: all the agent does, or all it does before it was told "
            "something another attempt was not. [default: causal with --record, else identical]",
        ),
    ] = None
    identity_field: Annotated[
        list[str] | None,
        typer.Option(
            "--identity-field",
            metavar="PATH[=REGEX]",
            help="A place in recorded events that changes by itself, such as request.user; with a pattern "
            "(RE2) only what it matches. Sealed in the plan. Repeatable.",
        ),
    ] = None

    def attach(
        self,
        adapter: "AnyAdapter",
        declared: "Agent | None",
        scrubber: "Scrubber",
        environ: Mapping[str, str],
    ) -> Compared:
        """Make the adapter record, where that is asked for; what the flags leave open is as declared.

        Raises:
            UsageError: it cannot record, an upstream is not there, or a flag has no meaning.
        """
        rule = self._rule(declared)
        if not (self.record or (declared is not None and declared.record)):
            self._refuse_beside_nothing(rule)
            return Compared("identical")
        record = getattr(adapter, "record", None)
        if not callable(record):
            raise UsageError(
                "--record has no meaning for this agent: its model calls are made where no proxy of ours is; "
                "leave it out, or drive the agent as a program or a function"
            )
        from passfloor.recording.attempts import record_from

        fields = tuple(self.identity_field or ())
        recording = record_from(self._upstreams(adapter, environ), scrubber, fields)
        recording.check()
        record(recording)
        return Compared(rule or "causal", fields)

    def _rule(self, declared: "Agent | None") -> Rule | None:
        match self.coordination:
            case None:
                return None if declared is None else declared.coordination
            case "identical" | "causal" as rule:
                return rule
            case other:
                raise UsageError(f"--coordination {other!a}: say 'identical' or 'causal'")

    def _refuse_beside_nothing(self, rule: Rule | None) -> None:
        for flag, given in (("--upstream", self.upstream), ("--identity-field", self.identity_field)):
            if given:
                raise UsageError(f"{flag} has no meaning without --record; add that, or leave it out")
        if rule == "causal":
            raise UsageError(
                "--coordination causal compares what attempts did up to what their models said: add --record"
            )

    def _upstreams(self, adapter: "AnyAdapter", environ: Mapping[str, str]) -> "dict[str, Upstream]":
        from passfloor.recording.upstreams import parse_upstreams

        base_url = getattr(adapter, "base_url", None)
        if base_url is None:
            return parse_upstreams(self.upstream or (), environ)
        if self.upstream:
            raise UsageError("--upstream has no meaning beside --model: --base-url says where the model is")
        return parse_upstreams([f"openai={base_url}"], {})
