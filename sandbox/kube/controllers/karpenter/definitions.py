"""The custom resource definitions that come with the service and go with it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import yaml

from sandbox.kube.controllers.karpenter.names import CORE_API, NODE_CLAIM
from sandbox.kube.protocol import KubeClient, KubeError, Manifest

_FOLDER = Path(__file__).parent / "crds"
_CRD = "apiextensions.k8s.io/v1", "CustomResourceDefinition"


@cache
def definitions() -> tuple[Manifest, ...]:
    return tuple(yaml.safe_load(path.read_text()) for path in sorted(_FOLDER.glob("*.yaml")))


async def install(client: KubeClient) -> None:
    for definition in definitions():
        await client.apply(definition)


async def remove(client: KubeClient) -> bool:
    """Claims let go of first: nobody is left to see to their finalizers. Their nodes stay. Whether all of it is gone."""
    try:
        for claim in await client.list(CORE_API, NODE_CLAIM):
            await client.patch(CORE_API, NODE_CLAIM, claim["metadata"]["name"], {"metadata": {"finalizers": None}})
    except KubeError as error:
        if error.status != 404:
            raise
    ours = [definition["metadata"]["name"] for definition in definitions()]
    for name in ours:
        await client.delete(*_CRD, name)
    left = {item["metadata"]["name"] for item in await client.list(*_CRD)}
    return not left & {*ours}
