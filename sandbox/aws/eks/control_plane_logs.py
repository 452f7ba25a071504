"""The log group `/aws/eks/<cluster>/cluster`: made by EKS when logging is on, left behind when the cluster goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.spread import hex_id

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_STREAMS = {
    "api": "kube-apiserver",
    "audit": "kube-apiserver-audit",
    "authenticator": "authenticator",
    "controllerManager": "kube-controller-manager",
    "scheduler": "kube-scheduler",
}


def group_name(cluster: str) -> str:
    return f"/aws/eks/{cluster}/cluster"


def enabled_types(cluster: dict[str, Any]) -> list[str]:
    return [
        kind for setup in cluster.get("logging", {}).get("clusterLogging", []) if setup.get("enabled") for kind in setup.get("types", [])
    ]


def normalised(logging: dict[str, Any] | None) -> dict[str, Any]:
    """As DescribeCluster shows it: one entry of the types that are on, one of those that are off."""
    on = [kind for setup in (logging or {}).get("clusterLogging", []) if setup.get("enabled") for kind in setup.get("types", [])]
    off = [kind for kind in _STREAMS if kind not in on]
    setups = [{"types": [kind for kind in _STREAMS if kind in on], "enabled": True}, {"types": off, "enabled": False}]
    return {"clusterLogging": [setup for setup in setups if setup["types"]]}


def write(context: Context, cluster: dict[str, Any], sentence: str) -> None:
    """One line into the stream of each log type that is on. The group is made when it is missing: the service needs no one's leave."""
    types = enabled_types(cluster)
    if not types:
        return
    group = group_name(cluster["name"])
    _unless_there(context, "CreateLogGroup", {"logGroupName": group})
    for kind in types:
        stream = f"{_STREAMS[kind]}-{hex_id(cluster['arn'] + kind, 32)}"
        _unless_there(context, "CreateLogStream", {"logGroupName": group, "logStreamName": stream})
        event = {"timestamp": int(context.timestamp * 1000), "message": sentence}
        context.call("logs", "PutLogEvents", {"logGroupName": group, "logStreamName": stream, "logEvents": [event]})


def _unless_there(context: Context, operation: str, params: dict[str, Any]) -> None:
    try:
        context.call("logs", operation, params)
    except AWSError as error:
        if error.code != "ResourceAlreadyExistsException":
            raise
