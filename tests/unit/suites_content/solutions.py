"""Right and wrong ways of doing the tasks of the built-in suites, as data.

A way of doing a file task is a function from the starting files (path -> bytes) to the files that are left.
"""

import csv
import io
import re
from collections.abc import Callable
from decimal import Decimal

Files = dict[str, bytes]
Solution = Callable[[Files], Files]


def edit(path: str, *pairs: tuple[str, str], then: Solution | None = None) -> Solution:
    """Replace texts in one file; each of them has to be there."""

    def solution(files: Files) -> Files:
        files = then(files) if then else dict(files)
        text = files[path].decode()
        for old, new in pairs:
            assert old in text, (path, old)
            text = text.replace(old, new)
        return files | {path: text.encode()}

    return solution


def add(path: str, text: str) -> Solution:
    return lambda files: files | {path: text.encode()}


def nothing(files: Files) -> Files:
    return dict(files)


TOTALS = (
    'customer,total\n"Lindqvist, Berg & Co",121.25\nAda Supplies,114.50\nHarbour Café,24.25\n'
    "Brightside Books,9.50\nNorthwind Traders,9.50\n"
)


def totals(
    files: Files, *, wanted: str = "shipped", number: type = Decimal, key=None, places: str = ".2f"
) -> Files:
    sums: dict = {}
    for row in csv.DictReader(io.StringIO(files["orders.csv"].decode())):
        if wanted in (row["status"], ""):
            worth = number(row["quantity"]) * number(row["unit_price"])
            sums[row["customer"]] = sums.get(row["customer"], number(0)) + worth
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["customer", "total"])
    for name, total in sorted(sums.items(), key=key or (lambda item: (-item[1], item[0]))):
        writer.writerow([name, format(total, places)])
    return files | {"reports/totals.csv": out.getvalue().encode()}


OLD, NEW = "net_price", "price_before_tax"
RENAMED = ("shop/__init__.py", "shop/pricing.py", "shop/invoice.py", "report.py")


def rename(files: Files) -> Files:
    """Every name but the longer one and every `__all__` entry; no other text."""
    name = re.compile(rf"(?<![\w\"',]){OLD}(?!\w)")
    files = dict(files)
    for path in RENAMED:
        lines = files[path].decode().splitlines(keepends=True)
        files[path] = "".join(line if "importer" in line else name.sub(NEW, line) for line in lines).encode()
    return edit("shop/__init__.py", (f'["{OLD}"', f'["{NEW}"'))(files)


def rename_by_text(files: Files, pattern: str) -> Files:
    return {path: re.sub(pattern, NEW, content.decode()).encode() for path, content in files.items()}


TESTS = """from durations import parse_duration


def test_seconds_only():
    assert parse_duration("45s") == 45


def test_hours_and_minutes():
    assert parse_duration("1h30m") == 5400


def test_days_and_hours_with_a_blank():
    assert parse_duration("2d 4h") == 187200


def test_number_without_a_unit():
    assert parse_duration("90") == 90
"""

tidy = edit(
    "stock.py",
    ("import json\n", ""),
    ("import re\n", ""),
    ("Counter, OrderedDict, defaultdict", "Counter, defaultdict"),
    ("date, datetime, timedelta", "date, timedelta"),
    ("    InvalidOperation,\n", ""),
)

STALE = '    """Return the delay in milliseconds."""\n'
DOCSTRING = '''    """Return the seconds to wait before the next try.

    Args:
        attempt: how many tries have failed so far, from 1 up
        base: seconds to wait after the first failure
        cap: the longest wait in seconds
        jitter: whether to spread the waits at random

    Raises:
        ValueError: attempt is below 1
        ArithmeticError: base is not positive or exceeds cap
    """
'''

RIGHT: dict[str, Solution] = {
    "file_io_read_write": totals,
    "refactor_rename_symbol": rename,
    "test_generation_happy_path": add("test_durations.py", TESTS),
    "lint_fix_unused_import": tidy,
    "doc_update_docstring": edit("retry.py", (STALE, DOCSTRING)),
}

