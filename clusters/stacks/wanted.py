"""A stack's template as it is deployed, and as this release would make it for the same cluster."""

from __future__ import annotations

import json
from typing import Any

from clusters import names
from clusters.groups import network
from clusters.resolved import ResolvedSpec
from clusters.template import control_plane
from instantstart.cloud.aws import Aws

SECTIONS = ("Parameters", "Conditions", "Mappings")
Document = dict[str, Any]


def deployed(aws: Aws, stack: str) -> Document:
    """The template that the stack was last made or updated with; {} when it is not JSON. CloudError."""
    body = aws.read("cloudformation", "get_template", StackName=stack)["TemplateBody"]
    try:
        return dict(json.loads(body) if isinstance(body, str) else body)
    except ValueError:
        return {}


def wanted(aws: Aws, spec: ResolvedSpec, part: str, now: Document) -> str | None:
    """What this release would make. None for a subnet's stack whose template does not say what it was made of. CloudError."""
    if part == names.CONTROL_PLANE:
        return control_plane(spec, aws.identity())
    made = network.made_of(now, names.stack(spec.name, part), part)
    return None if made is None else made.template().text()


def behind(now: Document, template: str | None) -> list[str]:
    """Logical names of the resources in which the two differ; descriptions, metadata and outputs change nothing that is there."""
    if template is None:
        return []
    ours = json.loads(template)
    if any(now.get(section, {}) != ours.get(section, {}) for section in SECTIONS):
        return sorted({*now.get("Resources", {}), *ours["Resources"]})
    there, made = now.get("Resources", {}), ours["Resources"]
    return sorted(name for name in {*there, *made} if there.get(name) != made.get(name))
