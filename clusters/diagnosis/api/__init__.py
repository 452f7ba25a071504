"""Doors of the diagnosis: api."""
