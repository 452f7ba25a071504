"""EKS clusters and their add-ons, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from clusters import tags
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError


@dataclass(frozen=True)
class Issue:
    """One health issue in EKS' words."""

    code: str
    message: str


@dataclass(frozen=True)
class EksReading:
    """endpoint and ca_data are "" until the cluster is ACTIVE."""

    name: str
    arn: str
    status: str
    version: str
    endpoint: str
    ca_data: str
    vpc_id: str
    security_group_id: str
    issues: tuple[Issue, ...]
    tags: Mapping[str, str]
    raw: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class AddonReading:
    name: str
    status: str
    version: str
    issues: tuple[Issue, ...]
    tags: Mapping[str, str]
    role_arn: str
    configuration: str = ""
    """JSON or YAML, as it was given."""
    associations: tuple[str, ...] = ()
    """ARNs of the pod identity associations that it owns."""

    @property
    def settled(self) -> bool:
        """Whether it is at rest as it should be."""
        return self.status == "ACTIVE" and not self.issues

    def as_json(self) -> dict[str, Any]:
        issues = [asdict(issue) for issue in self.issues]
        return {**asdict(self), "issues": issues, "tags": dict(self.tags), "associations": list(self.associations)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> AddonReading:
        issues = tuple(Issue(**issue) for issue in kept["issues"])
        return cls(**{**kept, "issues": issues, "associations": tuple(kept.get("associations", ()))})

    @property
    def operation(self) -> str:
        """Id of the operation of ours that made it, "" when it was not ours."""
        return self.tags.get(tags.OPERATION, "")

    @property
    def lacks_only_replicas(self) -> bool:
        """DEGRADED for nothing but missing replicas: what happens to a healthy add-on while there is no node."""
        return (
            self.status == "DEGRADED" and bool(self.issues) and all(issue.code == "InsufficientNumberOfReplicas" for issue in self.issues)
        )


def _issues(health: Mapping[str, Any] | None) -> tuple[Issue, ...]:
    return tuple(Issue(str(item.get("code", "")), str(item.get("message", ""))) for item in (health or {}).get("issues") or ())


def read_eks(aws: Aws, name: str) -> EksReading | None:
    """The EKS cluster, None when AWS says that there is none. CloudError when it can't be read."""
    try:
        cluster = aws.read("eks", "describe_cluster", name=name)["cluster"]
    except CloudError as error:
        if error.missing:
            return None
        raise
    network = cluster.get("resourcesVpcConfig", {})
    return EksReading(
        name=cluster["name"],
        arn=cluster["arn"],
        status=cluster["status"],
        version=cluster.get("version", ""),
        endpoint=cluster.get("endpoint") or "",
        ca_data=(cluster.get("certificateAuthority") or {}).get("data") or "",
        vpc_id=network.get("vpcId", ""),
        security_group_id=network.get("clusterSecurityGroupId", ""),
        issues=_issues(cluster.get("health")),
        tags=cluster.get("tags") or {},
        raw=cluster,
    )


def read_addon(aws: Aws, cluster: str, name: str) -> AddonReading | None:
    """The add-on, None when AWS says that there is none (or no such cluster)."""
    try:
        addon = aws.read("eks", "describe_addon", clusterName=cluster, addonName=name)["addon"]
    except CloudError as error:
        if error.missing:
            return None
        raise
    return AddonReading(
        name=addon["addonName"],
        status=addon["status"],
        version=addon.get("addonVersion", ""),
        issues=_issues(addon.get("health")),
        tags=addon.get("tags") or {},
        role_arn=addon.get("serviceAccountRoleArn", ""),
        configuration=addon.get("configurationValues", ""),
        associations=tuple(addon.get("podIdentityAssociations") or ()),
    )


def read_addons(aws: Aws, cluster: str) -> dict[str, AddonReading]:
    """Every add-on of the cluster by name: listed, then described."""
    try:
        names = list(aws.pages("eks", "list_addons", "addons", clusterName=cluster))
    except CloudError as error:
        if error.missing:
            return {}
        raise
    readings = (read_addon(aws, cluster, name) for name in names)
    return {reading.name: reading for reading in readings if reading is not None}
