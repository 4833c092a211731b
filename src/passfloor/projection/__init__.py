"""What must be the same in every attempt of a task, and how it is compared."""

from passfloor.projection.difference import first_difference, shown
from passfloor.projection.identical import AttemptView, Coordination, Divergence, compare
from passfloor.projection.project import (
    event_problem,
    further_members,
    project_event,
    project_run_receipt,
    projection_bytes,
)
from passfloor.projection.rules import coordination
from passfloor.projection.vocabulary import (
    ADAPTER_RUN_ID,
    CALL_NOTES,
    CLOSING_KINDS,
    ERRORED_KIND,
    IDENTITY,
    OUTPUT_KIND,
    OWN_PREFIXES,
    SAMPLE,
    SAMPLED_KINDS,
    TIMING,
)

__all__ = [
    "ADAPTER_RUN_ID",
    "CALL_NOTES",
    "CLOSING_KINDS",
    "ERRORED_KIND",
    "IDENTITY",
    "OUTPUT_KIND",
    "OWN_PREFIXES",
    "SAMPLE",
    "SAMPLED_KINDS",
    "TIMING",
    "AttemptView",
    "Coordination",
    "Divergence",
    "compare",
    "coordination",
    "event_problem",
    "first_difference",
    "further_members",
    "project_event",
    "project_run_receipt",
    "projection_bytes",
    "shown",
]
