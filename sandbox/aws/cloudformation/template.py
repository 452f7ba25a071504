"""Templates: JSON or YAML with the short tags, and what CloudFormation refuses before anything is made.

Limits (CloudFormation quotas): 51,200 bytes inline, 1 MB in S3, 500 resources, 200 parameters, 200 outputs.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

from sandbox.aws.errors import AWSError

BODY_LIMIT = 51_200
URL_LIMIT = 1_048_576

Template = dict[str, Any]

_SECTIONS = {
    "AWSTemplateFormatVersion",
    "Description",
    "Metadata",
    "Parameters",
    "Mappings",
    "Conditions",
    "Rules",
    "Resources",
    "Outputs",
    "Transform",
}
_RESOURCE_MEMBERS = {
    "Type",
    "Properties",
    "DependsOn",
    "Condition",
    "DeletionPolicy",
    "UpdateReplacePolicy",
    "UpdatePolicy",
    "CreationPolicy",
    "Metadata",
    "Description",
}
_COUNTS = {"Resources": 500, "Parameters": 200, "Outputs": 200, "Mappings": 200}
_LOGICAL_ID = re.compile(r"[A-Za-z0-9]{1,255}")
_POLICIES = {"Delete", "Retain", "RetainExceptOnCreate", "Snapshot"}


def error(message: str) -> AWSError:
    return AWSError("ValidationError", message)


class _Loader(yaml.SafeLoader):
    """YAML as CloudFormation reads it: `!GetAtt A.B` and its like, and dates stay text."""


def _short_tag(loader: _Loader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:
        raise error("Template format error: unsupported YAML structure")
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _short_tag)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse(body: str) -> Template:
    """The template as a value. Errors: neither JSON nor YAML, or not an object."""
    try:
        value = json.loads(body)
    except ValueError:
        if body.lstrip().startswith("{"):
            raise error("Template format error: JSON not well-formed.") from None
        try:
            value = yaml.load(body, Loader=_Loader)  # noqa: S506 (a SafeLoader)
        except yaml.YAMLError as failure:
            mark = getattr(failure, "problem_mark", None)
            where = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
            raise error(f"Template format error: YAML not well-formed.{where}") from failure
    if not isinstance(value, dict):
        raise error("Template format error: unsupported structure.")
    return value


def check(template: Template, known_types: set[str]) -> None:
    """What holds for every template. Errors: ValidationError, in CloudFormation's words."""
    unknown = sorted(set(template) - _SECTIONS)
    if unknown:
        raise error(f"Invalid template property or properties [{', '.join(unknown)}]")
    if template.get("Transform"):
        raise error(f"Transforms are not simulated by the sandbox: {template['Transform']}")
    if template.get("Rules"):
        raise error("Template Rules are not simulated by the sandbox.")
    version = template.get("AWSTemplateFormatVersion", "2010-09-09")
    if str(version) != "2010-09-09":
        raise error("Template format error: unsupported value for AWSTemplateFormatVersion.")
    for section in ("Parameters", "Mappings", "Conditions", "Resources", "Outputs"):
        if not isinstance(template.get(section, {}), dict):
            raise error(f"Template format error: [/{section}] map must be an object")
        limit = _COUNTS.get(section)
        if limit is not None and len(template.get(section, {})) > limit:
            raise error(
                f"Template format error: Number of {section.lower()}, {len(template[section])}, is greater than maximum allowed, {limit}"
            )
        for name in template.get(section, {}):
            if not _LOGICAL_ID.fullmatch(str(name)) and section != "Mappings":
                raise error(f"Template format error: {section} name {name} is non alphanumeric.")
    if not template.get("Resources"):
        raise error("Template format error: At least one Resources member must be defined.")
    for name, parameter in template.get("Parameters", {}).items():
        if not isinstance(parameter, dict) or "Type" not in parameter:
            raise error(f"Template format error: Every Parameters object must contain a Type member. [{name}]")
    for name, output in template.get("Outputs", {}).items():
        if not isinstance(output, dict) or "Value" not in output:
            raise error(f"Template format error: Every Outputs member must contain a Value object. [{name}]")
    _check_resources(template, known_types)
    _check_references(template)


