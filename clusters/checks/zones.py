"""Zones: names against ids, two of them, and the same ones as a half-made attempt's."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed
from operations.plan import Check

CODE, TITLE, FIELD = "zones", "Availability zones", "availability_zones"


@check(CODE, TITLE)
def zones_exist_and_are_two(subject: Subject) -> Iterator[Check]:
    known, zones = subject.facts.zones, subject.spec.zones
    listed = ", ".join(f"{zone.name} ({zone.id})" for zone in known)
    rows: list[Check] = []
    for given in subject.input.availability_zones:
        if any(zone.name == given for zone in known):
            continue
        by_id = next((zone for zone in known if zone.id == given), None)
        if by_id is not None:
            fix = f"Give the name: {by_id.name} is {given} in this account."
            rows.append(failed("zone_id_given", TITLE, f"{given} is a zone's id, not its name in this account.", fix, FIELD))
        else:
            rows.append(failed("zone_unknown", TITLE, f"{subject.spec.region} has no zone {given}.", f"Choose among {listed}.", FIELD))
    if len({zone.name for zone in zones}) < 2:
        rows.append(failed("zones_too_few", TITLE, "EKS needs subnets in two zones.", f"Choose two of {listed}.", FIELD))
    previous = subject.existing.previous
    if (
        previous is not None
        and subject.input.availability_zones
        and [zone.name for zone in previous.zones] != [zone.name for zone in zones]
    ):
        begun = ", ".join(zone.name for zone in previous.zones)
        rows.append(
            failed(
                "resume_differs",
                TITLE,
                f"The half-made attempt was begun in {begun}.",
                "Leave the zones away, or delete that attempt first.",
                FIELD,
            )
        )
    first, rest = (zones[0], zones[1:]) if zones else (None, [])
    if rows or first is None:
        yield from rows
        return
    second = f"; {rest[0].name} ({rest[0].id}) carries EKS' second subnet" if rest else ""
    yield passed(CODE, TITLE, f"Nodes go to {first.name} ({first.id}){second}.")
