"""Doors of the diagnosis: web."""
