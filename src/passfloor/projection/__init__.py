"""What must be the same in every attempt of a task, and how it is compared."""

from passfloor.projection.acts import Act, ActReader, acts_of
from passfloor.projection.causal import Told, compare_causally, difference_of, unmatched
from passfloor.projection.difference import first_difference, shown
from passfloor.projection.identical import AttemptView, Coordination, Divergence, compare
from passfloor.projection.identity_fields import (
    IdentityField,
    count_marks,
    parse_identity_field,
    parse_identity_fields,
    undeclared_marks,
)
from passfloor.projection.minted import SYMBOL, Minted
from passfloor.projection.project import (
    event_problem,
    further_members,
    project_event,
    project_run_receipt,
    projection_bytes,
)
from passfloor.projection.rules import coordination
from passfloor.projection.symbols import Symbols, heard_of
from passfloor.projection.texts import strings_of
from passfloor.projection.vocabulary import (
    ADAPTER_RUN_ID,
    ANSWER,
    ARTIFACT,
    ASKED,
    CALL_NOTES,
    ERRORED_KIND,
    IDENTITY,
    OUTPUT,
    OWN_PREFIXES,
    SAMPLE,
    SAMPLED_KINDS,
    TIMING,
)

__all__ = [
    "ADAPTER_RUN_ID",
    "ANSWER",
    "ARTIFACT",
    "ASKED",
    "CALL_NOTES",
    "ERRORED_KIND",
    "IDENTITY",
    "OUTPUT",
    "OWN_PREFIXES",
    "SAMPLE",
    "SAMPLED_KINDS",
    "SYMBOL",
    "TIMING",
    "Act",
    "ActReader",
    "AttemptView",
    "Coordination",
    "Divergence",
    "IdentityField",
    "Minted",
    "Symbols",
    "Told",
    "acts_of",
    "compare",
    "compare_causally",
    "coordination",
    "count_marks",
    "difference_of",
    "event_problem",
    "first_difference",
    "further_members",
    "heard_of",
    "parse_identity_field",
    "parse_identity_fields",
    "project_event",
    "project_run_receipt",
    "projection_bytes",
    "shown",
    "strings_of",
    "undeclared_marks",
    "unmatched",
]
