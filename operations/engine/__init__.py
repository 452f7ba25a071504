"""Drives one operation: observe, intend, call, record, come back. Only who holds its lease gets anything done."""

from operations.engine.advance import advance

__all__ = ["advance"]
