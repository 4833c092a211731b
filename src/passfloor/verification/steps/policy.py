"""Step 16: what the relying party demands beyond authenticity and consistency."""

from collections.abc import Iterator

from passfloor.models.receipt import ReceiptHead
from passfloor.verification.findings import Finding


def check(head: ReceiptHead, *, allow_unrecorded: bool, unreplayed: str = "") -> Iterator[Finding]:
    """Evidence whose coordination was not recorded counts only where the relying party says so.

    Args:
        head: The receipt.
        allow_unrecorded: It does.
        unreplayed: Why the replay that is demanded is not vouched for; empty where it is, or none is.
    """
    if head.coordination_rule == "unrecorded" and not allow_unrecorded:
        detail = "coordination was not recorded; --allow-unrecorded accepts the figures without that claim"
        yield Finding(16, "coordination_unrecorded", detail, path="coordination_rule")
    if unreplayed:
        detail = (
            f"{unreplayed}; make a statement over every attempt with reliability-check --all --out FILE, "
            "and name it with --check"
        )
        yield Finding(16, "replayed_coordination", detail)
