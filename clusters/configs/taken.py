"""A configuration as the doors take it: read, its zones' ids looked up, its input judged as the action will judge it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from clusters.catalog import reading
from clusters.configs.converted import Converted
from clusters.configs.read import ConfigRefused, read
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.problem import FieldError, Problem
from operations import action
from operations.submit import parse


def take(config: str | Mapping[str, Any], region: str = "") -> tuple[Converted, list[FieldError]]:
    """What it becomes, and what `cluster.create` would refuse in that input. Problem 422 when it can't become one at all.

    Reads the zones of the region (kept for five minutes) when the configuration names zones by id; changes nothing.
    """
    try:
        converted = read(config)
        if any(finding.field.startswith("availability_zone_ids") for finding in converted.findings):
            converted = read(config, _zones(region or settings.DEFAULT_REGION))
    except ConfigRefused as refused:
        raise refusal(refused.code, refused.sentence, refused.fix) from refused
    if region:
        converted.input["region"] = region
    try:
        parse(action.find("cluster.create"), converted.input)
    except Problem as problem:
        return converted, problem.errors
    return converted, []


def refusal(code: str, sentence: str, fix: str) -> Problem:
    """422 about the field `config`."""
    error = FieldError("config", code, sentence, fix)
    return Problem(422, code, "Configuration refused", sentence, fix, errors=[error])


def _zones(region: str) -> dict[str, str]:
    try:
        return {zone.id: zone.name for zone in reading.zones(cloud.connect(region)).value}
    except CloudError:
        return {}  # each id is named as one that could not be read
