"""Print a price list as CSV."""

from shop import pricing
from shop.catalogue import Offer


def price_list(offers, tax_rate):
    """Return the lines of the list; the importer on the other side knows the column as net_price."""
    lines = ["name,net_price"]
    for offer in offers:
        lines.append(f"{offer.name},{pricing.net_price(offer.price, tax_rate):.2f}")
    return lines


if __name__ == "__main__":
    print("\n".join(price_list([Offer("Kettle", 23.8), Offer("Cup", 5.95)], 0.19)))
