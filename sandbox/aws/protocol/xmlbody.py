"""XML bodies: replies of query, ec2 and rest-xml, requests of rest-xml."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from sandbox.aws.protocol import values

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_MAX_DEPTH = 50


def read(body: bytes) -> ET.Element:
    """The root element. Document types are refused, so no entity can be declared."""
    if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
        raise values.malformed("A document type is not allowed.")
    try:
        return ET.fromstring(body)  # noqa: S314 - without a document type there is nothing to expand
    except (ET.ParseError, ValueError, LookupError) as error:
        raise values.malformed("The XML is not well-formed.") from error


def decode(shape: Any, node: ET.Element, where: str = "", depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        raise values.malformed("The XML is nested too deeply.")
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, node, where, depth)
    if kind == "list":
        name = shape.member.serialization.get("name", "member")
        return [decode(shape.member, child, where, depth + 1) for child in node if _tag(child) == name]
    if kind == "map":
        return _map(shape, [child for child in node if _tag(child) == "entry"], where, depth)
    return values.scalar(shape, node.text or "", where, text=True)


def _structure(shape: Any, node: ET.Element, where: str, depth: int) -> dict[str, Any]:
    children: dict[str, list[ET.Element]] = {}
    for child in node:
        children.setdefault(_tag(child), []).append(child)
    decoded: dict[str, Any] = {}
    for name, member in shape.members.items():
        path = f"{where}.{name}" if where else name
        serialization = member.serialization
        if serialization.get("xmlAttribute"):
            wanted = serialization["name"].split(":")[-1]
            for key, value in node.attrib.items():
                if key.split("}")[-1] == wanted:
                    decoded[name] = value
            continue
        if "location" in serialization:
            continue
        if member.type_name == "list" and serialization.get("flattened"):
            found = children.get(serialization.get("name", member.member.serialization.get("name", name)))
            if found:
                decoded[name] = [decode(member.member, child, path, depth + 1) for child in found]
            continue
        found = children.get(serialization.get("name", name))
        if found:
            if member.type_name == "map" and serialization.get("flattened"):
                decoded[name] = _map(member, found, path, depth)
            else:
                decoded[name] = decode(member, found[0], path, depth + 1)
    return decoded


def _map(shape: Any, entries: list[ET.Element], where: str, depth: int) -> dict[str, Any]:
    key_name = shape.key.serialization.get("name", "key")
    value_name = shape.value.serialization.get("name", "value")
    decoded: dict[str, Any] = {}
    for entry in entries:
        parts = {_tag(child): child for child in entry}
        if key_name not in parts or value_name not in parts:
            raise values.malformed(f"{where}: expected a key and a value")
        decoded[parts[key_name].text or ""] = decode(shape.value, parts[value_name], where, depth + 1)
    return decoded


def _tag(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


def text(value: str) -> str:
    """Escaped for an element; characters that XML cannot hold become "?"."""
    return escape(_NOT_XML.sub("?", value))


def encode(shape: Any, value: Any, tag: str, *, ec2: bool = False, attributes: str = "") -> str:
    """The element `tag` of a handler's value."""
    kind = shape.type_name
    if kind == "structure":
        return f"<{tag}{attributes or _attributes(shape, value)}>{members(shape, value, ec2=ec2)}</{tag}>"
    if kind == "list":
        if shape.serialization.get("flattened"):
            name = shape.serialization.get("name") or shape.member.serialization.get("name") or tag
            return "".join(encode(shape.member, item, name, ec2=ec2) for item in value)
        name = shape.member.serialization.get("name", "item" if ec2 else "member")
        return f"<{tag}>{''.join(encode(shape.member, item, name, ec2=ec2) for item in value)}</{tag}>"
    if kind == "map":
        return _encode_map(shape, value, tag, ec2)
    return f"<{tag}{attributes}>{text(_scalar(shape, value))}</{tag}>"


def members(shape: Any, value: dict[str, Any], *, ec2: bool = False) -> str:
    """The elements of a structure's members, without the structure's own."""
    parts = []
    for name, member in shape.members.items():
        if value.get(name) is None or "location" in member.serialization or member.serialization.get("xmlAttribute"):
            continue
        parts.append(encode(member, value[name], member.serialization.get("name", name), ec2=ec2))
    return "".join(parts)


def _attributes(shape: Any, value: dict[str, Any]) -> str:
    found = ""
    for name, member in shape.members.items():
        if member.serialization.get("xmlAttribute") and value.get(name) is not None:
            prefix = member.serialization["name"].split(":")[0]
            found += f' xmlns:{prefix}="http://www.w3.org/2001/XMLSchema-instance" {member.serialization["name"]}={quoteattr(value[name])}'
    return found


def _encode_map(shape: Any, value: dict[str, Any], tag: str, ec2: bool) -> str:
    key_name = shape.key.serialization.get("name", "key")
    value_name = shape.value.serialization.get("name", "value")
    flattened = shape.serialization.get("flattened")
    entry = tag if flattened else "entry"
    inner = "".join(
        f"<{entry}><{key_name}>{text(str(key))}</{key_name}>{encode(shape.value, item, value_name, ec2=ec2)}</{entry}>"
        for key, item in value.items()
    )
    return inner if flattened else f"<{tag}>{inner}</{tag}>"


def _scalar(shape: Any, value: Any) -> str:
    kind = shape.type_name
    if kind == "timestamp":
        return str(values.timestamp_text(value, shape.serialization.get("timestampFormat", "iso8601")))
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "blob":
        return values.base64_text(value)
    return str(value)
