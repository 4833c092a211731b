"""From an envelope to the text of a file, by the name of a format."""

from collections.abc import Callable, Mapping

from passfloor.report.envelope import Envelope
from passfloor.report.envelope_document import envelope_document
from passfloor.report.escape import json_text
from passfloor.report.html import html_report
from passfloor.report.junit import junit_report
from passfloor.report.markdown import markdown_report
from passfloor.report.text import text_report


def json_report(envelope: Envelope) -> str:
    """One JSON object."""
    return json_text(envelope_document(envelope))


FORMATS: Mapping[str, Callable[[Envelope], str]] = {
    "text": text_report,
    "json": json_report,
    "markdown": markdown_report,
    "junit": junit_report,
    "html": html_report,
}
"""Name -> renderer. A renderer is pure, and what it gives has no line break at its end."""
