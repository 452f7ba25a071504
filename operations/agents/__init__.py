"""Agents: what of theirs waits for a person, and the one switch that stops them.

What they may do at all is decided where it is for everybody (accounts.principal, operations.permission).
"""
