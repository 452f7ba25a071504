"""Managed features, one level: a folder each under one contract (clusters.features.entry). Adding one touches no other."""

from __future__ import annotations

from importlib import import_module

from clusters.features.entry import Feature, FeatureSeen, FeatureSettings

FOLDERS: tuple[str, ...] = (
    "training_operator",
    "inference_operator",
    "tiered_checkpointing",
    "node_autoscaling",
    "task_governance",
    "observability",
    "container_insights",
    "fsx_csi",
    "metrics_server",
    "kuberay",
)
"""In the order in which they are shown."""


def _found(folder: str) -> Feature:
    feature: Feature = import_module(f"clusters.features.{folder}").FEATURE
    if feature.name != folder:
        raise RuntimeError(f"the feature in {folder} calls itself {feature.name}")
    return feature


REGISTRY: dict[str, Feature] = {folder: _found(folder) for folder in FOLDERS}

__all__ = ["FOLDERS", "REGISTRY", "Feature", "FeatureSeen", "FeatureSettings", "find"]


def find(name: str) -> Feature:
    """The feature of that name. KeyError when there is none."""
    return REGISTRY[name]
