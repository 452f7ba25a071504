"""GetTemplate, ValidateTemplate and GetTemplateSummary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import requests, stacks, template
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.template import Template, error
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@operation("cloudformation", "GetTemplate")
def get_template(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """The text as it was given."""
    if not params.get("StackName"):
        raise error("StackName must be specified.")
    stack = stacks.get(context, params["StackName"])
    return {"TemplateBody": stack["template"], "StagesAvailable": ["Original", "Processed"]}


def _checked(context: Context, params: dict[str, Any]) -> Template:
    text = requests.body(context, params)
    if text is None:
        raise error("Either Template URL or Template Body must be specified.")
    parsed = template.parse(text)
    template.check(parsed, base.known())
    return parsed


def _no_echo(declaration: dict[str, Any]) -> bool:
    return str(declaration.get("NoEcho", "false")).lower() == "true"


def _capabilities(parsed: Template) -> dict[str, Any]:
    needed, reason = requests.required_capabilities(parsed)
    return {"Capabilities": needed, **({"CapabilitiesReason": reason} if needed else {})}


@operation("cloudformation", "ValidateTemplate")
def validate_template(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    parsed = _checked(context, params)
    rows = []
    for name, declaration in parsed.get("Parameters", {}).items():
        row: dict[str, Any] = {"ParameterKey": name, "NoEcho": _no_echo(declaration)}
        if "Default" in declaration:
            row["DefaultValue"] = str(declaration["Default"])
        if "Description" in declaration:
            row["Description"] = str(declaration["Description"])
        rows.append(row)
    described = {"Description": str(parsed["Description"])} if parsed.get("Description") else {}
    return {"Parameters": rows, **described, **_capabilities(parsed)}


@operation("cloudformation", "GetTemplateSummary")
def get_template_summary(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    parsed = stacks.parsed(stacks.get(context, params["StackName"])) if params.get("StackName") else _checked(context, params)
    rows = []
    for name, declaration in parsed.get("Parameters", {}).items():
        row: dict[str, Any] = {
            "ParameterKey": name,
            "ParameterType": declaration["Type"],
            "NoEcho": _no_echo(declaration),
            "ParameterConstraints": {},
        }
        if "Default" in declaration:
            row["DefaultValue"] = str(declaration["Default"])
        if "Description" in declaration:
            row["Description"] = str(declaration["Description"])
        if "AllowedValues" in declaration:
            row["ParameterConstraints"] = {"AllowedValues": [str(one) for one in declaration["AllowedValues"]]}
        rows.append(row)
    summary: dict[str, Any] = {
        "Parameters": rows,
        "ResourceTypes": sorted({one["Type"] for one in parsed["Resources"].values()}),
        "Version": "2010-09-09",
        "DeclaredTransforms": [],
        **_capabilities(parsed),
    }
    for member in ("Description",):
        if parsed.get(member):
            summary[member] = str(parsed[member])
    return summary
