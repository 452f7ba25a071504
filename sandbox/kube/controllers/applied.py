"""What a controller has put into a cluster for an add-on: bookkeeping `_eks.addon-applied` (ADDON_APPLIED), key cluster/add-on.

A row is {"digest", "objects": [[api version, kind, namespace, name], …]}: enough to see a change, and to take everything back.
"""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import yaml

from sandbox.kube.addons import Manifest, manifests

_PLACEHOLDER = "ADDON_VERSION"  # stands for the add-on's version in the manifests' image tags
_KEPT_NAMESPACES = ("kube-system", "default", "aws-hyperpod")  # where others live too: HyperPod's agents, brought by Helm

Reference = list[str]


def digest(addon: dict[str, Any]) -> str:
    """Changes when the add-on has to be applied anew."""
    parts = [addon["addonArn"], addon["addonVersion"], addon.get("configurationValues", ""), addon.get("serviceAccountRoleArn", "")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def render(addon: dict[str, Any]) -> list[Manifest]:
    """The add-on's objects as this installation wants them: version, replica count, node selector and tolerations."""
    values = yaml.safe_load(addon.get("configurationValues") or "{}") or {}
    rendered = []
    for document in manifests(addon["addonName"]):
        made: Manifest = json.loads(json.dumps(copy.deepcopy(document)).replace(_PLACEHOLDER, addon["addonVersion"]))
        if made["kind"] == "Deployment":
            _configure(made, values)
        made["metadata"].setdefault("labels", {})["app.kubernetes.io/managed-by"] = "eks"
        rendered.append(made)
    return rendered


def _configure(deployment: Manifest, values: dict[str, Any]) -> None:
    pod = deployment["spec"]["template"]["spec"]
    if isinstance(values.get("replicaCount"), int):
        deployment["spec"]["replicas"] = values["replicaCount"]
    if isinstance(values.get("nodeSelector"), dict):
        pod["nodeSelector"] = values["nodeSelector"]
    if isinstance(values.get("tolerations"), list):
        pod["tolerations"] = [*pod.get("tolerations", []), *values["tolerations"]]


def reference(manifest: Manifest) -> Reference:
    metadata = manifest["metadata"]
    return [manifest["apiVersion"], manifest["kind"], metadata.get("namespace", ""), metadata["name"]]


def removable(references: list[Reference]) -> list[Reference]:
    """In the order to delete them: last made first, namespaces that others use left alone."""
    return [one for one in reversed(references) if not (one[1] == "Namespace" and one[3] in _KEPT_NAMESPACES)]
