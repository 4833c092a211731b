"""Whatever the program can say or be told stands in the documentation, and nothing else does."""

import re
import shlex

import pytest
import typer

import passfloor
from passfloor import errors
from passfloor.cli.app import app
from passfloor.cli.exits import Exit, of_error, of_status
from passfloor.grading.registry import GRADERS
from passfloor.models import assertions
from passfloor.suites.assertions import KINDS
from passfloor.verification.findings import PRECEDENCE, STATUS_OF, Status
from passfloor.verification.limits_of_proof import NOT_ESTABLISHED, WHERE_IT_APPLIES


def leaves() -> dict:
    import generate

    return dict(generate.leaves(typer.main.get_command(app), "passfloor", hidden=True))


def rows(page: str) -> list[list[str]]:
    found = [line for line in page.splitlines() if line.startswith("| ")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" |")] for line in found]


def test_the_readme_is_under_150_lines(readme) -> None:
    assert len(readme.read_text(encoding="utf-8").splitlines()) < 150


def test_every_verb_and_flag_is_in_the_command_reference(every_page) -> None:
    page = every_page["docs/reference/cli.md"]
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    for name, command in leaves().items():
        if name.rsplit(" ", 1)[1] in {"verify", "check"}:
            continue  # hidden aliases
        for parameter in command.params:
            if parameter.param_type_name == "option" and parameter.name != "help":
                for word in (*parameter.opts, *parameter.secondary_opts):
                    assert word in sections[name], (name, word)
                assert parameter.help, (name, parameter.name)


def test_every_verb_is_in_the_readme(readme) -> None:
    text = readme.read_text(encoding="utf-8")
    for name in leaves():
        if not re.search(r" (verify|check)$", name):
            assert name in text or f"`{name.rsplit(' ', 1)[1]}`" in text, name


def test_every_command_in_the_documentation_exists_with_its_flags(every_page) -> None:
    commands = leaves()
    seen = 0
    for page, text in every_page.items():
        for block in re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.M | re.S):
            for line in block.replace("\\\n", " ").splitlines():
                words = (
                    shlex.split(line.removeprefix("$ "), comments=True) if "passfloor " in line[:12] else []
                )
                if words[:1] != ["passfloor"]:
                    continue
                name = next((" ".join(words[:n]) for n in (4, 3, 2) if " ".join(words[:n]) in commands), None)
                assert name is not None, (page, line)
                known = {w for p in commands[name].params for w in (*p.opts, *p.secondary_opts)}
                flags = {word for word in words if word.startswith("--")}
                assert flags <= known, (page, line)
                seen += 1
    assert seen > 20


def test_every_status_and_code_stands_in_the_table_in_order_of_precedence(every_page) -> None:
    table = [row for row in rows(every_page["docs/reference/statuses.md"]) if len(row) == 5][1:]
    expected = [(str(status), code) for status, codes in PRECEDENCE for code in codes]
    assert [(row[0], row[2]) for row in table] == expected
    assert {code: status for status, code in ((row[0], row[2]) for row in table)} == {
        code: str(status) for code, status in STATUS_OF.items()
    }
    for row in table:
        assert int(row[1]) == of_status(row[0])


def test_every_status_is_explained_in_a_sentence(every_page) -> None:
    explained = {row[0]: row[1] for row in rows(every_page["docs/reference/statuses.md"]) if len(row) == 3}
    for status in (*map(str, Status), "PASS", "FAIL", "UNDECIDED"):
        assert int(explained[status]) == of_status(status), status
    for name in (*NOT_ESTABLISHED, *WHERE_IT_APPLIES):
        assert f"`{name}`" in every_page["docs/reference/statuses.md"]


def test_every_code_is_raised_at_a_step_of_the_format(every_page) -> None:
    page = every_page["docs/format.md"]
    steps = [row for row in rows(page.partition("## 10. Verification")[2]) if len(row) == 3][1:]
    assert [int(row[0]) for row in steps] == list(range(17))
    assert {code for row in steps for code in re.findall(r"[a-z_0-9]+", row[2])} == set(STATUS_OF)
    of_step: dict[str, set[str]] = {}
    for row in steps:
        for code in re.findall(r"[a-z_0-9]+", row[2]):
            of_step.setdefault(code, set()).add(row[0])
    for row in [row for row in rows(every_page["docs/reference/statuses.md"]) if len(row) == 5][1:]:
        assert set(row[3].split(", ")) == of_step[row[2]], row[2]


