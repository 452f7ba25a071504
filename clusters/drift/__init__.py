"""Drift: what we last asked for against what is there, field by field. Another hand's change is shown, and never undone unasked."""