def _check_resources(template: Template, known_types: set[str]) -> None:
    unknown_types = []
    for name, resource in template["Resources"].items():
        if not isinstance(resource, dict) or not isinstance(resource.get("Type"), str):
            raise error(f"Template format error: [/Resources/{name}] Every Resources object must contain a Type member.")
        extra = sorted(set(resource) - _RESOURCE_MEMBERS)
        if extra:
            raise error(f"Invalid template resource property '{extra[0]}'")
        if not isinstance(resource.get("Properties", {}), dict):
            raise error(f"Template format error: [/Resources/{name}/Properties] must be an object")
        if resource["Type"] not in known_types:
            unknown_types.append(resource["Type"])
        for member in ("DeletionPolicy", "UpdateReplacePolicy"):
            if resource.get(member, "Delete") not in _POLICIES:
                raise error(f"Template error: {member} of resource {name} must be one of {', '.join(sorted(_POLICIES))}.")
        for other in depends_on(resource):
            if other not in template["Resources"]:
                raise error(f"Template format error: Unresolved resource dependencies [{other}] in the Resources block of the template")
        condition = resource.get("Condition")
        if condition is not None and condition not in template.get("Conditions", {}):
            raise error(f"Template format error: Unresolved condition dependency {condition} in the Resources block of the template")
    if unknown_types:
        raise error(f"Template format error: Unrecognized resource types: [{', '.join(sorted(set(unknown_types)))}]")


def depends_on(resource: dict[str, Any]) -> list[str]:
    value = resource.get("DependsOn", [])
    return [value] if isinstance(value, str) else list(value)


def references(value: Any) -> list[tuple[str, str]]:
    """Every name that a value refers to: ("Ref", name), ("GetAtt", name), ("Condition", name), `Fn::Sub` read through."""
    found: list[tuple[str, str]] = []
    if isinstance(value, list):
        for item in value:
            found += references(item)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "Ref" and isinstance(inner, str) and len(value) == 1:
                found.append(("Ref", inner))
            elif key == "Condition" and isinstance(inner, str) and len(value) == 1:
                found.append(("Condition", inner))
            elif key == "Fn::GetAtt" and isinstance(inner, list | str):
                found.append(("GetAtt", inner[0] if isinstance(inner, list) else inner.split(".", 1)[0]))
            elif key == "Fn::Sub":
                text, names = (inner, {}) if isinstance(inner, str) else (inner[0], inner[1])
                for name in re.findall(r"\$\{([^!}][^}]*)\}", text):
                    root, dot, _ = name.strip().partition(".")
                    if name.strip() not in names:
                        found.append(("GetAtt" if dot and not name.startswith("AWS::") else "Ref", root))
                found += references(names)
            elif key == "Fn::If" and isinstance(inner, list) and inner and isinstance(inner[0], str):
                found.append(("Condition", inner[0]))
                found += references(inner[1:])
            else:
                found += references(inner)
    return found


PSEUDO = {
    "AWS::AccountId",
    "AWS::NotificationARNs",
    "AWS::NoValue",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
}


def _check_references(template: Template) -> None:
    names = {*template.get("Parameters", {}), *template["Resources"], *PSEUDO}
    for block in ("Resources", "Outputs"):
        unresolved = []
        for member in template.get(block, {}).values():
            for kind, name in references({key: inner for key, inner in member.items() if key in ("Properties", "Value", "Export")}):
                if kind == "Condition":
                    if name not in template.get("Conditions", {}):
                        raise error(f"Template error: unresolved condition dependency {name} in the {block} block of the template")
                elif kind == "GetAtt" and name not in template["Resources"]:
                    raise error(f"Template error: instance of Fn::GetAtt references undefined resource {name}")
                elif kind == "Ref" and name not in names:
                    unresolved.append(name)
        if unresolved:
            listed = ", ".join(sorted(set(unresolved)))
            raise error(f"Template format error: Unresolved resource dependencies [{listed}] in the {block} block of the template")
    for kind, name in references(template.get("Conditions", {})):
        if kind == "Ref" and name not in template.get("Parameters", {}) and name not in PSEUDO:
            raise error(
                f"Template error: Unresolved dependencies [{name}]. Cannot reference resources in the Conditions block of the template"
            )
        if kind == "Condition" and name not in template.get("Conditions", {}):
            raise error(f"Template format error: Unresolved condition dependency {name} in the Conditions block of the template")
