"""Offers of the catalogue."""


class Offer:
    """Something for sale, at a price that is quoted without tax."""

    def __init__(self, name, price):
        self.name = name
        self.price = price

    def net_price(self):
        """Return the quoted price: offers carry no tax."""
        return self.price
