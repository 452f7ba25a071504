"""Launch templates: CreateLaunchTemplate, DescribeLaunchTemplates, DescribeLaunchTemplateVersions, DeleteLaunchTemplate; one version each.

What is read of their data: instance type, market type, the capacity reservation that is targeted, EFA interfaces. The rest is kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import CAPACITY_RESERVATIONS, LAUNCH_TEMPLATES
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[a-zA-Z0-9().\-/_]{3,128}")


def _by_name(context: Context, name: str) -> Record | None:
    return next(iter(LAUNCH_TEMPLATES.where(context, LaunchTemplateName=name)), None)


def _named(context: Context, identifier: str, name: str) -> Record:
    if identifier:
        return LAUNCH_TEMPLATES.get(context, identifier)
    record = _by_name(context, name)
    if record is None:
        raise AWSError(
            "InvalidLaunchTemplateName.NotFoundException",
            f"The specified launch template, with template name {name}, does not exist.",
        )
    return record


def resolve(context: Context, identifier: str, name: str, version: str) -> dict[str, Any]:
    """{id, name, version, data}. Errors: no such template or version."""
    record = _named(context, identifier, name)
    if version not in ("", "1", "$Default", "$Latest"):
        raise AWSError("InvalidLaunchTemplateId.VersionNotFound", f"Could not find launch template version {version}.")
    return {"id": record["LaunchTemplateId"], "name": record["LaunchTemplateName"], "version": "1", "data": record["data"]}


def reservation(context: Context, data: dict[str, Any]) -> Record | None:
    """The capacity reservation that the data target, None when they target none. Errors: it is not there."""
    target = ((data.get("CapacityReservationSpecification") or {}).get("CapacityReservationTarget") or {}).get("CapacityReservationId")
    return CAPACITY_RESERVATIONS.get(context, target) if target else None


def interfaces(data: dict[str, Any]) -> list[bool]:
    """Its network interfaces in order: whether each is an EFA."""
    return [one.get("InterfaceType") in ("efa", "efa-only") for one in data.get("NetworkInterfaces") or ()]


def security_groups(data: dict[str, Any]) -> list[str]:
    """Those that the data name, by themselves or with the first interface."""
    first: dict[str, Any] = next(iter(data.get("NetworkInterfaces") or ()), {})
    return [*(data.get("SecurityGroupIds") or first.get("Groups") or ())]


@operation("ec2", "CreateLaunchTemplate")
def create_launch_template(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    name, token = params["LaunchTemplateName"], params.get("ClientToken", "")
    if not _NAME.fullmatch(name):
        raise AWSError("InvalidLaunchTemplateName.MalformedException", f"The launch template name {name} is not valid.")
    existing = _by_name(context, name)
    if existing is not None:
        if token and existing["token"] == token:
            return {"LaunchTemplate": wire(existing)}
        raise AWSError("InvalidLaunchTemplateName.AlreadyExistsException", f"Launch template name already in use: {name}")
    record: Record = {
        "LaunchTemplateId": LAUNCH_TEMPLATES.new_id(context),
        "LaunchTemplateName": name,
        "CreateTime": context.timestamp,
        "CreatedBy": context.principal.arn,
        "DefaultVersionNumber": 1,
        "LatestVersionNumber": 1,
        "Tags": tags.from_specifications(context, params, "launch-template"),
        "data": params["LaunchTemplateData"],
        "token": token,
    }
    LAUNCH_TEMPLATES.put(context, record)
    return {"LaunchTemplate": wire(record)}


@operation("ec2", "DescribeLaunchTemplates")
def describe_launch_templates(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    by_name = [_named(context, "", name)["LaunchTemplateId"] for name in params.get("LaunchTemplateNames") or ()]
    wanted = [*(params.get("LaunchTemplateIds") or ()), *by_name]
    return {"LaunchTemplates": [wire(one) for one in LAUNCH_TEMPLATES.select(context, wanted or None, params.get("Filters"))]}


@operation("ec2", "DescribeLaunchTemplateVersions")
def describe_launch_template_versions(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = _named(context, params.get("LaunchTemplateId", ""), params.get("LaunchTemplateName", ""))
    version = {
        **{name: record[name] for name in ("LaunchTemplateId", "LaunchTemplateName", "CreateTime", "CreatedBy")},
        "VersionNumber": 1,
        "DefaultVersion": True,
        "LaunchTemplateData": record["data"],
    }
    return {"LaunchTemplateVersions": [version]}


@operation("ec2", "DeleteLaunchTemplate")
def delete_launch_template(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    check_dry_run(params)
    record = _named(context, params.get("LaunchTemplateId", ""), params.get("LaunchTemplateName", ""))
    LAUNCH_TEMPLATES.delete(context, record["LaunchTemplateId"])
    return {"LaunchTemplate": wire(record)}
