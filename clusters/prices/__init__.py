"""What instances cost: AWS's price list where it was read, else the table of instance types; each with its date."""

from clusters.prices.quote import Book, Quote, quote

__all__ = ["Book", "Quote", "quote"]
