"""Step 4: does the receipt hash cover this content?"""

from collections.abc import Iterator

from passfloor.models.receipt import ReceiptHead
from passfloor.verification.findings import Finding


def check(head: ReceiptHead, recomputed: str) -> Iterator[Finding]:
    """Compare the claimed hash with the one recomputed from everything but the seal's own members."""
    if head.receipt_hash != recomputed:
        yield Finding(
            4,
            "receipt_hash",
            f"claims {head.receipt_hash}, the content gives {recomputed}: "
            "the content cannot be attributed to the named signer",
            path="receipt_hash",
        )
