"""Resource Groups Tagging API."""
