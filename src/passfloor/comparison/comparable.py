"""What changed between two runs besides the agent, so that a difference may not be the agent's."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from passfloor.canonical import canonical, equal
from passfloor.comparison.evidence import Evidence
from passfloor.models.receipt import ReceiptHead


@dataclass(frozen=True)
class Change:
    """One thing that differs.

    Attributes:
        kind: ``served model``, ``resources`` or ``harness``.
        what: What exactly, such as ``cpus`` or ``version``.
        base: As it was; JSON text or words of the receipt, unescaped.
        new: As it is.
    """

    kind: str
    what: str
    base: str
    new: str


def changes(base: Evidence, new: Evidence) -> tuple[Change, ...]:
    """What differs between two verified receipts besides the agent, and could move the figures by itself."""
    heads = base.verification.head, new.verification.head
    if heads[0] is None or heads[1] is None:
        return ()
    found = [
        *_pairs("served model", {"model": models(base)}, {"model": models(new)}),
        *_pairs("resources", _resources(heads[0]), _resources(heads[1])),
        *_pairs("harness", _harness(heads[0]), _harness(heads[1])),
    ]
    if heads[0].subject.adapter == heads[1].subject.adapter:
        options = ({"options": head.subject.config_digest} for head in heads if head is not None)
        found += _pairs("harness", *options)
    return tuple(found)


def models(evidence: Evidence) -> list[str]:
    """The models a receipt names: those of recorded answers, else what the signer claims, else none."""
    head = evidence.verification.head
    if evidence.served:
        return list(evidence.served)
    return [head.subject.model] if head is not None and head.subject.model is not None else []


def _resources(head: ReceiptHead) -> dict[str, Any]:
    """Where the last stage ran."""
    here = head.environment[-1]
    return {**here.limits, "platform": here.platform, "concurrency": here.concurrency}


def _harness(head: ReceiptHead) -> dict[str, Any]:
    graders = {f"grader {kind}": version for kind, version in head.graders.items()}
    return {
        "version": f"{head.tool.name} {head.tool.version}",
        "adapter": head.subject.adapter,
        "scheduler": head.scheduler_config,
        "rule": head.coordination_rule,
        "identity fields": head.identity_fields,
        **graders,
    }


def _pairs(kind: str, base: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for what in dict.fromkeys([*base, *new]):
        was, now = base.get(what), new.get(what)
        if not equal(was, now):
            yield Change(kind, what, _text(was), _text(now))


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "not named"
    if value is None:
        return "none"
    return value if isinstance(value, str) else canonical(value).decode()
