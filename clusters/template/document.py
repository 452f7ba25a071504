"""CloudFormation as typed Python: resources with logical names, references between them, one JSON document at the end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Value = Any
"""A property's value: a literal, or one of the functions below."""
INLINE_LIMIT = 51_200
"""Bytes that CloudFormation takes without a bucket."""


def ref(logical_id: str) -> dict[str, str]:
    """The resource's own identifier."""
    return {"Ref": logical_id}


def att(logical_id: str, attribute: str) -> dict[str, list[str]]:
    """An attribute that the resource has once it is made."""
    return {"Fn::GetAtt": [logical_id, attribute]}


def sub(text: str, **values: Value) -> dict[str, Value]:
    """`text` with ${names} filled in: pseudo parameters, logical names, or the values given."""
    return {"Fn::Sub": [text, values]} if values else {"Fn::Sub": text}


def join(separator: str, values: Iterable[Value]) -> dict[str, Value]:
    return {"Fn::Join": [separator, list(values)]}


@dataclass(frozen=True)
class Resource:
    """logical_id: name within the template, letters and digits. name: what people see, for the plan."""

    logical_id: str
    type: str
    name: str
    properties: Mapping[str, Value]
    depends_on: tuple[str, ...] = ()
    deletion_policy: str = ""

    def document(self) -> dict[str, Value]:
        made: dict[str, Value] = {"Type": self.type}
        if self.depends_on:
            made["DependsOn"] = list(self.depends_on)
        if self.deletion_policy:
            made["DeletionPolicy"] = self.deletion_policy
            made["UpdateReplacePolicy"] = self.deletion_policy
        if self.properties:
            made["Properties"] = dict(self.properties)
        return made


@dataclass(frozen=True)
class Output:
    """A value that others read from the stack by `name`."""

    name: str
    value: Value
    description: str

    def document(self) -> dict[str, Value]:
        return {"Description": self.description, "Value": self.value}


@dataclass(frozen=True)
class Template:
    description: str
    resources: tuple[Resource, ...]
    outputs: tuple[Output, ...]
    metadata: Mapping[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [resource.logical_id for resource in self.resources]
        twice = sorted({found for found in ids if ids.count(found) > 1})
        if twice:
            raise ValueError(f"two resources of one logical name: {', '.join(twice)}")

    def document(self) -> dict[str, Value]:
        return {
            "AWSTemplateFormatVersion": "2010-09-09",
            "Description": self.description,
            **({"Metadata": dict(self.metadata)} if self.metadata else {}),
            "Resources": {resource.logical_id: resource.document() for resource in self.resources},
            "Outputs": {output.name: output.document() for output in self.outputs},
        }

    def text(self) -> str:
        """JSON for people to read; without line breaks when it would be too long to send."""
        readable = json.dumps(self.document(), indent=1)
        if len(readable.encode()) <= INLINE_LIMIT:
            return readable
        return json.dumps(self.document(), separators=(",", ":"))


def named(name: str, **more: str) -> list[dict[str, str]]:
    """Tags of a network resource. The owner tags come from the stack, which passes them on to everything it makes."""
    return [{"Key": key, "Value": value} for key, value in {"Name": name, **more}.items()]
