"""AWS::EKS::Cluster, AccessEntry, Addon and PodIdentityAssociation."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import (
    Properties,
    ResourceFailed,
    ResourceType,
    Work,
    boolean,
    changed_tags,
    resource_type,
)
from sandbox.aws.errors import AWSError


def camel(value: Any) -> Any:
    """Template members are written like SubnetIds, the API's like subnetIds."""
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: camel(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [camel(inner) for inner in value]
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


class EksType(ResourceType):
    service = "Eks"
    poll = 15.0

    def retag(self, work: Work, arn: str, tags_before: list[dict[str, str]]) -> None:
        setting, unwanted = changed_tags(work, tags_before)
        if setting:
            work.call("eks", "TagResource", {"resourceArn": arn, "tags": {tag["Key"]: tag["Value"] for tag in setting}})
        if unwanted:
            work.call("eks", "UntagResource", {"resourceArn": arn, "tagKeys": unwanted})


def _missing(error: AWSError) -> bool:
    return error.code == "ResourceNotFoundException"


@resource_type
class Cluster(EksType):
    name = "AWS::EKS::Cluster"
    required = frozenset({"RoleArn", "ResourcesVpcConfig"})
    optional = frozenset(
        {
            "Name",
            "Version",
            "KubernetesNetworkConfig",
            "Logging",
            "AccessConfig",
            "UpgradePolicy",
            "DeletionProtection",
            "EncryptionConfig",
            "BootstrapSelfManagedAddons",
            "Tags",
        }
    )
    immutable = frozenset({"Name", "RoleArn", "KubernetesNetworkConfig", "BootstrapSelfManagedAddons"})
    custom_name = "Name"
    patience = 4 * 3600.0

    def create(self, work: Work) -> str:
        given = work.properties
        name = str(given.get("Name") or work.invented_name(100))
        access = given.get("AccessConfig") or {}
        params: dict[str, Any] = {
            "name": name,
            "version": str(given["Version"]) if "Version" in given else None,
            "roleArn": given["RoleArn"],
            "resourcesVpcConfig": camel(given["ResourcesVpcConfig"]),
            "kubernetesNetworkConfig": camel(given.get("KubernetesNetworkConfig")),
            "logging": _logging(given.get("Logging")),
            "accessConfig": camel(access) or None,
            "upgradePolicy": camel(given.get("UpgradePolicy")),
            "deletionProtection": boolean(given.get("DeletionProtection")),
            "encryptionConfig": camel(given.get("EncryptionConfig")),
            "bootstrapSelfManagedAddons": boolean(given.get("BootstrapSelfManagedAddons")),
            "tags": work.tag_map(),
            "clientRequestToken": work.context.request_id,
        }
        work.call("eks", "CreateCluster", params)
        return name

    def _describe(self, work: Work) -> dict[str, Any]:
        cluster: dict[str, Any] = work.call("eks", "DescribeCluster", {"name": work.physical_id})["cluster"]
        return cluster

    def ready(self, work: Work) -> bool:
        cluster = self._describe(work)
        if cluster["status"] in ("FAILED", "DELETING"):
            issues = (cluster.get("health") or {}).get("issues") or []
            told = "; ".join(f"{issue.get('code')}: {issue.get('message')}" for issue in issues)
            raise ResourceFailed(f"Cluster {work.physical_id} is in state {cluster['status']}. {told}".strip(), "NotStabilized")
        return bool(cluster["status"] == "ACTIVE")

    def attributes(self, work: Work) -> dict[str, Any]:
        cluster = self._describe(work)
        return {
            "Arn": cluster["arn"],
            "Id": work.physical_id,
            "Endpoint": cluster.get("endpoint", ""),
            "CertificateAuthorityData": (cluster.get("certificateAuthority") or {}).get("data", ""),
            "ClusterSecurityGroupId": cluster["resourcesVpcConfig"].get("clusterSecurityGroupId", ""),
            "OpenIdConnectIssuerUrl": ((cluster.get("identity") or {}).get("oidc") or {}).get("issuer", ""),
            "EncryptionConfigKeyArn": "",
        }

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        """One kind of change at a time, as EKS takes them: version, network access or logging, access mode."""
        now = work.properties
        different = [name for name in {*before, *now} - {"Tags"} if before.get(name) != now.get(name)]
        name = work.physical_id
        if "Version" in different:
            work.call("eks", "UpdateClusterVersion", {"name": name, "version": str(now["Version"])})
        config: dict[str, Any] = {}
        if "ResourcesVpcConfig" in different:
            config["resourcesVpcConfig"] = camel(now["ResourcesVpcConfig"])
        if "Logging" in different:
            config["logging"] = _logging(now.get("Logging"))
        if "AccessConfig" in different:
            config["accessConfig"] = {"authenticationMode": now["AccessConfig"]["AuthenticationMode"]}
        for member, value in config.items():
            work.call("eks", "UpdateClusterConfig", {"name": name, member: value})
        self.retag(work, work.context.arn("eks", f"cluster/{name}"), tags_before)

    def delete(self, work: Work) -> None:
        work.call("eks", "DeleteCluster", {"name": work.physical_id})

    def gone(self, work: Work) -> bool:
        try:
            self._describe(work)
        except AWSError as error:
            if _missing(error):
                return True
            raise
        return False


def _logging(given: Any) -> dict[str, Any] | None:
    """`EnabledTypes: [{Type: api}]` in templates is `types: ["api"], enabled: true` in the API."""
    if not given:
        return None
    kinds = [one["Type"] for one in (given.get("ClusterLogging") or {}).get("EnabledTypes") or []]
    every = ("api", "audit", "authenticator", "controllerManager", "scheduler")
    rows = [{"types": kinds, "enabled": True}] if kinds else []
    others = [kind for kind in every if kind not in kinds]
    return {"clusterLogging": [*rows, *([{"types": others, "enabled": False}] if others else [])]}


@resource_type
class AccessEntry(EksType):
    name = "AWS::EKS::AccessEntry"
    required = frozenset({"ClusterName", "PrincipalArn"})
    optional = frozenset({"KubernetesGroups", "Username", "Type", "AccessPolicies", "Tags"})
    immutable = frozenset({"ClusterName", "PrincipalArn", "Type"})

    def _pair(self, work: Work) -> dict[str, str]:
        return {"clusterName": work.properties["ClusterName"], "principalArn": work.properties["PrincipalArn"]}

    def create(self, work: Work) -> str:
        given = work.properties
        params = {
            **self._pair(work),
            "kubernetesGroups": given.get("KubernetesGroups"),
            "username": given.get("Username"),
            "type": given.get("Type"),
            "tags": work.tag_map(),
        }
        work.call("eks", "CreateAccessEntry", params)
        for policy in given.get("AccessPolicies") or []:
            self._associate(work, policy)
        return f"{given['PrincipalArn']}|{given['ClusterName']}"

    def _associate(self, work: Work, policy: Properties) -> None:
        scope = camel(policy["AccessScope"])
        work.call("eks", "AssociateAccessPolicy", {**self._pair(work), "policyArn": policy["PolicyArn"], "accessScope": scope})

    def attributes(self, work: Work) -> dict[str, Any]:
        entry = work.call("eks", "DescribeAccessEntry", self._pair(work))["accessEntry"]
        return {"AccessEntryArn": entry["accessEntryArn"]}

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        changed = {
            name: work.properties.get(name) for name in ("KubernetesGroups", "Username") if before.get(name) != work.properties.get(name)
        }
        if changed:
            work.call("eks", "UpdateAccessEntry", {**self._pair(work), **camel(changed)})
        old, new = before.get("AccessPolicies") or [], work.properties.get("AccessPolicies") or []
        for policy in [one for one in new if one not in old]:
            self._associate(work, policy)
        kept = [one["PolicyArn"] for one in new]
        for policy in [one for one in old if one["PolicyArn"] not in kept]:
            work.call("eks", "DisassociateAccessPolicy", {**self._pair(work), "policyArn": policy["PolicyArn"]})
        self.retag(work, self.attributes(work)["AccessEntryArn"], tags_before)

    def delete(self, work: Work) -> None:
        work.call("eks", "DeleteAccessEntry", self._pair(work))


@resource_type
class Addon(EksType):
    name = "AWS::EKS::Addon"
    required = frozenset({"ClusterName", "AddonName"})
    optional = frozenset(
        {
            "AddonVersion",
            "ServiceAccountRoleArn",
            "ResolveConflicts",
            "ConfigurationValues",
            "PodIdentityAssociations",
            "PreserveOnDelete",
            "Tags",
        }
    )
    immutable = frozenset({"ClusterName", "AddonName"})

    def _pair(self, work: Work) -> dict[str, str]:
        return {"clusterName": work.properties["ClusterName"], "addonName": work.properties["AddonName"]}

    def _settings(self, work: Work) -> dict[str, Any]:
        given = work.properties
        return {
            **self._pair(work),
            "addonVersion": given.get("AddonVersion"),
            "serviceAccountRoleArn": given.get("ServiceAccountRoleArn"),
            "resolveConflicts": given.get("ResolveConflicts"),
            "configurationValues": given.get("ConfigurationValues"),
            "podIdentityAssociations": camel(given.get("PodIdentityAssociations")),
        }

    def create(self, work: Work) -> str:
        work.call("eks", "CreateAddon", {**self._settings(work), "tags": work.tag_map()})
        return f"{work.properties['ClusterName']}|{work.properties['AddonName']}"

    def _describe(self, work: Work) -> dict[str, Any]:
        addon: dict[str, Any] = work.call("eks", "DescribeAddon", self._pair(work))["addon"]
        return addon

    def ready(self, work: Work) -> bool:
        addon = self._describe(work)
        if addon["status"] in ("CREATE_FAILED", "UPDATE_FAILED", "DEGRADED"):
            issues = (addon.get("health") or {}).get("issues") or []
            told = "; ".join(f"{issue.get('code')}: {issue.get('message')}" for issue in issues)
            raise ResourceFailed(f"Addon {addon['addonName']} is in state {addon['status']}. {told}".strip(), "NotStabilized")
        return bool(addon["status"] == "ACTIVE")

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Arn": self._describe(work)["addonArn"]}

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        if {name: value for name, value in before.items() if name != "Tags"} != {
            name: value for name, value in work.properties.items() if name != "Tags"
        }:
            work.call("eks", "UpdateAddon", self._settings(work))
        self.retag(work, self._describe(work)["addonArn"], tags_before)

    def delete(self, work: Work) -> None:
        work.call("eks", "DeleteAddon", {**self._pair(work), "preserve": boolean(work.properties.get("PreserveOnDelete"))})

    def gone(self, work: Work) -> bool:
        try:
            self._describe(work)
        except AWSError as error:
            if _missing(error):
                return True
            raise
        return False


@resource_type
class PodIdentityAssociation(EksType):
    name = "AWS::EKS::PodIdentityAssociation"
    required = frozenset({"ClusterName", "Namespace", "ServiceAccount", "RoleArn"})
    optional = frozenset({"Tags"})
    immutable = frozenset({"ClusterName", "Namespace", "ServiceAccount"})

    def create(self, work: Work) -> str:
        params = {camelled: work.properties[name] for name, camelled in _ASSOCIATION.items()}
        reply = work.call("eks", "CreatePodIdentityAssociation", {**params, "tags": work.tag_map()})
        arn: str = reply["association"]["associationArn"]
        return arn

    def _key(self, work: Work) -> dict[str, str]:
        return {"clusterName": work.properties["ClusterName"], "associationId": work.physical_id.rpartition("/")[2]}

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"AssociationArn": work.physical_id, "AssociationId": self._key(work)["associationId"]}

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        if before["RoleArn"] != work.properties["RoleArn"]:
            work.call("eks", "UpdatePodIdentityAssociation", {**self._key(work), "roleArn": work.properties["RoleArn"]})
        self.retag(work, work.physical_id, tags_before)

    def delete(self, work: Work) -> None:
        work.call("eks", "DeletePodIdentityAssociation", self._key(work))


_ASSOCIATION = {"ClusterName": "clusterName", "Namespace": "namespace", "ServiceAccount": "serviceAccount", "RoleArn": "roleArn"}