def test_every_exit_code_and_error_class_is_documented(every_page) -> None:
    table = rows(every_page["docs/reference/exit-codes.md"])
    codes = {int(row[0]) for row in table if row[0].isdigit()}
    assert codes == {int(code) for code in Exit}
    classes = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, errors.PassfloorError)
    }
    documented = {row[0]: row[1] for row in table if row[0] in classes}
    assert set(documented) == set(classes)
    for name, kind in classes.items():
        assert int(documented[name]) == of_error(kind("a message")), name


def test_every_kind_of_assertion_is_in_the_format_and_in_the_guide_with_its_members(every_page) -> None:
    for page in ("docs/format.md", "docs/how-to/write-a-suite.md"):
        documented = {row[0]: row[1] for row in rows(every_page[page]) if len(row) == 3}
        for kind, model in KINDS.items():
            for name, field in model.model_fields.items():
                if name != "kind":
                    assert f"`{field.alias or name}`" in documented[kind].replace(", ", "`, `").join("``"), (
                        page,
                        kind,
                    )
        assert set(documented) >= set(GRADERS)
    assert len(set(KINDS) - {"command", "python", "imported"}) == 25
    assert "25 kinds" in every_page["docs/changelog.md"]
    assert assertions.Assertion is not None


def test_what_says_that_an_answer_was_kept_and_what_the_doctor_looks_at_are_listed(every_page) -> None:
    from passfloor.adapters.cached import HEADERS
    from passfloor.checking.examination import NAMES

    page = every_page["docs/how-to/other-agents.md"].partition("## Answers from a cache")[2]
    named = {name.lower() for name in re.findall(r"`([A-Z][A-Za-z-]+)`", page.partition("\n## ")[0])}
    assert named == set(HEADERS)
    table = every_page["docs/how-to/run-your-agent.md"].partition("## Look it over first")[2]
    cells = [row[0] for row in rows(table.partition("\n## ")[0])][1:]
    assert tuple(re.findall(r"\w+", " ".join(cells))) == NAMES


def test_every_environment_variable_is_documented(every_page) -> None:
    from pathlib import Path

    source = Path(passfloor.__file__).resolve().parent
    named = set()
    for path in source.rglob("*.py"):
        named |= set(re.findall(r"\bPASSFLOOR_[A-Z_]+[A-Z]\b", path.read_text(encoding="utf-8")))
    text = "\n".join(every_page.values())
    assert {name for name in named if name not in text} == set()


def test_the_main_public_names_are_in_the_documentation(every_page) -> None:
    text = every_page["docs/how-to/use-from-python.md"] + every_page["README.md"]
    for name in (
        "ReliabilityRunner",
        "ReliabilityVerifier",
        "reliability_check",
        "ProcessAdapter",
        "Ed25519Signer",
    ):
        assert name in passfloor.__all__
        assert name in text


@pytest.mark.parametrize("page", ["README.md"])
def test_links_of_the_readme_lead_somewhere(page, readme) -> None:
    text = readme.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in target:
            assert (readme.parent / target).exists(), target


def test_the_changelog_names_the_version(every_page) -> None:
    assert f"## {passfloor.__version__}" in every_page["docs/changelog.md"]


def test_decisions_have_one_form_and_are_listed(docs) -> None:
    records = sorted(path for path in (docs / "decisions").glob("*.md") if path.name != "index.md")
    index = (docs / "decisions/index.md").read_text(encoding="utf-8")
    for position, path in enumerate(records, 1):
        text = path.read_text(encoding="utf-8")
        assert path.name.startswith(f"{position:04d}-")
        assert text.startswith(f"# {position:04d} ")
        assert re.findall(r"^\*\*(\w+)\.\*\*", text, re.M) == ["Context", "Decision", "Consequences"]
        assert f"({path.name})" in index
