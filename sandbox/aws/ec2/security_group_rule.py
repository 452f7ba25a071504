"""The rules of security groups: one rule a peer and port range, shown both as rules and, grouped, as permissions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import cidr, filters, limits, tags
from sandbox.aws.ec2.table import Record, check_dry_run, wire
from sandbox.aws.ec2.tables import SECURITY_GROUPS
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NUMBERS = {"1": "icmp", "6": "tcp", "17": "udp", "58": "icmpv6", "all": "-1"}
_WITH_PORTS = ("tcp", "udp")


def expand(context: Context, group: Record, permissions_given: list[Record], *, egress: bool) -> list[Record]:
    """One rule record for each peer of each permission. Errors: protocol, ports or peers that EC2 refuses."""
    rules: list[Record] = []
    for permission in permissions_given:
        base = {**_ports(permission), "IsEgress": egress, "GroupId": group["GroupId"], "GroupOwnerId": context.account}
        for member, peer in _peers(context, group, permission):
            rule: Record = {
                "SecurityGroupRuleId": context.new_id("sgr"),
                **base,
                member: peer["value"],
                "Tags": [],
            }
            if peer.get("description"):
                rule["Description"] = peer["description"]
            rules.append(rule)
    return rules


def _ports(permission: Record) -> Record:
    protocol = str(permission.get("IpProtocol") or "")
    protocol = _NUMBERS.get(protocol.lower(), protocol.lower())
    if not protocol:
        raise AWSError("MissingParameter", "The request must contain the parameter ipProtocol")
    first, last = permission.get("FromPort"), permission.get("ToPort")
    if protocol == "-1":
        return {"IpProtocol": "-1", "FromPort": -1, "ToPort": -1}
    if protocol in _WITH_PORTS:
        if first is None or last is None:
            raise AWSError(
                "InvalidParameterValue",
                f"Invalid value 'Must specify both from and to ports with TCP/UDP.' for portRange; protocol {protocol}",
            )
        if not 0 <= first <= 65535 or not 0 <= last <= 65535 or first > last:
            raise AWSError("InvalidParameterValue", f"Invalid TCP/UDP port range ({first}-{last})")
        return {"IpProtocol": protocol, "FromPort": first, "ToPort": last}
    if protocol in ("icmp", "icmpv6"):
        return {"IpProtocol": protocol, "FromPort": -1 if first is None else first, "ToPort": -1 if last is None else last}
    if protocol.isdigit() and int(protocol) <= 255:
        return {"IpProtocol": protocol, "FromPort": -1, "ToPort": -1}
    raise AWSError("InvalidPermission.Malformed", f'Unsupported IP protocol "{protocol}" - supported: [-1, tcp, udp, icmp, icmpv6, 0-255]')


def _peers(context: Context, group: Record, permission: Record) -> list[tuple[str, Record]]:
    peers: list[tuple[str, Record]] = []
    for item in permission.get("IpRanges") or []:
        block = str(cidr.parse(item["CidrIp"], "cidrIp"))
        peers.append(("CidrIpv4", {"value": block, "description": item.get("Description")}))
    for item in permission.get("Ipv6Ranges") or []:
        peers.append(("CidrIpv6", {"value": item["CidrIpv6"], "description": item.get("Description")}))
    for item in permission.get("PrefixListIds") or []:
        peers.append(("PrefixListId", {"value": item["PrefixListId"], "description": item.get("Description")}))
    for item in permission.get("UserIdGroupPairs") or []:
        other = group if item.get("GroupId") == group["GroupId"] else SECURITY_GROUPS.get(context, item.get("GroupId") or "")
        if other["VpcId"] != group["VpcId"]:
            raise AWSError(
                "InvalidGroup.NotFound",
                f"You have specified two resources that belong to different networks: {group['GroupId']}, {other['GroupId']}",
            )
        reference = {"GroupId": other["GroupId"], "UserId": context.account}
        peers.append(("ReferencedGroupInfo", {"value": reference, "description": item.get("Description")}))
    if not peers:
        raise AWSError(
            "MissingParameter", "The request must contain a source or destination: an address range, prefix list or security group"
        )
    return peers


def permissions(rules: list[Record], *, egress: bool) -> list[Record]:
    """Rules of one direction, grouped by protocol and ports, as DescribeSecurityGroups shows them."""
    grouped: dict[tuple[str, int, int], Record] = {}
    for rule in rules:
        if rule["IsEgress"] is not egress:
            continue
        key = (rule["IpProtocol"], rule["FromPort"], rule["ToPort"])
        if key not in grouped:
            grouped[key] = {"IpProtocol": rule["IpProtocol"], "IpRanges": [], "Ipv6Ranges": [], "PrefixListIds": [], "UserIdGroupPairs": []}
            if rule["IpProtocol"] != "-1":
                grouped[key] |= {"FromPort": rule["FromPort"], "ToPort": rule["ToPort"]}
        described = {"Description": rule["Description"]} if rule.get("Description") else {}
        if "CidrIpv4" in rule:
            grouped[key]["IpRanges"].append({"CidrIp": rule["CidrIpv4"], **described})
        elif "CidrIpv6" in rule:
            grouped[key]["Ipv6Ranges"].append({"CidrIpv6": rule["CidrIpv6"], **described})
        elif "PrefixListId" in rule:
            grouped[key]["PrefixListIds"].append({"PrefixListId": rule["PrefixListId"], **described})
        else:
            grouped[key]["UserIdGroupPairs"].append({**rule["ReferencedGroupInfo"], **described})
    return list(grouped.values())


def _identity(rule: Record) -> tuple[Any, ...]:
    reference = rule.get("ReferencedGroupInfo") or {}
    return (
        rule["IsEgress"],
        rule["IpProtocol"],
        rule["FromPort"],
        rule["ToPort"],
        rule.get("CidrIpv4"),
        rule.get("CidrIpv6"),
        rule.get("PrefixListId"),
        reference.get("GroupId"),
    )


def _sentence(rule: Record) -> str:
    peer = rule.get("CidrIpv4") or rule.get("CidrIpv6") or rule.get("PrefixListId") or rule["ReferencedGroupInfo"]["GroupId"]
    if rule["IpProtocol"] == "-1":
        return f"peer: {peer}, ALL, ALLOW"
    return f"peer: {peer}, {rule['IpProtocol'].upper()}, from port: {rule['FromPort']}, to port: {rule['ToPort']}, ALLOW"


def _given(params: dict[str, Any]) -> list[Record]:
    """The permissions of a request, the old flat parameters included."""
    if params.get("IpPermissions"):
        return list(params["IpPermissions"])
    flat: Record = {name: params.get(name) for name in ("IpProtocol", "FromPort", "ToPort")}
    if params.get("CidrIp"):
        flat["IpRanges"] = [{"CidrIp": params["CidrIp"]}]
    if params.get("SourceSecurityGroupName"):
        raise AWSError("InvalidParameterCombination", "Groups are named by id in a VPC: use IpPermissions with UserIdGroupPairs")
    return [flat]


def _group(context: Context, params: dict[str, Any]) -> Record:
    if not params.get("GroupId"):
        raise AWSError("MissingParameter", "The request must contain the parameter GroupId")
    return SECURITY_GROUPS.get(context, params["GroupId"])


def _authorize(context: Context, params: dict[str, Any], *, egress: bool) -> dict[str, Any]:
    from sandbox.aws.ec2 import security_group

    check_dry_run(params)
    group = _group(context, params)
    rules = expand(context, group, _given(params), egress=egress)
    rule_tags = tags.from_specifications(context, params, "security-group-rule")
    known = {_identity(rule) for rule in group["rules"]}
    for rule in rules:
        if _identity(rule) in known:
            raise AWSError("InvalidPermission.Duplicate", f'the specified rule "{_sentence(rule)}" already exists')
        known.add(_identity(rule))
        rule["Tags"] = rule_tags
    in_use = sum(rule["IsEgress"] is egress for rule in group["rules"])
    limits.check(context, limits.RULES, in_use, len(rules))
    group["rules"] += rules
    security_group.save(context, group)
    return {"Return": True, "SecurityGroupRules": [shown(rule) for rule in rules]}


def _revoke(context: Context, params: dict[str, Any], *, egress: bool) -> dict[str, Any]:
    from sandbox.aws.ec2 import security_group

    check_dry_run(params)
    group = _group(context, params)
    if params.get("SecurityGroupRuleIds"):
        wanted = set(params["SecurityGroupRuleIds"])
        known = {rule["SecurityGroupRuleId"] for rule in group["rules"] if rule["IsEgress"] is egress}
        for identifier in sorted(wanted - known):
            raise AWSError("InvalidSecurityGroupRuleId.NotFound", f"The security group rule ID '{identifier}' does not exist")
        group["rules"] = [rule for rule in group["rules"] if rule["SecurityGroupRuleId"] not in wanted]
    else:
        identities = {_identity(rule) for rule in expand(context, group, _given(params), egress=egress)}
        if identities - {_identity(rule) for rule in group["rules"]}:
            raise AWSError("InvalidPermission.NotFound", "The specified rule does not exist in this security group.")
        group["rules"] = [rule for rule in group["rules"] if _identity(rule) not in identities]
    security_group.save(context, group)
    return {"Return": True, "UnknownIpPermissions": []}


def shown(rule: Record) -> Record:
    return wire(rule)


@operation("ec2", "AuthorizeSecurityGroupIngress")
def authorize_security_group_ingress(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _authorize(context, params, egress=False)


@operation("ec2", "AuthorizeSecurityGroupEgress")
def authorize_security_group_egress(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _authorize(context, params, egress=True)


@operation("ec2", "RevokeSecurityGroupIngress")
def revoke_security_group_ingress(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _revoke(context, params, egress=False)


@operation("ec2", "RevokeSecurityGroupEgress")
def revoke_security_group_egress(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _revoke(context, params, egress=True)


@operation("ec2", "DescribeSecurityGroupRules")
def describe_security_group_rules(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    rules = [shown(rule) for group in SECURITY_GROUPS.all(context) for rule in group["rules"]]
    wanted = params.get("SecurityGroupRuleIds")
    if wanted:
        known = {rule["SecurityGroupRuleId"]: rule for rule in rules}
        for identifier in wanted:
            if identifier not in known:
                raise AWSError("InvalidSecurityGroupRuleId.NotFound", f"The security group rule ID '{identifier}' does not exist")
        rules = [known[identifier] for identifier in wanted]
    readers = filters.members(group_id="GroupId", security_group_rule_id="SecurityGroupRuleId")
    return {"SecurityGroupRules": filters.apply(rules, params.get("Filters"), readers)}
