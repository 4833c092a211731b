"""The output against a JSON Schema (draft 2020-12)."""

from passfloor.grading.evidence import Evidence
from passfloor.grading.kinds.json_values import NotThereError, output_json
from passfloor.models.assertions import JsonSchema


def json_schema(assertion: JsonSchema, evidence: Evidence) -> bool:
    """Whether the output is a JSON value that satisfies the schema.

    Raises:
        CannotJudge: what ``output_json``, ``validator_of`` and ``satisfies`` raise.
    """
    # jsonschema takes longer to import than all other graders together, and few suites use it.
    from passfloor.grading.kinds.schema_engine import satisfies, validator_of

    validator = validator_of(assertion.schema_)
    try:
        return satisfies(validator, output_json(evidence))
    except NotThereError:
        return False
