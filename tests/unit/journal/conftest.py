"""A run's header and attempts, as small as they can be."""

import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from passfloor.journal.header import RunHeader
from passfloor.models.plan import Opening, Plan, Subject
from passfloor.models.receipt import Environment


@pytest.fixture
def subject() -> Subject:
    return Subject(
        name="bot",
        version=None,
        adapter="process",
        adapter_digest="a" * 64,
        model=None,
        config_digest="b" * 64,
    )


@pytest.fixture
def plan(subject: Subject) -> Plan:
    return Plan(
        suite_hash="c" * 64,
        selection=None,
        n=3,
        k=2,
        k_reason=None,
        coordination_rule="identical",
        identity_fields=[],
        scheduler_config={"scheduler": "default"},
        subject=subject,
        gate=None,
        completion_only=False,
        graders={"completed": "1"},
    )


@pytest.fixture
def make_header(plan: Plan) -> Callable[..., RunHeader]:
    def make(run: str = "20260131T093000Z-0a1b2c", **changes: Any) -> RunHeader:
        at = f"{run[:4]}-{run[4:6]}-{run[6:8]}T{run[9:11]}:{run[11:13]}:{run[13:15]}.000Z"
        opening = Opening(
            nonce="A" * 43,
            challenge=None,
            precommit_hash=None,
            run_seq=1,
            prev_receipt_hash=None,
            started_at=at,
        )
        header = RunHeader(
            run=run,
            suite_version="golden-v1",
            plan=plan,
            opening=opening,
            seed=0,
            out="reliability.json",
            environment=Environment(platform="Linux", limits={"cpus": 2}, concurrency=2),
        )
        return header.model_copy(update=changes)

    return make


@pytest.fixture
def header(make_header: Callable[..., RunHeader]) -> RunHeader:
    return make_header()


@pytest.fixture
def attempt() -> Callable[[str, int], dict[str, Any]]:
    return lambda task_id, index: {
        "task_id": task_id,
        "index": index,
        "receipt": {"events": [{"seq": 0, "kind": "x", "text": "line\nbreak é \U0001f600", "score": 0.5}]},
    }


@pytest.fixture
def full_after() -> Callable[[int], AbstractContextManager[None]]:
    """No file of this process grows past so many bytes, as if the disk were full."""

    @contextmanager
    def limit(size: int) -> Iterator[None]:
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    return limit
