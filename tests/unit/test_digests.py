"""Every recipe again with hashlib and rfc8785 alone."""

import hashlib

import pytest
import rfc8785

from passfloor.canonical import canonical
from passfloor.digests import (
    attempt_id,
    attempt_seed,
    files_out,
    journal_head,
    opening_hash,
    plan_hash,
    spine_end,
    spine_head,
    spine_start,
)
from passfloor.models.plan import Opening, Plan, Selection, Session, Subject

A, B, C = "a" * 64, "b" * 64, "c" * 64


def sha(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def chain(start: bytes, items: list[bytes]) -> str:
    head = hashlib.sha256(start).digest()
    for item in items:
        head = hashlib.sha256(head + hashlib.sha256(item).digest()).digest()
    return head.hex()


def a_plan(**changed) -> Plan:
    members = {
        "suite_hash": A,
        "selection": None,
        "n": 3,
        "k": 2,
        "k_reason": None,
        "coordination_rule": "identical",
        "identity_fields": [],
        "scheduler_config": {"z": 1, "a": [True, None]},
        "subject": Subject(
            name="é", version=None, adapter="process", adapter_digest=B, model=None, config_digest=C
        ),
        "gate": {"floor": "0.9"},
        "completion_only": False,
        "graders": {"completed": "1"},
    }
    return Plan(**{**members, **changed})


def plain_plan(**changed) -> dict:
    return {
        "schema": "passfloor/plan/v1",
        "suite_hash": A,
        "selection": None,
        "n": 3,
        "k": 2,
        "k_reason": None,
        "coordination_rule": "identical",
        "identity_fields": [],
        "scheduler_config": {"a": [True, None], "z": 1},
        "subject": {
            "name": "é",
            "version": None,
            "adapter": "process",
            "adapter_digest": B,
            "model": None,
            "config_digest": C,
        },
        "gate": {"floor": "0.9"},
        "completion_only": False,
        "graders": {"completed": "1"},
        **changed,
    }


OPENING = {
    "nonce": "A" * 43,
    "challenge": None,
    "precommit_hash": None,
    "run_seq": 7,
    "prev_receipt_hash": B,
    "started_at": "2026-01-31T09:30:00.000Z",
}


def test_the_plan_hash_covers_every_member_and_the_schema():
    assert plan_hash(a_plan()) == sha(rfc8785.dumps(plain_plan()))
    selected = {"of": B, "tasks": ["one", "two"]}
    assert plan_hash(a_plan(selection=Selection(**selected))) == sha(
        rfc8785.dumps(plain_plan(selection=selected))
    )


def test_an_earlier_stage_differs_in_n_alone():
    assert plan_hash(a_plan(), n=2) == plan_hash(a_plan(n=2)) == sha(rfc8785.dumps(plain_plan(n=2)))
    assert plan_hash(a_plan(), n=2) != plan_hash(a_plan())


@pytest.mark.parametrize(
    "change",
    [
        {"suite_hash": B},
        {"k": 1},
        {"k_reason": ""},
        {"coordination_rule": "unrecorded"},
        {"identity_fields": ["x"]},
        {"scheduler_config": {}},
        {"gate": None},
        {"completion_only": True},
        {"graders": {}},
    ],
)
def test_no_member_of_the_plan_is_left_out(change):
    assert plan_hash(a_plan(**change)) == sha(rfc8785.dumps(plain_plan(**change))) != plan_hash(a_plan())


def test_the_opening_hash_covers_its_six_members():
    assert opening_hash(Opening(**OPENING)) == sha(rfc8785.dumps(OPENING))


def test_a_session_carries_its_opening_unchanged():
    stage = {"n": 1, "plan_hash": A, "decided_at": OPENING["started_at"], "after_receipt_hash": None}
    session = Session.model_validate(
        {
            **OPENING,
            "run": "20260131T093000Z-0a1b2c",
            "plan_hash": A,
            "stages": [stage],
            "interrupted": [],
            "ended_at": "2026-01-31T09:30:01.000Z",
        }
    )
    assert opening_hash(session.opening) == sha(rfc8785.dumps(OPENING))


def test_an_attempt_id_joins_its_parts_with_zero_bytes():
    expected = sha(b"passfloor/attempt/v1\0", A.encode(), b"\0", B.encode(), b"\0", C.encode(), b"\0", b"12")
    assert attempt_id(A, B, C, 12) == expected


def test_every_part_of_an_attempt_id_counts():
    ids = {attempt_id(*parts) for parts in [(A, B, C, 1), (B, A, C, 1), (A, C, B, 1), (A, B, C, 11)]}
    assert len(ids) == 4


def test_an_attempt_seed_is_the_first_53_bits_of_its_digest():
    digest = sha(b"5\0", A.encode(), b"\0", b"2")
    assert attempt_seed(5, A, 2) == int(f"{int(digest, 16):0256b}"[:53], 2)


def test_attempt_seeds_are_exact_json_numbers_that_differ():
    seeds = [attempt_seed(seed, task, index) for seed in (0, 1) for task in (A, B) for index in range(50)]
    assert len(set(seeds)) == 200
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed in seeds)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_journal_head_chains_raw_digests(count):
    events = [rfc8785.dumps({"seq": seq, "kind": "x"}) for seq in range(count)]
    assert journal_head(A, iter(events)) == chain(b"passfloor/journal/v1\0" + A.encode(), events)


def test_a_chain_is_bound_to_order_number_and_start():
    one, two = b'{"a":1}', b'{"b":2}'
    chains = [(A, [one, two]), (A, [two, one]), (A, [one]), (A, [one + two]), (B, [one, two]), (A, [])]
    assert len({journal_head(start, items) for start, items in chains}) == len(chains)


def test_the_spine_chains_files_in_then_files_out():
    files_in, left = {"b": A, "a": B}, {"ü": C}
    items = [rfc8785.dumps(files_in), rfc8785.dumps(left)]
    expected = chain(b"passfloor/spine/v1\0" + C.encode(), items)
    assert spine_head(C, files_in, left) == expected
    assert spine_end(spine_start(C, files_in), left) == expected
    assert spine_head(C, left, files_in) != expected


def test_files_out_are_those_of_the_last_artifact_whoever_captured_it():
    early = {"kind": "model.artifact", "sample": {"a": {"sha256": A}}}
    late = {"kind": "agent.artifact", "value": {"a": {"sha256": B}, "b": {"sha256": C}}}
    done = {"kind": "task.completed"}
    assert files_out([early, done]) == {"a": A}
    assert files_out([early, late, done]) == {"a": B, "b": C}
    assert files_out([late, early]) == {"a": A}
    assert files_out([done]) == {}


def test_files_out_take_the_member_of_their_own_kind_and_skip_what_has_no_digest():
    assert files_out([{"kind": "model.artifact", "value": {"a": {"sha256": A}}, "sample": None}]) == {}
    assert files_out([{"kind": "tool.result", "sample": {"a": {"sha256": A}}}]) == {}
    odd = {"a": {"sha256": 1}, "b": [], "c": {"sha256": C}}
    assert files_out([{"kind": "model.artifact", "sample": odd}]) == {"c": C}


def test_the_chain_is_over_canonical_bytes_of_the_files():
    assert spine_start(A, {"b": A, "a": B}) == spine_start(A, {"a": B, "b": A})
    assert canonical({"b": A, "a": B}).startswith(b'{"a"')
