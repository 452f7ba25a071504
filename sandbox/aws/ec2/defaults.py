"""What every region has before the first request: its default VPC 172.31.0.0/16 with a /20 subnet in each zone.

Made when the region is first looked at. Not in the ledger: nobody asked for it, and it stays.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from sandbox.aws.ec2 import dhcp_options, internet_gateway, route_table, subnet, vpc
from sandbox.aws.ec2.table import seed
from sandbox.aws.ec2.zones import zones

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KIND = "_ec2.seeded"


@seed
def ensure_default_vpc(context: Context) -> None:
    store = context.world.store
    if store.get(_KIND, context.scope, "default-vpc") is not None:
        return
    # Marked first: making the parts looks at the tables, which ask for the seeds.
    store.put(_KIND, context.scope, "default-vpc", {"at": context.timestamp})
    dhcp_options.make_default(context)
    block = IPv4Network("172.31.0.0/16")
    made = vpc.make(context, block, [], seeded=True)
    for one, part in zip(zones(context.region), block.subnets(new_prefix=20), strict=False):
        subnet.make(context, made, one, part, [], default=True)
    gateway = internet_gateway.make(context, [], seeded=True)
    internet_gateway.attach(context, gateway, made["VpcId"])
    main = route_table.main_of(context, made["VpcId"])
    route_table.add_route(context, main, {"DestinationCidrBlock": "0.0.0.0/0", "GatewayId": gateway["InternetGatewayId"]})
