"""What others do in the account by services that this sandbox does not simulate: a load balancer's interface in a subnet.

Asked for over `/_sandbox/interfaces`, since no simulated API could; for AWS's own callers it is an interface of a service.
"""

from __future__ import annotations

from typing import Any

from sandbox.aws.ec2.network_interface import delete_managed, make_managed
from sandbox.world import World

_REQUESTER = "amazon-elb"


def make_interface(world: World, subnet_id: str, security_groups: list[str], description: str) -> str:
    """Id of the interface, in use by a load balancer that was not made here. AWSError when subnet or groups are unknown."""
    context = world.context("elasticloadbalancing", "CreateLoadBalancer")
    with world.acting(context), world.database.transaction():
        made = make_managed(
            context, subnet_id, security_groups, description=description, requester=_REQUESTER, interface_type="network_load_balancer"
        )
    return str(made["NetworkInterfaceId"])


def remove_interface(world: World, interface_id: str) -> bool:
    """The load balancer is deleted. False when there is no such interface."""
    context = world.context("elasticloadbalancing", "DeleteLoadBalancer")
    with world.acting(context), world.database.transaction():
        found: Any = delete_managed(context, interface_id)
    return bool(found)
