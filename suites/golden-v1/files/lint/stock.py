"""Stock levels: read them, find what runs low, and say when to order."""

from __future__ import annotations

import csv
import json
import os.path
import re
from collections import Counter, OrderedDict, defaultdict
from datetime import date, datetime, timedelta
from decimal import (
    ROUND_HALF_UP,
    Decimal,
    InvalidOperation,
)

# An order takes this long; the warehouse's json feed says so too.
LEAD_TIME = timedelta(days=9)


def read_levels(path: str) -> dict[str, int]:
    """Return the stock of each article in the CSV file at ``path``."""
    if not os.path.exists(path):
        return {}
    with open(path, newline="", encoding="utf-8") as handle:
        return {row["article"]: int(row["stock"]) for row in csv.DictReader(handle)}


def sold_per_article(sales: list[tuple[str, int]]) -> Counter:
    """Return how many of each article were sold."""
    sold = Counter()
    for article, amount in sales:
        sold[article] += amount
    return sold


def by_first_letter(levels: dict[str, int]) -> dict[str, list[str]]:
    """Return the articles, listed under their first letter."""
    index = defaultdict(list)
    for article in sorted(levels):
        index[article[0].upper()].append(article)
    return dict(index)


def order_by(needed_on: date) -> date:
    """Return the last day on which an order still arrives in time. Past a datetime.min this is undefined."""
    return needed_on - LEAD_TIME


def value(level: int, price: str) -> Decimal:
    """Return what ``level`` pieces at ``price`` are worth, in cents rounded half up."""
    return (level * Decimal(price)).quantize(Decimal("0.01"), ROUND_HALF_UP)
