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
from passfloor.report.layout import counted
from passfloor.report.wording import COORDINATION, NOT_COVERED
from passfloor.stats import percent

if TYPE_CHECKING:
    import jinja2

EXTRA = "passfloor[html]"
"""What to install for this format."""

_LONGEST = 2000
_STYLES = ("page.css",)
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

    style = "".join(map(_asset, _STYLES))
    script = "".join(map(_asset, _SCRIPTS))
    at, k = envelope.at, envelope.k
    parts = tasks.task_parts(envelope)
    embedded = enclosure is not None and enclosure.fits
    return {
        "e": envelope,
        "source": envelope.source,
        "standing": standing(envelope.source),
        "policy": Markup(_policy(style, script)),  # noqa: S704  # digests of our own files
        "style": Markup(style),  # noqa: S704  # our own file
        "script": Markup(script),  # noqa: S704  # our own file
        "open_without_script": Markup(_OPEN_WITHOUT_SCRIPT),  # noqa: S704  # our own text
        "block": block(envelope),
        "beside": beside(envelope),
        "quote": figure_name(envelope.quote.figure, k),
        "kinds": KINDS,
        "parts": parts,
        "of_pile": {
            pile: sum(part.row.pile == pile for part in parts) for pile in ("flaky", "never", "always")
        },
        "most_answers": tasks.MOST_ANSWERS,
        "most_text": tasks.MOST_TEXT // 1024**2,
        "wide": Markup(curve.curve_plot(envelope.curve, k, curve.WIDE)),  # noqa: S704  # escaped by svg
        "narrow": Markup(curve.curve_plot(envelope.curve, k, curve.NARROW)),  # noqa: S704
        "floor_bar": Markup(bars.interval_bar(float(at.floor), at.floor_interval, "floor")),  # noqa: S704
        "ceiling_bar": Markup(bars.interval_bar(float(at.ceiling), at.ceiling_interval, "ceiling")),  # noqa: S704
        "columns": Markup(bars.pile_columns(envelope.tasks)),  # noqa: S704
        "not_established": [NOT_COVERED[name] for name in envelope.source.not_established],
        "coordination": COORDINATION[envelope.source.coordination],
        "enclosure": enclosure,
        "embedded": embedded,
        "receipt": Markup(enclosed(enclosure.content)) if enclosure and embedded else "",  # noqa: S704
        "most_mib": MOST_BYTES // 1024**2,
        "mib": f"{len(enclosure.content) / 1024**2:.1f}" if enclosure else "",
    }


def _policy(style: str, script: str) -> str:
    """A content security policy (W3C CSP Level 3) that lets through these two texts and nothing else."""
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src {_digest(style)} {_digest(_OPEN_WITHOUT_SCRIPT)}; script-src {_digest(script)}"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
