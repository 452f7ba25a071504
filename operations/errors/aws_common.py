"""Errors that any AWS service may answer with, and the gateway's own words for replies that never came."""

from __future__ import annotations

from operations.errors.entry import Entry

ENTRIES: tuple[Entry, ...] = ()
