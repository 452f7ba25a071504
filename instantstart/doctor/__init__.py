"""Says what is in use and what is wrong: `manage.py doctor`, and the page of the AWS connection."""

from __future__ import annotations

from django.conf import settings

from instantstart.doctor.finding import Finding, Health, Report

__all__ = ["Finding", "Health", "Report", "examine", "examine_connection"]


def examine(region: str = "") -> Report:
    """Everything: AWS, then this machine. Reads only; some seconds when AWS is out of reach."""
    from instantstart.doctor import connection, machine

    return Report((*connection.examine(region or settings.DEFAULT_REGION), *machine.examine()))


def examine_connection(region: str = "") -> Report:
    """AWS alone, for the page that people see first."""
    from instantstart.doctor import connection

    return Report(tuple(connection.examine(region or settings.DEFAULT_REGION)))
