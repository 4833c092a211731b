"""Evidence made from counts, as verification would give it."""

import pytest

from passfloor.comparison.evidence import Evidence, TaskRow
from passfloor.models.plan import Subject
from passfloor.models.receipt import Environment, ReceiptHead, Tool
from passfloor.verification.result import Verification

HASH = "a" * 64
AT = "2026-01-31T09:30:00.000Z"


def head(**update):
    made = ReceiptHead.model_construct(
        schema_="passfloor/reliability-receipt/v1",
        tool=Tool(name="passfloor", version="1"),
        suite_version="own-v1",
        suite_hash=HASH,
        selection=None,
        n=10,
        k=5,
        k_reason=None,
        coordination_rule="identical",
        identity_fields=[],
        scheduler_config={"scheduler": "default"},
        subject=Subject(
            name="A",
            version="1",
            adapter="process",
            adapter_digest="b" * 64,
            model=None,
            config_digest="c" * 64,
        ),
        gate=None,
        completion_only=False,
        graders={"output_equals": "1"},
        environment=[Environment(platform="Linux", limits={"cpus": 2}, concurrency=2)],
        coordination_ok=True,
    )
    return made.model_copy(update=update)


@pytest.fixture
def evidence():
    """Builds evidence from ``(passed, errored)`` a task, or ``(passed, errored, cluster)``."""

    def build(counts, *, n=10, served=(), findings=(), **update):
        rows = tuple(
            TaskRow(f"t{i}", f"{i:064x}", cluster[0] if cluster else None, n, passed, errored)
            for i, (passed, errored, *cluster) in enumerate(counts)
        )
        return Evidence(Verification(tuple(findings), head=head(n=n, **update)), rows, tuple(served))

    return build
