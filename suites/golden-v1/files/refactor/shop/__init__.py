"""Prices and invoices of the shop."""

from shop.pricing import net_price, net_price_rounded

__all__ = ["net_price", "net_price_rounded"]
