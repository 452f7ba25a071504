"""Desired against observed: which fields another hand has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusters.drift import fields


@dataclass(frozen=True)
class Difference:
    resource: str
    field: str
    desired: Any
    observed: Any


def differences(wanted: fields.Fields, seen: fields.Fields) -> list[Difference]:
    """One entry a field. What could not be read, and what nobody has asked for, is no difference."""
    found = []
    for resource, values in wanted.items():
        now = seen.get(resource)
        if now is None:
            # A feature that is on its way or can't be read says nothing; a group that HyperPod does not list is gone.
            if resource.startswith(fields.GROUP) and values.get(fields.THERE) is True:
                found.append(Difference(resource, fields.THERE, True, False))
            continue
        found += [
            Difference(resource, name, value, now[name])
            for name, value in values.items()
            if name in now
            and now[name] != value
            and (name == fields.THERE or now.get(fields.THERE, True) == values.get(fields.THERE, True))
        ]
    known = {resource for resource in wanted if resource.startswith(fields.GROUP)}
    for resource in seen:
        if resource.startswith(fields.GROUP) and resource not in known and known:
            found.append(Difference(resource, fields.THERE, False, True))
    return found
