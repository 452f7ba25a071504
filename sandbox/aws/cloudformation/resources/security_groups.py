"""AWS::EC2::SecurityGroup, SecurityGroupIngress and SecurityGroupEgress."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import Properties, Work, number, resource_type
from sandbox.aws.cloudformation.resources.network import Ec2Type

_EVERYTHING = {"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}


def _permission(rule: Properties) -> dict[str, Any]:
    """An EC2 permission from a rule as templates write it."""
    described = {"Description": rule["Description"]} if rule.get("Description") else {}
    permission: dict[str, Any] = {"IpProtocol": str(rule["IpProtocol"])}
    for member in ("FromPort", "ToPort"):
        if rule.get(member) is not None:
            permission[member] = number(rule[member])
    group = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
    prefix_list = rule.get("SourcePrefixListId") or rule.get("DestinationPrefixListId")
    if rule.get("CidrIp"):
        permission["IpRanges"] = [{"CidrIp": rule["CidrIp"], **described}]
    elif rule.get("CidrIpv6"):
        permission["Ipv6Ranges"] = [{"CidrIpv6": rule["CidrIpv6"], **described}]
    elif prefix_list:
        permission["PrefixListIds"] = [{"PrefixListId": prefix_list, **described}]
    elif group:
        permission["UserIdGroupPairs"] = [{"GroupId": group, **described}]
    return permission


@resource_type
class SecurityGroup(Ec2Type):
    name = "AWS::EC2::SecurityGroup"
    required = frozenset({"GroupDescription"})
    optional = frozenset({"GroupName", "VpcId", "SecurityGroupIngress", "SecurityGroupEgress", "Tags"})
    immutable = frozenset({"GroupDescription", "GroupName", "VpcId"})
    custom_name = "GroupName"

    def create(self, work: Work) -> str:
        params = {
            "GroupName": work.properties.get("GroupName") or work.invented_name(255),
            "Description": work.properties["GroupDescription"],
            "VpcId": work.properties.get("VpcId"),
            "TagSpecifications": work.tag_specifications("security-group"),
        }
        work.physical_id = work.call("ec2", "CreateSecurityGroup", params)["GroupId"]
        self._authorize(work, "Ingress", work.properties.get("SecurityGroupIngress") or [])
        egress = work.properties.get("SecurityGroupEgress")
        if egress:
            self._revoke(work, "Egress", [_EVERYTHING])
            self._authorize(work, "Egress", egress)
        return work.physical_id

    def _authorize(self, work: Work, direction: str, rules: list[Properties]) -> None:
        if rules:
            permissions = [_permission(rule) for rule in rules]
            work.call("ec2", f"AuthorizeSecurityGroup{direction}", {"GroupId": work.physical_id, "IpPermissions": permissions})

    def _revoke(self, work: Work, direction: str, permissions: list[dict[str, Any]]) -> None:
        if permissions:
            work.call("ec2", f"RevokeSecurityGroup{direction}", {"GroupId": work.physical_id, "IpPermissions": permissions})

    def change(self, work: Work, before: Properties) -> None:
        for direction in ("Ingress", "Egress"):
            member = f"SecurityGroup{direction}"
            old, new = before.get(member) or [], work.properties.get(member) or []
            if direction == "Egress":
                # No egress in the template stands for EC2's own: everything.
                old, new = (old or [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}]), (new or [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"}])
            self._revoke(work, direction, [_permission(rule) for rule in old if rule not in new])
            self._authorize(work, direction, [rule for rule in new if rule not in old])

    def attributes(self, work: Work) -> dict[str, Any]:
        group = work.call("ec2", "DescribeSecurityGroups", {"GroupIds": [work.physical_id]})["SecurityGroups"][0]
        return {"GroupId": work.physical_id, "Id": work.physical_id, "VpcId": group["VpcId"]}

    def delete(self, work: Work) -> None:
        work.call("ec2", "DeleteSecurityGroup", {"GroupId": work.physical_id})


class _Rule(Ec2Type):
    direction = ""

    def create(self, work: Work) -> str:
        params = {"GroupId": work.properties["GroupId"], "IpPermissions": [_permission(work.properties)]}
        reply = work.call("ec2", f"AuthorizeSecurityGroup{self.direction}", params)
        identifier: str = reply["SecurityGroupRules"][0]["SecurityGroupRuleId"]
        return identifier

    def change_tags(self, work: Work, tags_before: list[dict[str, str]]) -> None:
        """It has none."""

    def attributes(self, work: Work) -> dict[str, Any]:
        return {"Id": work.physical_id}

    def delete(self, work: Work) -> None:
        params = {"GroupId": work.properties["GroupId"], "SecurityGroupRuleIds": [work.physical_id]}
        work.call("ec2", f"RevokeSecurityGroup{self.direction}", params)


_RULE = {"FromPort", "ToPort", "CidrIp", "CidrIpv6", "Description"}


@resource_type
class SecurityGroupIngress(_Rule):
    name = "AWS::EC2::SecurityGroupIngress"
    direction = "Ingress"
    required = frozenset({"IpProtocol", "GroupId"})
    optional = frozenset({*_RULE, "SourceSecurityGroupId", "SourcePrefixListId"})
    immutable = required | optional


@resource_type
class SecurityGroupEgress(_Rule):
    name = "AWS::EC2::SecurityGroupEgress"
    direction = "Egress"
    required = frozenset({"IpProtocol", "GroupId"})
    optional = frozenset({*_RULE, "DestinationSecurityGroupId", "DestinationPrefixListId"})
    immutable = required | optional
