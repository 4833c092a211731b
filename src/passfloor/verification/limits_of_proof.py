"""What a receipt does not show: said with every verdict, so that nobody takes it for more than it is."""

import itertools

from passfloor.models.plan import IMPORTED
from passfloor.models.receipt import ReceiptHead
from passfloor.models.redaction import REDACTED

NOT_ESTABLISHED = ("events_happened", "only_run", "subject_code", "timing")
"""What no receipt of this kind can show: that the recorded events took place, that this was the only run,
which code the agent imported, and anything that hides in numbers of ``ts`` and ``elapsed_s``."""

WHERE_IT_APPLIES = (
    "answers",
    "other_tasks",
    "suite_choice",
    "coordination",
    "unrecorded_acts",
    "served_model",
    "imported",
    "redacted",
)
"""What a receipt does not show by what was asked of it: the answers of a run that consulted no assertions,
the tasks of the suite that were not selected, a suite that only the signer chose, coordination that was not
recorded; where model calls were recorded, what an agent did that reached neither the recording nor its output
and files, and which model it was that answered; of what was imported, anything at all beside what the
source's log says; of what was redacted, what was taken out of it."""


def not_established(head: ReceiptHead, *, suite_of_the_signer: bool) -> tuple[str, ...]:
    """What this receipt does not show: what none does, then what it does not by what was asked of it.

    Args:
        head: The receipt.
        suite_of_the_signer: It was judged by the suite inside it, which nobody but its signer chose.
    """
    applies = (
        head.completion_only,
        head.selection is not None,
        suite_of_the_signer,
        head.coordination_rule == "unrecorded",
        head.coordination_rule == "causal",
        head.coordination_rule == "causal",
        head.subject.adapter.startswith(IMPORTED),
        head.ext is not None and REDACTED in head.ext,
    )
    return (*NOT_ESTABLISHED, *itertools.compress(WHERE_IT_APPLIES, applies))
