"""The security group that nodes and the control plane's interfaces share."""

from __future__ import annotations

from clusters.resolved import ResolvedSpec
from clusters.template.document import Resource, Value, att, named

GROUP = "ClusterSecurityGroup"
LUSTRE_PORTS: tuple[tuple[int, int], ...] = ((988, 988), (1018, 1023))


def resources(spec: ResolvedSpec, vpc: Value) -> list[Resource]:
    """All traffic within the group, Lustre's ports, and both directions towards itself by name.

    EFA passes only where a rule names the group itself, in both directions: an egress rule to 0.0.0.0/0 does not do.
    """
    name = f"instantstart-{spec.name}-nodes"
    group = Resource(
        GROUP,
        "AWS::EC2::SecurityGroup",
        name,
        {
            "GroupDescription": f"Nodes and control plane of {spec.name}",
            "GroupName": name,
            "VpcId": vpc,
            "SecurityGroupEgress": [{"IpProtocol": "-1", "CidrIp": "0.0.0.0/0", "Description": "Images, packages and AWS APIs"}],
            "Tags": named(name),
        },
    )
    itself = att(GROUP, "GroupId")
    rules = [
        Resource(
            "IngressFromItself",
            "AWS::EC2::SecurityGroupIngress",
            f"{name}: all from itself",
            {"GroupId": itself, "IpProtocol": "-1", "SourceSecurityGroupId": itself, "Description": "All traffic within, EFA included"},
        ),
        Resource(
            "EgressToItself",
            "AWS::EC2::SecurityGroupEgress",
            f"{name}: all to itself",
            {"GroupId": itself, "IpProtocol": "-1", "DestinationSecurityGroupId": itself, "Description": "EFA wants the group by name"},
        ),
    ]
    for first, last in LUSTRE_PORTS:
        rules.append(
            Resource(
                f"IngressLustre{first}",
                "AWS::EC2::SecurityGroupIngress",
                f"{name}: Lustre {first}" + (f"-{last}" if last != first else ""),
                {
                    "GroupId": itself,
                    "IpProtocol": "tcp",
                    "FromPort": first,
                    "ToPort": last,
                    "SourceSecurityGroupId": itself,
                    "Description": "FSx for Lustre",
                },
            )
        )
    return [group, *rules]
