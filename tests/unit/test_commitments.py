"""Challenges and commitments: what is made, what is read back, and what is refused."""

import json

import pytest

from passfloor.canonical import canonical
from passfloor.commitments import (
    challenge_of,
    check_challenge,
    commit,
    differing,
    precommit_hash,
    read,
)
from passfloor.errors import UsageError
from passfloor.models.plan import Plan, Subject
from passfloor.signing.signers import StubReliabilitySigner

PLAN = Plan(
    suite_hash="c" * 64,
    selection=None,
    n=3,
    k=2,
    k_reason=None,
    coordination_rule="identical",
    identity_fields=[],
    scheduler_config={"scheduler": "default"},
    subject=Subject(
        name="bot",
        version=None,
        adapter="process",
        adapter_digest="a" * 64,
        model=None,
        config_digest="b" * 64,
    ),
    gate=None,
    completion_only=False,
    graders={"completed": "1"},
)
TOOL = {"name": "passfloor", "version": "1"}
AT = "2026-01-31T09:30:00.000Z"


def made(plan=PLAN):
    return commit(plan, "s-v1", StubReliabilitySigner(), at=AT, tool=TOOL)


def test_a_commitment_is_read_back_as_it_was_made():
    assert read(canonical(made().document())) == made()
    assert made().precommit_hash == precommit_hash(made().document())
    assert made().plan == PLAN


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda document: document.update(committed_at="2025-01-31T09:30:00.000Z"), "precommit_hash"),
        (lambda document: document["plan"].update(k=1), "plan_hash"),
        (lambda document: document.update(further=1), "further"),
        (
            lambda document: document.update(schema="passfloor/precommit/v2"),
            "no commitment that",
        ),
    ],
)
def test_a_commitment_that_was_changed_is_none(edit, why):
    document = made().document()
    edit(document)
    with pytest.raises(UsageError, match=why):
        read(json.dumps(document).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"schema": 1}'])
def test_bytes_of_any_kind_are_no_commitment(data):
    with pytest.raises(UsageError, match="it "):
        read(data)


def test_what_differs_is_named_with_both_values():
    other = PLAN.model_copy(update={"k": 3, "subject": PLAN.subject.model_copy(update={"name": "x" * 200})})
    assert differing(PLAN, PLAN) == []
    k, name = differing(PLAN, other)
    assert k == "k 3, committed to 2"
    assert name.startswith('subject.name "xxx')
    assert name.endswith('..., committed to "bot"')


def test_a_challenge_that_is_made_is_one():
    assert check_challenge(challenge_of(bytes(32))) == "A" * 43
    assert check_challenge("6a2f41a3-c54c-4cf6-9b6e-fd9d1a0c2f10")


@pytest.mark.parametrize("text", ["", "A" * 21, "A" * 129, "A" * 42 + "=", "A" * 30 + " ", "\u00e4" * 30])
def test_what_can_be_guessed_or_mangled_is_no_challenge(text):
    with pytest.raises(UsageError, match="give 22 to 128"):
        check_challenge(text)
