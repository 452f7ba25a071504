"""Which operation a REST path means (rest-json and rest-xml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote

from botocore.model import OperationModel

from sandbox.aws import models, registry
from sandbox.aws.protocol.wire import Request, decoded_pairs

_LABEL = re.compile(r"\{([\w.-]+)(\+?)\}")


@dataclass(frozen=True)
class Route:
    operation: str
    method: str
    pattern: re.Pattern[str]
    labels: tuple[str, ...]
    literals: tuple[tuple[str, str], ...]  # of the query: "?list-type=2"
    needed_query: frozenset[str]
    needed_headers: frozenset[str]
    rank: tuple[int, int, int]


def match(service: str, request: Request) -> tuple[OperationModel, dict[str, str]] | None:
    """The operation and the labels of its path, by their names on the wire; None if the service has no such path."""
    pairs = request.query
    names = {name for name, _ in pairs}
    for route in _routes(service):
        if route.method != request.method:
            continue
        found = route.pattern.fullmatch(request.raw_path)
        if found is None or not route.needed_query <= names or not route.needed_headers <= request.headers.keys():
            continue
        if all((name, value) in pairs if value else name in names for name, value in route.literals):
            labels = {name: unquote(value) for name, value in zip(route.labels, found.groups(), strict=True)}
            return models.operation(service, route.operation), labels
    return None


@cache
def _routes(service: str) -> list[Route]:
    """Most telling first: literal path, then literal query, then required parameters; simulated before others."""
    model = models.service(service)
    routes = []
    for name in model.operation_names:
        operation = model.operation_model(name)
        path, _, query = operation.http["requestUri"].partition("?")
        needed_query, needed_headers = set(), set()
        shape: Any = operation.input_shape
        for member_name in shape.required_members if shape is not None else ():
            serialization = shape.members[member_name].serialization
            if serialization.get("location") == "querystring":
                needed_query.add(serialization.get("name", member_name))
            elif serialization.get("location") == "header":
                needed_headers.add(serialization.get("name", member_name).lower())
        if service != "s3":  # elsewhere a missing parameter is a validation error, not another operation
            needed_query, needed_headers = set(), set()
        literals = tuple(decoded_pairs(query))
        labels = tuple(found[1] for found in _LABEL.finditer(path))
        expected = 2 * len(literals) + len(needed_query) + len(needed_headers)
        likely = 2 * (registry.find(service, name) is not None) - bool(operation.deprecated)
        routes.append(
            Route(
                operation=name,
                method=operation.http["method"],
                pattern=_pattern(path),
                labels=labels,
                literals=literals,
                needed_query=frozenset(needed_query),
                needed_headers=frozenset(needed_headers),
                rank=(len(_LABEL.sub("", path)), expected, likely),
            )
        )
    return sorted(routes, key=lambda route: route.rank, reverse=True)


def _pattern(path: str) -> re.Pattern[str]:
    expression, position = "", 0
    for found in _LABEL.finditer(path):
        expression += re.escape(path[position : found.start()]) + ("(.+)" if found[2] else "([^/]+)")
        position = found.end()
    return re.compile(expression + re.escape(path[position:].rstrip("/")) + "/?", re.DOTALL)
