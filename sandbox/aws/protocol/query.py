"""Form parameters, for the query and ec2 protocols."""

from __future__ import annotations

from typing import Any

from sandbox.aws.protocol import values

_MAX_DEPTH = 30

# The parameters as a tree by the dots in their names; a leaf is text.
Tree = dict[str, Any]


def tree(pairs: list[tuple[str, str]]) -> Tree:
    """`Filter.1.Name=x` becomes {"Filter": {"1": {"Name": "x"}}}."""
    root: Tree = {}
    for name, value in pairs:
        parts = name.split(".")
        if len(parts) > _MAX_DEPTH:
            raise values.malformed("A parameter's name is nested too deeply.")
        node = root
        for part in parts[:-1]:
            below = node.get(part)
            if not isinstance(below, dict):
                below = node[part] = {}
            node = below
        node.setdefault(parts[-1], value)
    return root


def decode(shape: Any, pairs: list[tuple[str, str]], ec2: bool) -> dict[str, Any]:
    return _structure(shape, tree(pairs), "", ec2)


def _structure(shape: Any, node: Any, where: str, ec2: bool) -> dict[str, Any]:
    if not isinstance(node, dict):
        raise values.malformed(f"{where}: expected members")
    decoded: dict[str, Any] = {}
    for name, member in shape.members.items():
        wire_name = _wire_name(name, member, ec2)
        if wire_name in node:
            decoded[name] = _value(member, node[wire_name], f"{where}.{name}" if where else name, ec2)
    return decoded


def _wire_name(name: str, member: Any, ec2: bool) -> str:
    serialization = member.serialization
    if ec2:
        if "queryName" in serialization:
            return str(serialization["queryName"])
        given = str(serialization.get("name", name))
        return given[0].upper() + given[1:]
    if member.type_name == "list" and serialization.get("flattened"):
        return str(serialization.get("name", member.member.serialization.get("name", name)))
    return str(serialization.get("name", name))


def _value(shape: Any, node: Any, where: str, ec2: bool) -> Any:
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, node, where, ec2)
    if kind == "list":
        return _list(shape, node, where, ec2)
    if kind == "map":
        return _map(shape, node, where, ec2)
    if isinstance(node, dict):
        raise values.malformed(f"{where}: expected one value")
    return values.scalar(shape, node, where, text=True)


def _list(shape: Any, node: Any, where: str, ec2: bool) -> list[Any]:
    if node == "":
        return []
    if not isinstance(node, dict):
        if ec2:  # EC2 takes one value without a number, too
            return [_value(shape.member, node, where, ec2)]
        raise values.malformed(f"{where}: expected numbered members")
    if not ec2 and not shape.serialization.get("flattened"):
        node = node.get(shape.member.serialization.get("name", "member"), {})
        if not isinstance(node, dict):
            raise values.malformed(f"{where}: expected numbered members")
    return [_value(shape.member, node[key], f"{where}.{key}.member", ec2) for key in _numbered(node)]


def _map(shape: Any, node: Any, where: str, ec2: bool) -> dict[str, Any]:
    if node == "":
        return {}
    if not isinstance(node, dict):
        raise values.malformed(f"{where}: expected entries")
    if not shape.serialization.get("flattened"):
        node = node.get("entry", {})
    key_name = shape.key.serialization.get("name", "key")
    value_name = shape.value.serialization.get("name", "value")
    decoded: dict[str, Any] = {}
    for number in _numbered(node):
        entry = node[number]
        if not isinstance(entry, dict) or not isinstance(entry.get(key_name), str) or value_name not in entry:
            raise values.malformed(f"{where}.{number}: expected a key and a value")
        decoded[entry[key_name]] = _value(shape.value, entry[value_name], f"{where}.{entry[key_name]}", ec2)
    return decoded


def _numbered(node: Tree) -> list[str]:
    return sorted((key for key in node if key.isascii() and key.isdigit() and len(key) < 7), key=int)
