"""The record of one attempt."""

from typing import Any

from pydantic import ConfigDict, Field

from passfloor.models.base import Document

Event = dict[str, Any]
"""The one open mapping: ``seq``, ``kind`` and further members; unknown members are coordination."""


class RunReceipt(Document):
    """One attempt's identity, heads and events. What an adapter adds is kept and counts as coordination."""

    model_config = ConfigDict(extra="allow")

    run_id: str
    attempt_id: str
    journal_head: str
    spine_head: str
    events: list[Event] = Field(fail_fast=True)
