"""The report as one page for a browser: self-contained, and it checks the receipt that it carries."""

from passfloor.report.html.enclosing import MOST_BYTES, Enclosure
from passfloor.report.html.page import EXTRA, check_installed, html_report

__all__ = ["EXTRA", "MOST_BYTES", "Enclosure", "check_installed", "html_report"]
