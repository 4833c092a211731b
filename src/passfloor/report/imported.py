"""What stands beside every figure of an imported receipt: that nobody saw it, and what counted as a pass."""

from collections.abc import Iterator

from passfloor.models.plan import IMPORTED
from passfloor.models.receipt import ReceiptHead
from passfloor.report.escape import show
from passfloor.report.wording import IMPORTED_NOTE

_LONGEST = 120


def imported_notes(head: ReceiptHead) -> Iterator[str]:
    """Sentences for the reader of figures; none where the receipt is of a run.

    The rule is told as the embedded suite has it; verifying shows that it is the one of every record.
    """
    if not head.subject.adapter.startswith(IMPORTED):
        return
    yield IMPORTED_NOTE
    told = ", ".join(f"{show(name, _LONGEST)} {_value(value)}" for name, value in _rule(head))
    if told:
        yield f"records are read by the signer's rule: {told}"


def _rule(head: ReceiptHead) -> list[tuple[str, object]]:
    try:
        rule = (head.suite or {})["tasks"][0]["assertions"][0]["rule"]
    except (IndexError, KeyError, TypeError):
        return []
    return sorted(rule.items()) if isinstance(rule, dict) else []


def _value(value: object) -> str:
    words = " or ".join(map(str, value)) if isinstance(value, list) else value
    return show(words, _LONGEST)
