"""The tree of commands."""

import typer

from passfloor.cli import alias, check, compare, doctor, gate, key, plan, report, run, runs, suite, verify

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
bench.command("plan", short_help="Say what a run will cost, and what it can tell.")(plan.plan)
bench.command("doctor", short_help="Look an agent over: two attempts of one task.")(doctor.doctor)
bench.add_typer(runs.app, name="runs")
app.add_typer(bench, name="bench")
app.command("eval")(alias.eval_)
app.add_typer(suite.app, name="suite")
app.add_typer(key.app, name="key")
