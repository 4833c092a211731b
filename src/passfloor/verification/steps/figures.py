"""Step 14: the counts and both figures, recomputed from the re-derived verdicts in whole numbers."""

from collections.abc import Iterator

from passfloor.aggregate import Numbers, nearest
from passfloor.models.receipt import Counts, ReceiptHead
from passfloor.verification.findings import Finding


def check(head: ReceiptHead, numbers: Numbers | None) -> Iterator[Finding]:
    """Compare every claimed count and figure; the figures are the doubles nearest the exact fractions.

    ``numbers`` None: they could not be derived, and nothing is compared.
    """
    if numbers is None:
        return
    for name in Counts.model_fields:
        claimed, derived = getattr(head.counts, name), getattr(numbers.counts, name)
        if claimed != derived:
            yield Finding(
                14, "counts", f"claims {claimed}, the attempts give {derived}", path=f"counts.{name}"
            )
    figures = {"pass_at_1": numbers.pass_at_k, "pass_caret_k": numbers.pass_hat_k}
    for name, exact in figures.items():
        claimed, derived = getattr(head, name), nearest(exact)
        if claimed != derived:
            yield Finding(14, name, f"claims {claimed!r}, the attempts give {derived!r} ({exact})", path=name)
