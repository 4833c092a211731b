"""The tree of commands."""

import typer

from passfloor.cli import (
    alias,
    audit,
    challenge,
    check,
    commit,
    compare,
    doctor,
    export,
    gate,
    imports,
    key,
    plan,
    redact,
    regrade,
    report,
    run,
    runs,
    seal,
    suite,
    trust,
    verify,
)

app = typer.Typer(
    name="passfloor",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Tell whether an agent can be left alone: run every task n times, report the ceiling (pass@k) "
    "and the floor (pass^k), seal both in a signed receipt, verify it anywhere.",
)
bench = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run attempts, verify receipts, check coordination.",
)


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", "-V", help="Show the version and exit.", is_eager=True),
) -> None:
    if version:
        from passfloor import __version__
        from passfloor.cli.outputs import print_text

        print_text(f"passfloor {__version__}")
        raise typer.Exit


bench.command("run", short_help="Run every task n times and seal a signed receipt.")(run.run)
bench.command("reliability-verify", short_help="Verify a receipt offline.")(verify.verify)
bench.command("verify", hidden=True)(verify.verify)
bench.command("reliability-check", short_help="Prove that coordination was held fixed.")(check.check)
bench.command("check", hidden=True)(check.check)
bench.command("report", short_help="Show both figures, the piles and every task.")(report.report)
bench.command("gate", short_help="Hold a verified receipt against thresholds.")(gate.gate)
bench.command("compare", short_help="Compare two verified receipts, paired by task.")(compare.compare)
bench.command("audit", short_help="Test a claim by fresh attempts.")(audit.audit)
bench.command("import", short_help="Get both figures out of another tool's log.")(imports.import_)
bench.command("export", short_help="Attest a verified receipt to other tools.")(export.export)
bench.command("redact", short_help="Take large values out of a receipt.")(redact.redact)
bench.command("plan", short_help="Say what a run will cost, and what it can tell.")(plan.plan)
bench.command("challenge", short_help="Print a nonce for a run to be begun under.")(challenge.challenge)
bench.command("commit", short_help="Sign a plan before it is run.")(commit.commit)
bench.command("regrade", short_help="Grade sealed outputs again: agent noise or grader noise?")(
    regrade.regrade
)
bench.command("doctor", short_help="Look an agent over: two attempts of one task.")(doctor.doctor)
bench.command("seal", short_help="Seal a finished run that was made elsewhere.")(seal.seal)
bench.add_typer(runs.app, name="runs")
app.add_typer(bench, name="bench")
app.command("eval")(alias.eval_)
app.add_typer(suite.app, name="suite")
app.add_typer(key.app, name="key")
app.add_typer(trust.app, name="trust")
