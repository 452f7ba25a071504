"""Which format a text has, and what it becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from clusters import rules
from clusters.configs import aws_json, hyp_yaml
from clusters.configs.converted import Converted

MOST_BYTES = 256 * 1024


class ConfigRefused(ValueError):
    """It can't become an input at all. code, sentence and fix, for people."""

    def __init__(self, code: str, sentence: str, fix: str) -> None:
        super().__init__(sentence)
        self.code, self.sentence, self.fix = code, sentence, fix


def read(config: str | Mapping[str, Any], zones: Mapping[str, str] | None = None) -> Converted:
    """The input and the findings of a text (JSON or YAML), or of JSON that is parsed already. Changes and reads nothing else.

    zones: id → name of the region's availability zones, where known. ConfigRefused for what is no configuration of a cluster,
    and for one under Slurm.
    """
    given = _parsed(config) if isinstance(config, str) else dict(config)
    if "ClusterName" in given or "InstanceGroups" in given or "RestrictedInstanceGroups" in given:
        if aws_json.slurm(given):
            (refusal,) = rules.evaluate(rules.Facts(orchestrator="slurm"))
            raise ConfigRefused(refusal.code, refusal.detail, refusal.fix)
        return _guarded(aws_json.convert, given)
    if given.get("template") == "cluster-stack" or "hyperpod_cluster_name" in given or "instance_group_settings" in given:
        return _guarded(lambda config: hyp_yaml.convert(config, zones or {}), given)
    raise ConfigRefused(
        "not_a_cluster_config",
        "This is neither a create-cluster JSON (it would have ClusterName) nor a hyp cluster configuration (template: cluster-stack).",
        "Send what `aws sagemaker create-cluster --cli-input-json` or `hyp create` takes.",
    )


def _guarded(convert: Any, given: dict[str, Any]) -> Converted:
    """A value of the wrong kind in the middle of the structure is a refusal, not a defect."""
    try:
        converted: Converted = convert(given)
    except (AttributeError, TypeError) as error:
        raise ConfigRefused(
            "malformed_config",
            f"A value has another kind than the format says ({error}).",
            "Compare it with the command's own skeleton: `--generate-cli-skeleton`, or `hyp init cluster-stack`.",
        ) from error
    return converted


def _parsed(text: str) -> dict[str, Any]:
    if len(text.encode()) > MOST_BYTES:
        raise ConfigRefused("config_too_large", "The configuration is larger than 256 KiB.", "Send only the cluster's configuration.")
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        place = str(error).replace("\n", " ")[:300]
        raise ConfigRefused("unreadable_config", f"It is neither JSON nor YAML: {place}.", "Correct the place that is named.") from error
    if not isinstance(found, dict):
        raise ConfigRefused("not_a_cluster_config", "The text is no object with fields.", "Send the whole configuration file.")
    return {str(key): value for key, value in found.items()}
