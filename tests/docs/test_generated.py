import io
import json

from jsonschema import Draft202012Validator

import passfloor
from passfloor.canonical import sha256_hex
from passfloor.signing.private_keys import read_private_key
from passfloor.suites import builtin_names, load_suite


def test_generated_files_are_current() -> None:
    import generate

    assert generate.outdated(generate.static()) == [], "run `make generated`"


def test_a_generated_file_that_was_edited_is_noticed(tmp_path) -> None:
    import generate

    path = tmp_path / "page.md"
    path.write_text("edited")
    assert generate.outdated({path: "made", tmp_path / "absent.md": ""}) == [path, tmp_path / "absent.md"]


def test_the_worked_example_verifies_under_its_published_key(docs) -> None:
    import example

    key = read_private_key(example.KEY, password=None, source="the example").public
    verifier = passfloor.ReliabilityVerifier(
        docs / "reference/example/suite.json", trusted_keys=[key], now=example.NOW
    )
    result = verifier.verify(docs / "reference/example/receipt.json")
    assert result.status == "MATCH", result.report()


def test_the_worked_examples_hashes_are_those_of_the_forms_on_the_page(docs) -> None:
    page = (docs / "format.md").read_text(encoding="utf-8")
    blocks = dict(_values(page))
    for form, name in {
        "the task's form": "task_hash",
        "the suite's form": "suite_hash",
        "the plan's form": "plan_hash",
        "the opening's form": "opening_hash",
        "the last event's form": "its SHA-256, as it enters the chain",
    }.items():
        assert sha256_hex(blocks[form].encode()) == blocks[name], name
    parts = ["passfloor/attempt/v1", blocks["opening_hash"], blocks["plan_hash"], blocks["task_hash"], "0"]
    assert sha256_hex("\0".join(parts).encode()) == blocks["attempt_id"]


def test_the_schemas_accept_the_documents_they_are_about_and_refuse_others(docs) -> None:
    folder = docs / "reference"
    receipt = json.loads((folder / "example/receipt.json").read_text(encoding="utf-8"))
    suite = json.loads((folder / "example/suite.json").read_text(encoding="utf-8"))
    plan = {"schema": "passfloor/plan/v1", **{name: receipt[name] for name in _plan_members()}}
    run_receipt = receipt["task_results"][0]["attempts"][0]["receipt"]
    for name, document in (
        ("receipt", receipt),
        ("suite", suite),
        ("plan", plan),
        ("run-receipt", run_receipt),
    ):
        schema = json.loads((folder / f"schemas/{name}.json").read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)
        assert validator.is_valid(document), name
        assert not validator.is_valid({}), name


def test_the_schema_of_suites_accepts_the_built_in_ones(docs) -> None:
    schema = json.loads((docs / "reference/schemas/suite.json").read_text(encoding="utf-8"))
    for name in builtin_names():
        assert Draft202012Validator(schema).is_valid(load_suite(name).document()), name


def test_the_example_receipt_is_in_the_line_layout(docs) -> None:
    from passfloor.receipts import LineReader

    data = (docs / "reference/example/receipt.json").read_bytes()
    assert len(list(LineReader(io.BytesIO(data)).tasks())) == 1


def _plan_members() -> list[str]:
    from passfloor.models.plan import Plan

    return list(Plan.model_fields)


def _values(page: str):
    generated = page.partition("<!-- generated: worked example -->")[2].partition("<!-- end")[0]
    for part in generated.split("\n```\n\n"):
        name, found, value = part.strip().partition(":\n\n```text\n")
        if found:
            yield name, value
