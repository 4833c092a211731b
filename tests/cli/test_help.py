"""Help, names and what they cost."""

import json
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from passfloor.cli.app import app, bench

ROOT = typer.main.get_command(app)


def walk(command, path=()):
    """Every command with its path, hidden ones included."""
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from walk(below, (*path, name))


COMMANDS = dict(walk(ROOT))


def help_of(path):
    result = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "80", "TERM": "dumb"})
    assert result.exit_code == 0, result.output
    return result.stdout


def long_names(command):
    return {
        name for param in command.params for name in (*param.opts, *param.secondary_opts) if name[:2] == "--"
    }


def test_the_verbs_are_these():
    groups = {path for path, command in COMMANDS.items() if hasattr(command, "commands")}
    verbs = {" ".join(path): command.hidden for path, command in COMMANDS.items() if path not in groups}
    assert verbs == {
        "bench run": False,
        "bench runs list": False,
        "bench runs show": False,
        "bench reliability-verify": False,
        "bench verify": True,
        "bench reliability-check": False,
        "bench check": True,
        "bench doctor": False,
        "bench report": False,
        "bench gate": False,
        "bench compare": False,
        "bench audit": False,
        "bench import": False,
        "bench export": False,
        "bench redact": False,
        "bench plan": False,
        "bench challenge": False,
        "bench commit": False,
        "bench regrade": False,
        "bench seal": False,
        "eval": False,
        "suite list": False,
        "suite show": False,
        "suite validate": False,
        "suite hash": False,
        "suite new": False,
        "key generate": False,
        "key list": False,
        "key show": False,
        "key rotate": False,
        "key revoke": False,
        "key publish": False,
        "trust add": False,
        "trust list": False,
        "trust remove": False,
    }


def test_a_hidden_alias_takes_what_the_verb_takes_and_is_not_advertised():
    for verb in ("verify", "check"):
        full, short = COMMANDS["bench", f"reliability-{verb}"], COMMANDS["bench", verb]
        assert [param.opts for param in full.params] == [param.opts for param in short.params]
        called = {info.name: info.callback for info in bench.registered_commands}
        assert called[f"reliability-{verb}"] is called[verb]
    listed = re.findall(r"^  ([a-z][a-z-]+) ", help_of(["bench"]), re.MULTILINE)
    assert listed == [
        "run", "reliability-verify", "reliability-check", "report", "gate", "compare", "audit", "import",
        "export", "redact", "plan", "challenge", "commit", "regrade", "doctor", "seal", "runs",
    ]  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_is_plain_ascii_of_80_columns_and_names_every_flag(path):
    text = help_of(path)
    assert text.isascii()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert not [line for line in text.splitlines() if re.fullmatch(r"  [a-z].*\.\.\.", line)]
    assert {name for name in long_names(COMMANDS[path]) if name not in text} == set()


def test_eval_has_exactly_the_parameters_of_bench_run_with_the_suite_as_an_option():
    run, alias = COMMANDS["bench", "run"], COMMANDS["eval",]

    same = (
        "name", "opts", "secondary_opts", "default", "multiple", "help", "metavar", "min", "max", "is_flag",
        "required", "hidden", "nargs", "envvar", "show_default", "type_descriptor",
    )  # fmt: skip

    def described(param):
        return {name: re.sub("0x[0-9a-f]+", "", repr(getattr(param, name))) for name in same}

    in_run = {param.name: described(param) for param in run.params if param.name != "suite"}
    in_eval = {param.name: described(param) for param in alias.params if param.name != "suite"}
    assert in_run == in_eval
    [suite] = [param for param in alias.params if param.name == "suite"]
    assert (suite.param_type_name, suite.opts, suite.default) == ("option", ["--suite"], "golden-v1")


def test_the_verify_flags_are_the_same_wherever_a_receipt_is_read():
    flags = {
        "--suite", "--use-embedded-suite", "--signer-key", "--jwks", "--allow-stub", "--allow-unrecorded",
        "--max-bytes", "--at", "--allow-attested", "--run-graders", "--check",
        "--require-replayed-coordination", "--min-floor", "--min-k", "--expect-suite-hash",
        "--expect-subject",
        "--max-age", "--require-distinct-outputs", "--challenge", "--commitment", "--ledger",
        "--allow-other-runs",
    }  # fmt: skip
    for verb in (
        "reliability-verify", "reliability-check", "report", "gate", "compare", "audit", "export", "redact",
        "regrade",
    ):  # fmt: skip
        assert flags <= long_names(COMMANDS["bench", verb]), verb
    assert long_names(COMMANDS["bench", "reliability-verify"]) == flags | {"--json"}


def loaded_by(*words):
    code = (
        "import json, sys; sys.argv = ['passfloor', *sys.argv[1:]]\n"
        "from passfloor.cli import main\n"
        "code = main()\n"
        "sys.stderr.write(json.dumps([code, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, {name for module in modules for name in (module, module.split(".")[0])}


def test_the_version_loads_nothing_at_all():
    code, modules = loaded_by("--version")
    assert code == 0
    assert not modules & {"typer", "click", "rich", "pydantic", "cryptography", "passfloor.cli.app"}


@pytest.mark.parametrize(
    "words", [["--help"], ["bench", "run", "--help"], ["suite", "--help"], ["eval", "--help"]]
)
def test_help_loads_the_parser_and_nothing_else_of_weight(words):
    code, modules = loaded_by(*words)
    assert code == 0
    assert not modules & {
        "ruamel", "numpy", "rich", "cryptography", "jsonschema", "re2", "rfc8785", "aiohttp", "http.client",
        "passfloor.models", "passfloor.suites", "passfloor.running", "passfloor.verification",
        "passfloor.canonical", "passfloor.keys.keystore", "passfloor.signing.public_keys",
        "passfloor.adapters", "passfloor.importers", "xml",
    }  # fmt: skip


@pytest.mark.parametrize("verb", ["verify", "report"])
def test_verify_and_report_load_nothing_that_serves_dials_or_runs(tmp_path, verb):
    receipt = tmp_path / "r.json"
    receipt.write_text("{}")
    code, modules = loaded_by("bench", verb, str(receipt))
    assert code == 1
    assert not modules & {
        "asyncio", "aiohttp", "httpx", "requests", "http.client", "http.server", "socketserver", "ssl",
        "urllib.request", "numpy", "matplotlib", "distributed", "multiprocessing", "rich", "passfloor.agents",
        "passfloor.running", "passfloor.workspaces", "passfloor.checking", "passfloor.adapters.process",
    }  # fmt: skip