WRONG: dict[str, dict[str, Solution]] = {
    "file_io_read_write": {
        "nothing": nothing,
        "orders of every status": lambda files: totals(files, wanted=""),
        "sorted as text": lambda files: totals(files, key=lambda item: str(item[1])),
        "ties in the order of the file": lambda files: totals(files, key=lambda item: -item[1]),
        "binary floating point, as it prints": lambda files: totals(files, number=float, places=""),
        "no quotes around the comma": add("reports/totals.csv", TOTALS.replace('"', "")),
        "at the wrong place": add("totals.csv", TOTALS),
        "written with carriage returns": add("reports/totals.csv", TOTALS.replace("\n", "\r\n")),
        "last newline missing": add("reports/totals.csv", TOTALS.rstrip()),
        "input cleaned up on the way": lambda files: (
            totals(files) | {"orders.csv": re.sub(rb".*pending.*\n", b"", files["orders.csv"])}
        ),
    },
    "refactor_rename_symbol": {
        "nothing": nothing,
        "every occurrence of the text": lambda files: rename_by_text(files, OLD),
        "every whole word, in texts too": lambda files: rename_by_text(files, rf"\b{OLD}\b"),
        "the definition alone": edit("shop/pricing.py", (f"def {OLD}(", f"def {NEW}(")),
        "an alias under the old name left": lambda files: (
            rename(files)
            | {"shop/pricing.py": rename(files)["shop/pricing.py"] + f"\n\n{OLD} = {NEW}\n".encode()}
        ),
        "the list of exports forgotten": edit("shop/__init__.py", (f'["{NEW}"', f'["{OLD}"'), then=rename),
        "the use through the module forgotten": edit(
            "report.py", (f"pricing.{NEW}", f"pricing.{OLD}"), then=rename
        ),
        "the use as a value forgotten": edit("shop/invoice.py", (f"else {NEW}", f"else {OLD}"), then=rename),
        "imported under the old name": edit(
            "shop/invoice.py",
            (f"import {NEW}", f"import {NEW} as {OLD}"),
            (f"{NEW}(", f"{OLD}("),
            then=rename,
        ),
        "the counter renamed as well": edit(
            "shop/invoice.py", (f'count("{OLD}")', f'count("{NEW}")'), then=rename
        ),
        "the method renamed as well": edit("shop/catalogue.py", (OLD, NEW), then=rename),
        "a forwarding function added": edit(
            "shop/invoice.py",
            (
                "def half_price",
                f"def net(gross, tax_rate):\n    return {NEW}(gross, tax_rate)\n\n\ndef half_price",
            ),
            then=rename,
        ),
        "no valid Python": edit("shop/__init__.py", ('_rounded"]', '_rounded"'), then=rename),
        "the column renamed as well": edit("report.py", (f'"name,{OLD}"', f'"name,{NEW}"'), then=rename),
    },
    "test_generation_happy_path": {
        "nothing": nothing,
        "one example left out": add("test_durations.py", TESTS.partition("\n\ndef test_days")[0]),
        "one result wrong": add("test_durations.py", TESTS.replace("5400", "5430")),
        "nothing checked": add("test_durations.py", re.sub(r"assert (.*) == \d+", r"\1", TESTS)),
        "results as text": add("test_durations.py", re.sub(r"== (\d+)", r'== "\1"', TESTS)),
        "not imported": add("test_durations.py", TESTS.partition("\n\n\n")[2]),
        "an import too many": add("test_durations.py", "import pytest\n\n" + TESTS),
        "no valid Python": add("test_durations.py", TESTS + "\n\ndef test_more(:\n    pass\n"),
        "the neighbour tested as well": add(
            "test_durations.py",
            TESTS.replace(
                "import parse", "import parse_duration\nfrom durations import format_duration, parse", 1
            )
            + "\n\ndef test_format():\n    assert format_duration(3725) == '1h2m5s'\n",
        ),
        "under another file name": add("tests/test_durations.py", TESTS),
        "the module changed to suit": edit(
            "durations.py", ("    90\n", "    5400\n"), then=add("test_durations.py", TESTS)
        ),
        "the names mixed up": add(
            "test_durations.py",
            TESTS.replace("seconds_only", "x")
            .replace("number_without_a_unit", "seconds_only")
            .replace("test_x", "test_number_without_a_unit"),
        ),
    },
    "lint_fix_unused_import": {
        "nothing": nothing,
        "one left": edit("stock.py", ("import csv\n", "import csv\nimport json\n"), then=tidy),
        "whole statements alone looked at": edit("stock.py", ("import json\n", ""), ("import re\n", "")),
        "the linter silenced": edit(
            "stock.py",
            ("import json\n", "import json  # noqa: F401\n"),
            ("import re\n", "import re  # noqa: F401\n"),
            ("defaultdict\n", "defaultdict  # noqa: F401\n"),
            ("timedelta\n", "timedelta  # noqa: F401\n"),
            ("InvalidOperation,\n", "InvalidOperation,  # noqa: F401\n"),
        ),
        "no valid Python": edit("stock.py", ("    Decimal,\n)\n", "    Decimal,\n"), then=tidy),
        "the modules lost": edit("stock.py", ("import csv\nimport os.path\n", ""), then=tidy),
        "the reading rewritten": edit(
            "stock.py", ("csv.DictReader(handle)}", "csv.DictReader(handle, strict=True)}"), then=tidy
        ),
        "an annotation widened": edit("stock.py", ("-> Counter:", "-> dict[str, int]:"), then=tidy),
        "the rounding rewritten": edit(
            "stock.py", ("(level * Decimal(price))", "(Decimal(price) * level)"), then=tidy
        ),
        "uses made up": edit(
            "stock.py", ("LEAD_TIME =", "_ = json, re, OrderedDict, datetime, InvalidOperation\nLEAD_TIME =")
        ),
        "an import lost that annotations use": edit(
            "stock.py", ("import date, timedelta", "import timedelta"), then=tidy
        ),
        "a statement with a used name lost": edit(
            "stock.py", ("from collections import Counter, defaultdict\n", ""), then=tidy
        ),
        "the future import lost": edit("stock.py", ("from __future__ import annotations\n\n", ""), then=tidy),
        "annotations taken out": edit("stock.py", ("needed_on: date) -> date", "needed_on)"), then=tidy),
        "the file next door tidied too": edit("feed.py", ("import re\n", ""), then=tidy),
        "the comment lost": edit(
            "stock.py",
            ("# An order takes this long; the warehouse's json feed says so too.\n", ""),
            then=tidy,
        ),
    },
    "doc_update_docstring": {
        "nothing": nothing,
        "the old one left in front": edit("retry.py", (STALE, STALE + DOCSTRING)),
        "the new one after a statement": edit("retry.py", (STALE, "    pass\n" + DOCSTRING)),
        "the summary alone": edit("retry.py", (STALE, DOCSTRING.partition("\n")[0] + '"""\n')),
        "a parameter left out": edit("retry.py", (STALE, re.sub(r".*jitter:.*\n", "", DOCSTRING))),
        "an exception left out": edit("retry.py", (STALE, re.sub(r".*ArithmeticError:.*\n", "", DOCSTRING))),
        "words of its own": edit(
            "retry.py", (STALE, DOCSTRING.replace("the longest wait in seconds", "upper bound"))
        ),
        "the comments moved away": edit(
            "retry.py", ("  # the longest wait in seconds", ""), (STALE, DOCSTRING)
        ),
        "the code improved as well": edit("retry.py", ("attempt < 1:", "attempt <= 0:"), (STALE, DOCSTRING)),
        "said twice": edit("retry.py", (STALE, DOCSTRING + DOCSTRING)),
        "the wrong function": edit(
            "retry.py", ('    """Return whether another try is allowed."""\n', DOCSTRING)
        ),
        "no valid Python": edit("retry.py", (STALE, DOCSTRING[:-8] + "\n")),
    },
}

