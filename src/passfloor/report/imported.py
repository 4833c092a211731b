"""What stands beside every figure of an imported receipt: that nobody saw it, and what counted as a pass."""

from collections.abc import Iterator, Mapping
from typing import Any

from passfloor.models.plan import IMPORTED
from passfloor.models.receipt import ReceiptHead
from passfloor.report.escape import show
from passfloor.report.wording import IMPORTED_NOTE

_LONGEST = 120


def imported_notes(head: ReceiptHead) -> Iterator[str]:
    """Sentences for the reader of figures; none where the receipt is of a run."""
    if importer_of(head) is None:
        return
    yield IMPORTED_NOTE
    if told := rule_words(rule_of(head)):
        yield f"records are read by the signer's rule: {told}"


def importer_of(head: ReceiptHead) -> str | None:
    """Whose log it was, by the name of the importer, unescaped; None where the receipt is of a run."""
    adapter = head.subject.adapter
    return adapter.removeprefix(IMPORTED) if adapter.startswith(IMPORTED) else None


def rule_of(head: ReceiptHead) -> Mapping[str, Any]:
    """By which rule records were read, as the embedded suite has it; empty where it says none.

    Verifying shows that it is the one of every record.
    """
    try:
        rule = (head.suite or {})["tasks"][0]["assertions"][0]["rule"]
    except (IndexError, KeyError, TypeError):
        return {}
    return dict(sorted(rule.items())) if isinstance(rule, dict) else {}


def rule_words(rule: Mapping[str, Any]) -> str:
    """A rule in words, escaped: ``scorer match, pass_values C or 1``; empty for an empty one."""
    return ", ".join(f"{show(name, _LONGEST)} {_value(value)}" for name, value in rule.items())


def _value(value: Any) -> str:
    words = " or ".join(map(str, value)) if isinstance(value, list) else value
    return show(words, _LONGEST)
