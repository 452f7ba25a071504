"""moto as a second opinion on plain services: the same calls to both, and the shapes of the answers compared.

Compared are the paths of members (`Vpc.CidrBlock`, `Vpcs[].State`) and the kinds of their values, never the values.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import boto3
import pytest
from moto import mock_aws

from sandbox.testing import call
from sandbox.world import World

Paths = dict[str, str]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float | datetime.datetime):
        return "number"  # timestamps are epoch seconds here and moments there
    return type(value).__name__


def paths(value: Any, at: str = "") -> Paths:
    """Kind of every leaf by its path; policy documents are leaves."""
    if isinstance(value, dict):
        return {path: kind for name, inner in value.items() for path, kind in paths(inner, f"{at}.{name}" if at else name).items()}
    if isinstance(value, list):
        return {path: kind for inner in value for path, kind in paths(inner, f"{at}[]").items()}
    return {at: _kind(value)}


def _documents_as_text(value: Any) -> Any:
    """boto3 gives policy documents decoded, the handlers as they go over the wire."""
    if isinstance(value, dict):
        return {
            name: json.dumps(inner) if name.endswith("Document") and isinstance(inner, dict) else _documents_as_text(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_documents_as_text(inner) for inner in value]
    return unquote(value) if isinstance(value, str) else value


class Oracle:
    """Runs a call against the sandbox and against moto. Arguments may be functions of what earlier calls of each side answered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._region = world.settings.region
        self._ours: dict[str, Any] = {}
        self._theirs: dict[str, Any] = {}

    def ask(self, service: str, operation: str, keep: str = "", **params: Any) -> tuple[Paths, Paths]:
        """Paths of our answer and of moto's."""
        ours = call(self._world, service, operation, _filled(params, self._ours))
        client = boto3.client(service, region_name=self._region, aws_access_key_id="a", aws_secret_access_key="b")
        method = next(name for name, found in client.meta.method_to_api_mapping.items() if found == operation)
        theirs = getattr(client, method)(**_filled(params, self._theirs))
        theirs.pop("ResponseMetadata")
        if keep:
            self._ours[keep], self._theirs[keep] = ours, theirs
        return paths(_documents_as_text(ours)), paths(_documents_as_text(theirs))


@dataclass
class Comparison:
    """What moto has and we have not, and where the kinds differ, by operation; `excused` are the reasons that were needed."""

    missing: dict[str, list[str]] = field(default_factory=dict)
    differing: dict[str, list[str]] = field(default_factory=dict)
    excused: set[str] = field(default_factory=set)


def compare(world: World, service: str, calls: list[tuple[str, str, dict[str, Any]]], without: dict[str, str]) -> Comparison:
    """All calls in order. `without`: names of members that moto may have alone, with the reason."""
    oracle, found = Oracle(world), Comparison()
    for operation, keep, params in calls:
        ours, theirs = oracle.ask(service, operation, keep, **params)
        absent = {path: path.rpartition(".")[2].removesuffix("[]") for path in theirs if path not in ours}
        found.excused |= {name for name in absent.values() if name in without}
        unexcused = [path for path, name in absent.items() if name not in without]
        if unexcused:
            found.missing[operation] = unexcused
        other = [path for path, kind in theirs.items() if path in ours and ours[path] != kind]
        if other:
            found.differing[operation] = other
    return found


def _filled(value: Any, answers: dict[str, Any]) -> Any:
    if callable(value):
        return value(answers)
    if isinstance(value, dict):
        return {name: _filled(inner, answers) for name, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, answers) for inner in value]
    return value


@contextmanager
def moto(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """moto's world, reached by boto3 without the endpoint that the environment may name."""
    for name in ("AWS_ENDPOINT_URL", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with mock_aws():
        yield
