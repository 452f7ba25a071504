"""Pollers of clusters."""
