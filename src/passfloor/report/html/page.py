"""The page: a template filled with an envelope. Nothing in it loads anything, and no text of others acts."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from passfloor.errors import UsageError
from passfloor.report.block import beside, block, figure_name, fixed, measured
from passfloor.report.envelope.model import Envelope
from passfloor.report.envelope.words import KINDS, standing
from passfloor.report.escape import show
from passfloor.report.html import bars, curve, tasks
from passfloor.report.html.enclosing import MOST_BYTES, Enclosure, enclosed
from passfloor.report.imported import rule_words
from passfloor.report.layout import counted
from passfloor.report.wording import COORDINATION, not_covered
from passfloor.stats import percent

if TYPE_CHECKING:
    import jinja2

EXTRA = "passfloor[html]"
"""What to install for this format."""

_LONGEST = 2000
_SCRIPTS = ("canonical.js", "seal.js", "page.js")
_OPEN_WITHOUT_SCRIPT = (
    "tr.detail[hidden],tbody[hidden]{display:table-row-group}tr.detail[hidden]{display:table-row}"
)


def html_report(envelope: Envelope, enclosure: Enclosure | None = None) -> str:
    """The page, ASCII only, so that no locale can break it.

    Args:
        envelope: What is shown.
        enclosure: The receipt that the browser is to check; None: the page carries none.

    Raises:
        UsageError: the extra is not installed.
    """
    check_installed()
    text = _environment().get_template("page.html").render(_context(envelope, enclosure))
    return text.rstrip("\n").encode("ascii", "xmlcharrefreplace").decode("ascii")


def check_installed() -> None:
    """See to it that the extra is there.

    Raises:
        UsageError: it is not.
    """
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise UsageError(f"--format html needs jinja2: pip install '{EXTRA}'") from error


@cache
def _environment() -> "jinja2.Environment":
    """Every value passes ``show`` and is then escaped, whatever the template says."""
    import jinja2
    from markupsafe import Markup

    def safely(value: object) -> object:
        return value if isinstance(value, Markup) else show(value, _LONGEST)

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=safely,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, fixed=fixed, measured=measured, counted=counted)
    return environment


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _context(envelope: Envelope, enclosure: Enclosure | None) -> Mapping[str, Any]:
    from markupsafe import Markup

    source, parts = envelope.source, tasks.task_parts(envelope)
    ours = {**_own(), **_pictures(envelope)}
    if enclosure is not None and enclosure.fits:
        ours["receipt"] = enclosed(enclosure.content)
    return {
        **{name: Markup(text) for name, text in ours.items()},  # noqa: S704  # our own, or escaped by its maker
        "e": envelope,
        "source": source,
        "standing": standing(source),
        "block": block(envelope),
        "beside": beside(envelope),
        "quote": figure_name(envelope.quote.figure, envelope.k),
        "kinds": KINDS,
        "parts": parts,
        "of_pile": {pile: len(envelope.of_pile(pile)) for pile in tasks.PILES},
        "most_text": tasks.MOST_TEXT // 1024**2,
        "not_established": not_covered(source.not_established, source.established),
        "coordination": COORDINATION[source.coordination],
        "import_rule": rule_words(dict(source.import_rule)),
        "enclosure": enclosure,
        "embedded": "receipt" in ours,
        "most_mib": MOST_BYTES // 1024**2,
        "mib": f"{len(enclosure.content) / 1024**2:.1f}" if enclosure else "",
    }


def _own() -> dict[str, str]:
    """The style, the script, and the policy that lets through these and nothing else."""
    style = _asset("page.css")
    script = "".join(map(_asset, _SCRIPTS))
    return {
        "style": style,
        "script": script,
        "open_without_script": _OPEN_WITHOUT_SCRIPT,
        "policy": _policy(style, script),
    }


def _pictures(envelope: Envelope) -> dict[str, str]:
    at, k = envelope.at, envelope.k
    return {
        "wide": curve.curve_plot(envelope.curve, k, curve.WIDE),
        "narrow": curve.curve_plot(envelope.curve, k, curve.NARROW),
        "floor_bar": bars.interval_bar(float(at.floor), at.floor_interval, "floor"),
        "ceiling_bar": bars.interval_bar(float(at.ceiling), at.ceiling_interval, "ceiling"),
        "columns": bars.pile_columns(envelope.tasks),
    }


def _policy(style: str, script: str) -> str:
    """A content security policy (W3C CSP Level 3) that lets through these two texts and nothing else."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src {_digest(style)} {_digest(_OPEN_WITHOUT_SCRIPT)}; script-src {_digest(script)}"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
