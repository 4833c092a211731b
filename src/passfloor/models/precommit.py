"""The commitment: a plan with its signer's name under it, made before the run that it is for."""

from typing import Literal

from pydantic import Field

from passfloor.models.base import Sha256, Statement, Timestamp
from passfloor.models.plan import Plan
from passfloor.models.receipt import Tool

PRECOMMIT_SCHEMA = "passfloor/precommit/v1"
PRECOMMIT_TYP = "passfloor-precommit+jws"
"""The artefact type of its signature."""

OUTSIDE_THE_HASH = frozenset({"precommit_hash", "signature", "signer_fingerprint"})
"""What the seal itself adds, and so cannot cover."""


class Precommit(Statement):
    """The commitment. ``plan`` is the whole plan, so that a run of another one can be told what differs."""

    schema_: Literal["passfloor/precommit/v1"] = Field(alias="schema")
    tool: Tool
    suite_version: str
    plan: Plan
    plan_hash: Sha256
    committed_at: Timestamp
    precommit_hash: Sha256
    signature: str = ""
    signer_fingerprint: str = ""
