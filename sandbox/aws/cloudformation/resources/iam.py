"""AWS::IAM::Role, Policy, RolePolicy, ManagedPolicy, InstanceProfile and OIDCProvider."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import Properties, ResourceType, Work, changed_tags, document, number, resource_type
from sandbox.aws.errors import AWSError


class IamType(ResourceType):
    service = "Iam"
    is_iam = True
    seconds = "cloudformation.iam"


@resource_type
class Role(IamType):
    name = "AWS::IAM::Role"
    required = frozenset({"AssumeRolePolicyDocument"})
    optional = frozenset(
        {"RoleName", "Path", "Description", "ManagedPolicyArns", "Policies", "MaxSessionDuration", "PermissionsBoundary", "Tags"}
    )
    immutable = frozenset({"RoleName", "Path"})
    custom_name = "RoleName"

    def create(self, work: Work) -> str:
        given = work.properties
        name = given.get("RoleName") or work.invented_name(64)
        work.call(
            "iam",
            "CreateRole",
            {
                "RoleName": name,
                "Path": given.get("Path"),
                "AssumeRolePolicyDocument": document(given["AssumeRolePolicyDocument"]),
                "Description": given.get("Description"),
                "MaxSessionDuration": number(given.get("MaxSessionDuration")),
                "PermissionsBoundary": given.get("PermissionsBoundary"),
                "Tags": work.tags(),
            },
        )
        for policy in given.get("Policies") or []:
            self._put(work, name, policy)
        for arn in given.get("ManagedPolicyArns") or []:
            work.call("iam", "AttachRolePolicy", {"RoleName": name, "PolicyArn": arn})
        return str(name)

    @staticmethod
    def _put(work: Work, role: str, policy: Properties) -> None:
        params = {"RoleName": role, "PolicyName": policy["PolicyName"], "PolicyDocument": document(policy["PolicyDocument"])}
        work.call("iam", "PutRolePolicy", params)

    def attributes(self, work: Work) -> dict[str, Any]:
        role = work.call("iam", "GetRole", {"RoleName": work.physical_id})["Role"]
        return {"Arn": role["Arn"], "RoleId": role["RoleId"]}

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        name, now = work.physical_id, work.properties
        if before["AssumeRolePolicyDocument"] != now["AssumeRolePolicyDocument"]:
            params = {"RoleName": name, "PolicyDocument": document(now["AssumeRolePolicyDocument"])}
            work.call("iam", "UpdateAssumeRolePolicy", params)
        changed = {one: now.get(one) for one in ("Description", "MaxSessionDuration") if before.get(one) != now.get(one)}
        if changed:
            defaults = {"Description": "", "MaxSessionDuration": 3600}
            values = {one: defaults[one] if value is None else value for one, value in changed.items()}
            if "MaxSessionDuration" in values:
                values["MaxSessionDuration"] = number(values["MaxSessionDuration"])
            work.call("iam", "UpdateRole", {"RoleName": name, **values})
        if before.get("PermissionsBoundary") != now.get("PermissionsBoundary"):
            if now.get("PermissionsBoundary"):
                params = {"RoleName": name, "PermissionsBoundary": now["PermissionsBoundary"]}
                work.call("iam", "PutRolePermissionsBoundary", params)
            else:
                work.call("iam", "DeleteRolePermissionsBoundary", {"RoleName": name})
        old = {policy["PolicyName"]: policy for policy in before.get("Policies") or []}
        new = {policy["PolicyName"]: policy for policy in now.get("Policies") or []}
        for policy_name, policy in new.items():
            if old.get(policy_name) != policy:
                self._put(work, name, policy)
        for policy_name in old.keys() - new.keys():
            work.call("iam", "DeleteRolePolicy", {"RoleName": name, "PolicyName": policy_name})
        attached, wanted = before.get("ManagedPolicyArns") or [], now.get("ManagedPolicyArns") or []
        for arn in [one for one in wanted if one not in attached]:
            work.call("iam", "AttachRolePolicy", {"RoleName": name, "PolicyArn": arn})
        for arn in [one for one in attached if one not in wanted]:
            work.call("iam", "DetachRolePolicy", {"RoleName": name, "PolicyArn": arn})
        setting, unwanted = changed_tags(work, tags_before)
        if setting:
            work.call("iam", "TagRole", {"RoleName": name, "Tags": setting})
        if unwanted:
            work.call("iam", "UntagRole", {"RoleName": name, "TagKeys": unwanted})

    def delete(self, work: Work) -> None:
        """What the stack put on the role goes with it; anything else on it keeps it."""
        name = work.physical_id
        for policy in work.properties.get("Policies") or []:
            _tolerant(work, "DeleteRolePolicy", {"RoleName": name, "PolicyName": policy["PolicyName"]})
        for arn in work.properties.get("ManagedPolicyArns") or []:
            _tolerant(work, "DetachRolePolicy", {"RoleName": name, "PolicyArn": arn})
        work.call("iam", "DeleteRole", {"RoleName": name})


def _tolerant(work: Work, operation: str, params: dict[str, Any]) -> None:
    try:
        work.call("iam", operation, params)
    except AWSError as error:
        if error.code != "NoSuchEntity":
            raise


@resource_type
class Policy(IamType):
    """An inline policy on roles and users."""

    name = "AWS::IAM::Policy"
    required = frozenset({"PolicyName", "PolicyDocument"})
    optional = frozenset({"Roles", "Users"})
    immutable = frozenset({"PolicyName"})

    def create(self, work: Work) -> str:
        self._put(work, self._holders(work.properties))
        return work.invented_name(64)

    @staticmethod
    def _holders(properties: Properties) -> list[tuple[str, str]]:
        return [("Role", one) for one in properties.get("Roles") or []] + [("User", one) for one in properties.get("Users") or []]

    def _put(self, work: Work, holders: list[tuple[str, str]]) -> None:
        text = document(work.properties["PolicyDocument"])
        for noun, holder in holders:
            params = {f"{noun}Name": holder, "PolicyName": work.properties["PolicyName"], "PolicyDocument": text}
            work.call("iam", f"Put{noun}Policy", params)

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        now = self._holders(work.properties)
        self._put(work, now)
        for noun, holder in [one for one in self._holders(before) if one not in now]:
            _tolerant(work, f"Delete{noun}Policy", {f"{noun}Name": holder, "PolicyName": before["PolicyName"]})

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Id": work.physical_id}

    def delete(self, work: Work) -> None:
        for noun, holder in self._holders(work.properties):
            _tolerant(work, f"Delete{noun}Policy", {f"{noun}Name": holder, "PolicyName": work.properties["PolicyName"]})


@resource_type
class RolePolicy(IamType):
    name = "AWS::IAM::RolePolicy"
    required = frozenset({"PolicyName", "RoleName"})
    optional = frozenset({"PolicyDocument"})
    immutable = frozenset({"PolicyName", "RoleName"})

    def create(self, work: Work) -> str:
        self._put(work)
        return f"{work.properties['PolicyName']}|{work.properties['RoleName']}"

    def _put(self, work: Work) -> None:
        params = {name: work.properties[name] for name in ("RoleName", "PolicyName")}
        work.call("iam", "PutRolePolicy", {**params, "PolicyDocument": document(work.properties.get("PolicyDocument") or {})})

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        self._put(work)

    def delete(self, work: Work) -> None:
        work.call("iam", "DeleteRolePolicy", {name: work.properties[name] for name in ("RoleName", "PolicyName")})


@resource_type
class ManagedPolicy(IamType):
    name = "AWS::IAM::ManagedPolicy"
    required = frozenset({"PolicyDocument"})
    optional = frozenset({"ManagedPolicyName", "Path", "Description", "Roles", "Users"})
    immutable = frozenset({"ManagedPolicyName", "Path", "Description"})
    custom_name = "ManagedPolicyName"

    def create(self, work: Work) -> str:
        given = work.properties
        params = {
            "PolicyName": given.get("ManagedPolicyName") or work.invented_name(128),
            "Path": given.get("Path"),
            "Description": given.get("Description"),
            "PolicyDocument": document(given["PolicyDocument"]),
        }
        work.physical_id = work.call("iam", "CreatePolicy", params)["Policy"]["Arn"]
        self._attach(work, Policy._holders(given))
        return work.physical_id

    @staticmethod
    def _attach(work: Work, holders: list[tuple[str, str]], *, attach: bool = True) -> None:
        for noun, holder in holders:
            params = {f"{noun}Name": holder, "PolicyArn": work.physical_id}
            if attach:
                work.call("iam", f"Attach{noun}Policy", params)
            else:
                _tolerant(work, f"Detach{noun}Policy", params)

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        now = work.properties
        if before["PolicyDocument"] != now["PolicyDocument"]:
            versions = work.call("iam", "ListPolicyVersions", {"PolicyArn": work.physical_id})["Versions"]
            others = [one["VersionId"] for one in versions if not one["IsDefaultVersion"]]
            if len(versions) >= 5:
                work.call("iam", "DeletePolicyVersion", {"PolicyArn": work.physical_id, "VersionId": others[-1]})
            params = {"PolicyArn": work.physical_id, "PolicyDocument": document(now["PolicyDocument"]), "SetAsDefault": True}
            work.call("iam", "CreatePolicyVersion", params)
        old_holders, new_holders = Policy._holders(before), Policy._holders(now)
        self._attach(work, [one for one in new_holders if one not in old_holders])
        self._attach(work, [one for one in old_holders if one not in new_holders], attach=False)

    def attributes(self, work: Work) -> dict[str, Any]:
        policy = work.call("iam", "GetPolicy", {"PolicyArn": work.physical_id})["Policy"]
        return {"PolicyArn": policy["Arn"], "PolicyId": policy["PolicyId"], "DefaultVersionId": policy["DefaultVersionId"]}

    def delete(self, work: Work) -> None:
        self._attach(work, Policy._holders(work.properties), attach=False)
        for version in work.call("iam", "ListPolicyVersions", {"PolicyArn": work.physical_id})["Versions"]:
            if not version["IsDefaultVersion"]:
                params = {"PolicyArn": work.physical_id, "VersionId": version["VersionId"]}
                work.call("iam", "DeletePolicyVersion", params)
        work.call("iam", "DeletePolicy", {"PolicyArn": work.physical_id})


@resource_type
class InstanceProfile(IamType):
    name = "AWS::IAM::InstanceProfile"
    required = frozenset({"Roles"})
    optional = frozenset({"InstanceProfileName", "Path"})
    immutable = frozenset({"InstanceProfileName", "Path"})
    custom_name = "InstanceProfileName"

    def create(self, work: Work) -> str:
        name = str(work.properties.get("InstanceProfileName") or work.invented_name(128))
        work.call("iam", "CreateInstanceProfile", {"InstanceProfileName": name, "Path": work.properties.get("Path")})
        for role in work.properties["Roles"]:
            work.call("iam", "AddRoleToInstanceProfile", {"InstanceProfileName": name, "RoleName": role})
        return name

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        for role in before["Roles"]:
            _tolerant(work, "RemoveRoleFromInstanceProfile", {"InstanceProfileName": work.physical_id, "RoleName": role})
        for role in work.properties["Roles"]:
            work.call("iam", "AddRoleToInstanceProfile", {"InstanceProfileName": work.physical_id, "RoleName": role})

    def attributes(self, work: Work) -> dict[str, Any]:
        profile = work.call("iam", "GetInstanceProfile", {"InstanceProfileName": work.physical_id})["InstanceProfile"]
        return {"Arn": profile["Arn"]}

    def delete(self, work: Work) -> None:
        for role in work.properties["Roles"]:
            _tolerant(work, "RemoveRoleFromInstanceProfile", {"InstanceProfileName": work.physical_id, "RoleName": role})
        work.call("iam", "DeleteInstanceProfile", {"InstanceProfileName": work.physical_id})


@resource_type
class OidcProvider(IamType):
    name = "AWS::IAM::OIDCProvider"
    required = frozenset({"Url"})
    optional = frozenset({"ClientIdList", "ThumbprintList", "Tags"})
    immutable = frozenset({"Url"})

    def create(self, work: Work) -> str:
        params = {
            "Url": work.properties["Url"],
            "ClientIDList": work.properties.get("ClientIdList"),
            "ThumbprintList": work.properties.get("ThumbprintList"),
            "Tags": work.tags(),
        }
        arn: str = work.call("iam", "CreateOpenIDConnectProvider", params)["OpenIDConnectProviderArn"]
        return arn

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        arn = {"OpenIDConnectProviderArn": work.physical_id}
        old, new = before.get("ClientIdList") or [], work.properties.get("ClientIdList") or []
        for client in [one for one in new if one not in old]:
            work.call("iam", "AddClientIDToOpenIDConnectProvider", {**arn, "ClientID": client})
        for client in [one for one in old if one not in new]:
            work.call("iam", "RemoveClientIDFromOpenIDConnectProvider", {**arn, "ClientID": client})
        if before.get("ThumbprintList") != work.properties.get("ThumbprintList") and work.properties.get("ThumbprintList"):
            params = {**arn, "ThumbprintList": work.properties["ThumbprintList"]}
            work.call("iam", "UpdateOpenIDConnectProviderThumbprint", params)
        setting, unwanted = changed_tags(work, tags_before)
        if setting:
            work.call("iam", "TagOpenIDConnectProvider", {**arn, "Tags": setting})
        if unwanted:
            work.call("iam", "UntagOpenIDConnectProvider", {**arn, "TagKeys": unwanted})

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Arn": work.physical_id}

    def delete(self, work: Work) -> None:
        work.call("iam", "DeleteOpenIDConnectProvider", {"OpenIDConnectProviderArn": work.physical_id})
