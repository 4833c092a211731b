"""What a report says of recorded model calls."""

from passfloor.models.receipt import ReceiptHead
from passfloor.report.json_document import verification
from passfloor.report.recorded import recorded_lines, served_lines
from passfloor.verification.result import Verification
from passfloor.verification.served import Served


def outcome(fields=(), **members):
    head = ReceiptHead.model_construct(identity_fields=list(fields), coordination_rule="causal")
    return Verification((), head=head, **members)


def test_under_another_rule_nothing_is_said():
    assert recorded_lines(outcome()) == []
    assert served_lines(outcome()) == []
    assert recorded_lines(Verification(())) == []


def test_the_acts_that_were_compared_are_counted():
    assert recorded_lines(outcome(acts_compared=61)) == ["    61 acts compared at shared histories"]
    none = recorded_lines(outcome(acts_compared=0))
    assert none[0] == "    0 acts compared at shared histories"
    assert "replay" in none[1]


def test_declared_fields_are_printed_and_counted():
    lines = recorded_lines(outcome(["request.user", "request.\x1b"], identity_marks=3))
    assert "2 identity fields declared, found at 3 places" in " ".join(lines)
    assert "\x1b" not in "".join(lines)
    many = recorded_lines(outcome([f"request.x{number}" for number in range(9)]))
    assert many[-1].endswith("...")


def test_the_served_model_is_told_as_the_provider_s_word():
    told = (Served("t", 0, {"m": (("m-1", "fp"), (None, "fp"))}),)
    text = " ".join(line.strip() for line in served_lines(outcome(served=told)))
    assert text == "served, by the provider's word: no model named (fingerprint fp); m-1 (fingerprint fp)"


def test_a_change_is_a_warning_that_names_task_and_attempt():
    told = (Served("t1", 0, {"m": (("m-1", "a"),)}), Served("t2", 3, {"m": (("m-1", "b"),)}))
    text = " ".join(line.strip() for line in served_lines(outcome(served=told)))
    assert "warning: the served model changed within the run, first in task t2, attempt 3" in text
    assert "m-1 (fingerprint a) before, m-1 (fingerprint b) there" in text


def test_many_changes_are_cut():
    told = tuple(Served("t", index, {"m": ((f"m-{index}", None),)}) for index in range(9))
    lines = served_lines(outcome(served=told))
    assert lines[-1] == "    and 3 more changes (--json lists all)"
    assert "; ..." in lines[0] + lines[1]


def test_machine_output_names_every_attempt_and_every_change():
    told = (Served("t", 0, {"m": (("m-1", "a"),)}), Served("t", 1, {"m": (("m-2", None),)}))
    head = ReceiptHead.model_construct(
        identity_fields=["request.user"],
        coordination_rule="causal",
        suite_hash="",
        k=1,
        n=2,
        signer_fingerprint="",
    )
    made = verification(Verification((), head=head, served=told, acts_compared=4, identity_marks=2))
    assert made["coordination_rule"] == "causal"
    assert made["acts_compared"] == 4
    assert made["identity_fields"] == ["request.user"]
    assert made["identity_marks"] == 2
    assert made["served"][1] == {"task_id": "t", "attempt": 1, "models": ["m-2"], "fingerprints": []}
    assert made["served_changes"] == [
        {
            "asked": "m",
            "task_id": "t",
            "attempt": 1,
            "first": {"model": "m-1", "fingerprint": "a"},
            "then": {"model": "m-2", "fingerprint": None},
        }
    ]
