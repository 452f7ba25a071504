"""What an error means: one table over (service, code), and what to do about it."""

from operations.errors.classify import classify, uncertain, unforeseen

__all__ = ["classify", "uncertain", "unforeseen"]
