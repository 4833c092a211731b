"""How a price is worked out."""


def net_price(gross, tax_rate):
    """Return the price before tax of something that costs ``gross`` with tax."""
    return gross / (1 + tax_rate)


def net_price_rounded(gross, tax_rate, places=2):
    """Return the price before tax, rounded for printing."""
    return round(net_price(gross, tax_rate), places)
