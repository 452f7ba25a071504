"""Managed features of a cluster: what is on, and turning one on or off."""

from __future__ import annotations

from typing import Any

from agentapi.call import Call
from agentapi.change import change
from agentapi.inputs import Chosen, ClusterChange, ClusterListing, OnCluster, Segment, given
from agentapi.listing import page
from agentapi.outputs import Change, One, Page
from agentapi.outside import outside, outside_all
from agentapi.tool import Answer, Tool, Verify
from agentapi.words import ago, slim


def row(found: dict[str, Any]) -> dict[str, Any]:
    """A feature in one line."""
    return {
        "feature": found["name"],
        "state": found["state"],
        "version": found["version"],
        "what": found["summary"],
        "requires": found["requires"],
        "seen": f"{ago(found['observed_at'])}{', stale' if found['stale'] else ''}",
    }


async def list_features(call: Call, asked: ClusterListing) -> Answer:
    taken = await call.cluster(asked.cluster)
    return await page(call, f"clusters/{taken.name}/features/", asked, row, "feature", said=taken.said)


class GetFeature(OnCluster, Chosen):
    """feature: its name, of feature_list."""

    feature: Segment


class FeatureOne(One):
    """One feature. settings: as they are; settings_schema: what can be chosen. parts that are not ready are told."""

    feature: str
    state: str
    settings: dict[str, Any]
    settings_schema: dict[str, Any]
    faults: list[str]
    parts: list[dict[str, Any]]


async def get_feature(call: Call, asked: GetFeature) -> Answer:
    taken = await call.cluster(asked.cluster)
    path = f"clusters/{taken.name}/features/{asked.feature}/"
    if asked.fields:
        return Answer(f"{asked.feature}.", {**taken.said, **outside_all(await call.rest.get(path, {"fields": ",".join(asked.fields)}))})
    found = await call.rest.get(path)
    faults = [f"{one['code']}: {outside(one['message'], 160)} {one['hint']}".strip() for one in found["faults"][:5]]
    parts = [
        slim(
            {
                "what": part["resource_type"],
                "name": outside(part["name"], 80),
                "state": part["state"],
                "message": outside(part["message"], 120),
            }
        )
        for part in found["parts"]
        if part["state"] != "ready"
    ]
    data = {
        **row(found),
        "message": outside(found["message"]),
        "settings": outside_all(found["settings"]),
        "settings_schema": _short(found["settings_schema"]),
        "required_by": found["required_by"],
        "excludes": found["excludes"],
        "needs_addons": found["needs"],
        "waits_for_nodes": found["waits_for_nodes"],
        "faults": faults,
        "parts": parts,
        "unreadable": outside(found["unreadable"]),
    }
    return Answer(f"{found['title']} is {found['state']}.", {**taken.said, **slim(data)})


def _short(schema: dict[str, Any]) -> dict[str, Any]:
    """What can be chosen, by name: the schema's fields without what says nothing here."""
    kept = ("type", "enum", "anyOf", "minimum", "maximum", "description", "pattern")
    return {name: {key: value for key, value in field.items() if key in kept} for name, field in schema.get("properties", {}).items()}


class SetFeature(ClusterChange):
    """Only what is given changes. cascade: what must go along (needed by it, or needing it) is in the plan too."""

    feature: Segment
    enabled: bool | None = None
    settings: dict[str, Any] | None = None
    cascade: bool = False


async def set_feature(call: Call, asked: SetFeature) -> Answer:
    taken = await call.cluster(asked.cluster)
    body = {name: value for name, value in given(asked, "enabled", "settings", "cascade").items() if value is not None}
    values = {"cluster": taken.name, "feature": asked.feature, "wanted": "absent" if asked.enabled is False else "active"}
    path = f"clusters/{taken.name}/features/{asked.feature}/"
    return await change(call, asked, "PATCH", path, body=body, values=values, said=taken.said)


TOOLS = (
    Tool(
        "feature_list",
        "List features",
        "Managed features (operators, tiered checkpointing, autoscaling/Karpenter, observability …) and their state.",
        "features",
        ClusterListing,
        Page,
        list_features,
    ),
    Tool(
        "feature_get",
        "Look at a feature",
        "One feature: state, settings and what can be chosen, faults, what it requires and excludes.",
        "features",
        GetFeature,
        FeatureOne,
        get_feature,
    ),
    Tool(
        "feature_set",
        "Set a feature",
        "Turn a feature on or off, or change settings; only differences are sent.",
        "features",
        SetFeature,
        Change,
        set_feature,
        Verify("feature_get", {"cluster": "{cluster}", "feature": "{feature}"}, "state is {wanted}"),
        destructive=True,
        idempotent=True,
        open_world=True,
    ),
)