CONTACT = (
    '{"name": "Mira Okafor", "city": "Tromsø", "email": "mira@lab.example", "extension": "0417",'
    ' "languages": ["Norwegian", "English", "Igbo"], "newsletter": false}'
)
LINES = "warn: disk (14:07) - 91% used\nerror: net (14:07) - link down\ninfo: cron (00:00) - nightly job"
VERSIONS = '["1.30.0", "2.9.3", "2.9.12", "2.10.0-alpha", "2.10.0-beta", "2.10.0", "10.0.1"]'
WORDS = (
    '{"count": 9, "words": ["Every", "evening", "engineer", "sees", "eleven", "geese", "settle", "beside",'
    ' "never"]}'
)
CLASSES = '{"t1":"billing","t2":"request","t3":"access","t4":"defect","t5":"billing","t6":"access"}'

ANSWERS: dict[str, tuple[list[str], list[str]]] = {
    "arithmetic_invoice_total": (
        ["203.86", "203.86\n", " 203.860 "],
        ["", "201.87", "203.9", "203,86", "203.86 EUR", "The total is 203.86", "224.30"],
    ),
    "json_contact_record": (
        [CONTACT, CONTACT.replace(", ", ",\n  ") + "\n"],
        [
            "",
            f"```json\n{CONTACT}\n```",
            CONTACT.replace("0417", "417"),
            CONTACT.replace('"0417"', "417"),
            CONTACT.replace("false", "true"),
            CONTACT.replace("false", '"no"'),
            CONTACT.replace("}", ', "note": "lab"}'),
            CONTACT.replace("Norwegian", "norsk"),
            CONTACT.replace("ø", "o"),
        ],
    ),
    "extraction_order_numbers": (
        ["PX-20418\nPX-20481\nPX-20532", "PX-20418\nPX-20481\nPX-20532\n"],
        [
            "",
            "PX-20418\nPX-20481\nPX-20532\nPX-2048",
            "PX-20418\nPX-20481\nRX-11873\nPX-20532",
            "PX-20418, PX-20481, PX-20532",
            "PX-20418\nPX-20532",
            "PX-20481\nPX-20418\nPX-20532",
        ],
    ),
    "date_reasoning_deadline": (
        ["2024-03-05", "2024-03-05\n"],
        ["", "2024-03-04", "2024-03-01", "2024-03-06", "5 March 2024", "The deadline is 2024-03-05."],
    ),
    "unit_conversion_fuel": (
        ["36.75", "36.75\n", "3.675e1"],
        ["", "36.752", "36.8", "44.14", "36.75 miles", "37", "about 36.75"],
    ),
    "sorting_version_numbers": (
        [VERSIONS, VERSIONS.replace(", ", ",\n")],
        [
            "",
            f"```json\n{VERSIONS}\n```",
            '["1.30.0", "10.0.1", "2.10.0", "2.10.0-alpha", "2.10.0-beta", "2.9.12", "2.9.3"]',
            '["1.30.0", "2.9.3", "2.9.12", "2.10.0", "2.10.0-alpha", "2.10.0-beta", "10.0.1"]',
            '["1.30.0", "2.9.3", "2.9.12", "2.10.0-alpha", "2.10.0-beta", "10.0.1"]',
            VERSIONS.strip("[]"),
        ],
    ),
    "transformation_log_lines": (
        [LINES, LINES + "\n"],
        [
            "",
            LINES.replace("warn", "WARN"),
            LINES.replace("(14:07)", "(14:07:09)", 1),
            LINES.replace("(00:00)", "(0:00)"),
            LINES.partition("\n")[2],
            "Here are the lines:\n" + LINES,
            LINES.replace("info: cron", "info:  cron"),
        ],
    ),
    "counting_words": (
        [WORDS, WORDS.replace(" ", "")],
        [
            "",
            "9",
            WORDS.replace("9", "8", 1),
            WORDS.replace(', "never"', "").replace("9", "8", 1),
            WORDS.replace("Every", "every"),
            WORDS.replace('"never"', '"never", "others"').replace("9", "10", 1),
        ],
    ),
    "classification_support_tickets": (
        [CLASSES, CLASSES.replace(",", ", ") + "\n"],
        [
            "",
            CLASSES.replace('"t3":"access"', '"t3":"defect"'),
            CLASSES.replace('"t5":"billing"', '"t5":"access"'),
            CLASSES.replace("request", "feature"),
            CLASSES.replace(',"t6":"access"', ""),
            f"```\n{CLASSES}\n```",
        ],
    ),
    "logic_seating": (
        ["Ana-Ben-Cleo-Eva-Dov", "Ana-Ben-Cleo-Eva-Dov\n"],
        [
            "",
            "Ana-Ben-Cleo-Dov-Eva",
            "Ben-Ana-Cleo-Eva-Dov",
            "Eva-Dov-Cleo-Ana-Ben",
            "Ana - Ben - Cleo - Eva - Dov",
            "Seats: Ana-Ben-Cleo-Eva-Dov",
        ],
    ),
}
