"""A session under a fixed clock and fixed random bytes."""

import base64

from passfloor.adapters.mock import MockReplayAdapter
from passfloor.digests import opening_hash, plan_hash
from passfloor.running.plan import make_plan
from passfloor.running.session import open_session, timestamp


def test_an_opening_is_its_clock_and_its_random_bytes(suite_of, clock, random_bytes):
    plan = make_plan(suite_of("a"), MockReplayAdapter(), k=1)
    session = open_session(plan, clock=clock, random_bytes=random_bytes)
    assert session.run == "20231114T221320Z-000102"
    assert session.opening.started_at == "2023-11-14T22:13:20.250Z"
    assert base64.urlsafe_b64decode(session.opening.nonce + "=") == bytes(range(32))
    assert len(session.opening.nonce) == 43
    absent = ("challenge", "precommit_hash", "run_seq", "prev_receipt_hash")
    assert all(getattr(session.opening, name) is None for name in absent)
    assert session.plan_hash == plan_hash(plan)
    assert session.opening_hash == opening_hash(session.opening)


def test_two_openings_of_one_plan_share_neither_nonce_nor_run(suite_of, clock):
    plan = make_plan(suite_of("a"), MockReplayAdapter(), k=1)
    one, other = (open_session(plan, clock=clock) for _ in range(2))
    assert one.opening.nonce != other.opening.nonce
    assert one.run != other.run
    assert one.opening_hash != other.opening_hash


def test_a_closed_session_has_one_stage_and_the_opening_unchanged(suite_of, clock, random_bytes):
    plan = make_plan(suite_of("a"), MockReplayAdapter(), k=2, n=3)
    session = open_session(plan, clock=clock, random_bytes=random_bytes)
    closed = session.close(clock() + 1.5)
    assert closed.opening == session.opening
    assert closed.ended_at == "2023-11-14T22:13:21.750Z"
    assert [stage.model_dump() for stage in closed.stages] == [
        {
            "n": 3,
            "plan_hash": session.plan_hash,
            "decided_at": session.opening.started_at,
            "after_receipt_hash": None,
        }
    ]
    assert closed.interrupted == []


def test_a_clock_that_was_set_back_does_not_end_a_session_before_it_began(suite_of, clock):
    session = open_session(make_plan(suite_of("a"), MockReplayAdapter(), k=1), clock=clock)
    assert session.close(clock() - 3600).ended_at == session.opening.started_at


def test_a_time_is_cut_to_milliseconds_and_not_rounded():
    assert timestamp(0.0) == "1970-01-01T00:00:00.000Z"
    assert timestamp(1.9999) == "1970-01-01T00:00:01.999Z"
    assert timestamp(1_700_000_000.125) == "2023-11-14T22:13:20.125Z"
