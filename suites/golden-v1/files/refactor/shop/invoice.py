"""Invoices: lines of goods and what they come to."""

from shop.metrics import count
from shop.pricing import net_price


def total_before_tax(gross_prices, tax_rate):
    """Return the sum of the lines before tax."""
    count("net_price")
    return sum(net_price(gross, tax_rate) for gross in gross_prices)


def pricing_rule(discounted):
    """Return the function that prices a line."""
    return half_price if discounted else net_price


def half_price(gross, tax_rate):
    """Return half of the price before tax."""
    return net_price(gross, tax_rate) / 2
