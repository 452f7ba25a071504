"""The control plane's CloudFormation template, made from typed Python: one file a part."""

from __future__ import annotations

from dataclasses import dataclass

from clusters.resolved import ResolvedSpec
from clusters.template.build import build
from clusters.template.document import INLINE_LIMIT
from instantstart.cloud.identity import Identity


@dataclass(frozen=True)
class PlannedResource:
    """One resource of the stack, for the plan: CloudFormation's type, logical name, and the name that people see."""

    type: str
    logical_id: str
    name: str


class TemplateTooLong(ValueError):
    """The template would not fit into a request."""


def control_plane(spec: ResolvedSpec, identity: Identity) -> str:
    """The template as JSON, at most 51,200 bytes. The stack is named by `clusters.names.stack(spec.name)`."""
    text = build(spec, identity).text()
    if len(text.encode()) > INLINE_LIMIT:
        raise TemplateTooLong(
            f"The template of {spec.name} has {len(text.encode())} bytes; CloudFormation takes {INLINE_LIMIT}: use fewer tags."
        )
    return text


def resources(spec: ResolvedSpec, identity: Identity) -> list[PlannedResource]:
    """What the stack would make, in the template's order."""
    return [PlannedResource(made.type, made.logical_id, made.name) for made in build(spec, identity).resources]
