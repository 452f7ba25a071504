"""Input checked as the service's model says, with the service's own error code and wording."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex  # type: ignore[import-untyped]
from botocore.model import OperationModel, Shape

from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import codes, values

_SHOWN = 256  # characters of a refused value in a message
# EC2 checks values in its own way and words (handlers do); S3's model has no constraints and a wording of its own.
_REQUIRED_ONLY = {"ec2", "s3"}


@dataclass(frozen=True)
class Violation:
    path: str
    value: Any
    constraint: str
    missing: bool = False

    def sentence(self) -> str:
        if self.missing:
            return f"Value null at '{self.path}' failed to satisfy constraint: Member must not be null"
        return f"Value '{str(self.value)[:_SHOWN]}' at '{self.path}' failed to satisfy constraint: {self.constraint}"


def check(operation: OperationModel, params: dict[str, Any]) -> None:
    """Raise the service's validation error for the first (or, where the service does, all) violated constraints."""
    shape = operation.input_shape
    if shape is None:
        return
    service = operation.service_model.service_name
    found = list(_structure(shape, params, "", service not in _REQUIRED_ONLY))
    if not found:
        return
    if service == "ec2":
        first = next((violation for violation in found if violation.missing), found[0])
        raise AWSError(codes.missing(service), f"The request must contain the parameter {_ec2_name(first.path)}")
    if service == "s3":
        raise AWSError("MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
    plural = "" if len(found) == 1 else "s"
    sentences = "; ".join(violation.sentence() for violation in found[:10])
    raise AWSError(codes.invalid(service), f"{len(found)} validation error{plural} detected: {sentences}")


def _ec2_name(path: str) -> str:
    return ".".join(part[:1].upper() + part[1:] for part in path.split("."))


def _structure(shape: Any, value: dict[str, Any], where: str, whole: bool) -> Iterator[Violation]:
    for name in shape.required_members:
        if value.get(name) is None:
            yield Violation(_path(where, name), None, "", missing=True)
    for name, member in shape.members.items():
        if value.get(name) is not None:
            yield from _value(member, value[name], _path(where, name), whole)


def _value(shape: Any, value: Any, where: str, whole: bool) -> Iterator[Violation]:
    kind = shape.type_name
    _require_type(kind, value, where)
    if kind == "structure":
        if not getattr(shape, "is_document_type", False):
            yield from _structure(shape, value, where, whole)
        return
    if whole:
        yield from _constraints(shape, value, where)
    if kind == "list":
        for index, item in enumerate(value):
            yield from _value(shape.member, item, f"{where}.{index + 1}.member", whole)
    elif kind == "map":
        for key, item in value.items():
            yield from _value(shape.key, key, f"{where}.{key}.key", whole)
            yield from _value(shape.value, item, f"{where}.{key}.member", whole)


def _require_type(kind: str, value: Any, where: str) -> None:
    """Values off the wire have their types; those that CloudFormation and tests give might not."""
    expected: dict[str, type | tuple[type, ...]] = {
        "structure": dict,
        "map": dict,
        "list": list,
        "string": str,
        "character": str,
        "integer": int,
        "long": int,
        "float": (int, float),
        "double": (int, float),
        "boolean": bool,
    }
    wanted = expected.get(kind)
    if wanted is not None and (not isinstance(value, wanted) or (isinstance(value, bool) and kind != "boolean")):
        raise values.malformed(f"{where}: expected {kind}, not {type(value).__name__}")


def _constraints(shape: Shape, value: Any, where: str) -> Iterator[Violation]:
    metadata, kind = shape.metadata, shape.type_name
    low, high = metadata.get("min"), metadata.get("max")
    if kind in ("integer", "long", "float", "double"):
        if low is not None and value < low:
            yield Violation(where, value, f"Member must have value greater than or equal to {low}")
        if high is not None and value > high:
            yield Violation(where, value, f"Member must have value less than or equal to {high}")
        return
    if kind in ("string", "list", "map", "blob"):
        if low is not None and len(value) < low:
            yield Violation(where, value, f"Member must have length greater than or equal to {low}")
        if high is not None and len(value) > high:
            yield Violation(where, value, f"Member must have length less than or equal to {high}")
    if kind == "string":
        allowed = metadata.get("enum")
        if allowed and value not in allowed:
            yield Violation(where, value, f"Member must satisfy enum value set: [{', '.join(allowed)}]")
        pattern = metadata.get("pattern")
        if pattern and not _matches(pattern, value):
            yield Violation(where, value, f"Member must satisfy regular expression pattern: {pattern}")


def _path(where: str, name: str) -> str:
    lowered = name[:1].lower() + name[1:]
    return f"{where}.{lowered}" if where else lowered


def _matches(pattern: str, value: str) -> bool:
    compiled = _compiled(pattern)
    try:
        return compiled is None or compiled.fullmatch(value, timeout=0.2) is not None
    except TimeoutError:  # a pattern that backtracks for ever on hostile input does not stop the sandbox
        return False


@lru_cache(maxsize=2048)
def _compiled(pattern: str) -> Any:
    """The pattern; None for the few of Java's that have no meaning here (then nothing is checked)."""
    # `regex`, not `re`: it knows the \\p{L} of Java's patterns, and its matching can be timed out
    try:
        return regex.compile(re.sub(r"\[\\w-_\]", r"[\\w\\-_]", pattern))
    except regex.error:
        return None
