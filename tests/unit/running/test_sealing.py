"""What a receipt holds, and that a verifier derives the same."""

import io
from fractions import Fraction

import pytest

from passfloor import receipts
from passfloor.models.suite import Suite
from passfloor.running.plan import make_plan
from passfloor.running.runner import Runner
from passfloor.running.sealing import MAX_EMBEDDED

ANSWERS = {"a": ["yes", "yes", "no"], "b": ["yes", "no", "no"]}


@pytest.fixture
def receipt(suite_of, scripted, clock):
    suite = suite_of("a", "b")
    adapter = scripted(lambda task, call: [{"kind": "model.output", "sample": ANSWERS[task.id][call]}])
    return Runner(suite, adapter, make_plan(suite, adapter, k=2, n=3), clock=clock).run()


def test_figures_are_the_doubles_nearest_the_exact_ones(receipt):
    floor = (Fraction(1, 3) + 0) / 2
    ceiling = (1 + Fraction(2, 3)) / 2
    assert receipt.pass_caret_k == floor.numerator / floor.denominator
    assert receipt.pass_at_1 == ceiling.numerator / ceiling.denominator


def test_the_plan_stands_at_the_top_level(receipt):
    document = receipt.document()
    for name in ("suite_hash", "selection", "n", "k", "scheduler_config", "subject", "gate", "graders"):
        assert name in document
    assert document["tool"]["name"] == "passfloor"
    assert document["suite_version"] == "s-v1"
    assert document["environment"][0]["concurrency"] == 1


def test_times_come_from_the_clock_alone(receipt, clock):
    assert receipt.emitted_at == clock()
    assert receipt.session.started_at == receipt.session.ended_at == "2023-11-14T22:13:20.250Z"


def test_the_hash_covers_everything_but_the_seal(receipt):
    document = receipt.document()
    assert document["receipt_hash"] == receipts.receipt_hash(document)
    assert (document["signature"], document["signer_fingerprint"]) == ("", "")
    for name, value in (("k", 1), ("suite_version", "x"), ("emitted_at", 0.0)):
        assert receipts.receipt_hash({**document, name: value}) != document["receipt_hash"]
    assert receipts.receipt_hash({**document, "signature": "x"}) == document["receipt_hash"]


def test_what_is_written_is_read_back(receipt):
    written = b"".join(receipts.write(receipt.document()))
    assert type(receipt).model_validate_json(written) == receipt
    assert [task.value["task_id"] for task in receipts.LineReader(io.BytesIO(written)).tasks()] == ["a", "b"]


@pytest.fixture
def sized(task_of, scripted):
    """Seals a suite whose canonical form has exactly so many bytes."""

    def seal(size, embed_suite):
        bare = Suite(version="s", tasks=[task_of("a", description="")])
        from passfloor.canonical import canonical

        padding = size - len(canonical(bare.document()))
        suite = Suite(version="s", tasks=[task_of("a", description="x" * padding)])
        assert len(canonical(suite.document())) == size
        adapter = scripted()
        return Runner(suite, adapter, make_plan(suite, adapter, k=1), embed_suite=embed_suite).run()

    return seal


@pytest.mark.parametrize(
    ("size", "asked", "embedded"),
    [
        (MAX_EMBEDDED, None, True),
        (MAX_EMBEDDED + 1, None, False),
        (MAX_EMBEDDED + 1, True, True),
        (1000, False, False),
    ],
)
def test_a_suite_is_embedded_up_to_256_kib_or_as_asked(sized, size, asked, embedded):
    assert MAX_EMBEDDED == 256 * 1024
    receipt = sized(size, asked)
    assert (receipt.suite is not None) is embedded
    assert ("suite" in receipt.document()) is embedded
