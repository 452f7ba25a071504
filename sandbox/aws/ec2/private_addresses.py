"""Which private addresses of a subnet are taken: handed out in order, those given back first."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KIND = "_ec2.private-addresses"
_FIRST = 4  # offsets 0 to 3 are the network, the router, DNS, and AWS's reserve


def exhausted(subnet_id: str) -> AWSError:
    return AWSError(
        "InsufficientFreeAddressesInSubnet",
        f"The specified subnet '{subnet_id}' does not have enough free addresses to satisfy the request.",
    )


def taken(context: Context, subnet_id: str) -> int:
    pool = context.world.store.get(_KIND, context.scope, subnet_id)
    return int(pool["count"]) if pool else 0


def take(context: Context, subnet_id: str, block: str, count: int = 1, wanted: str | None = None) -> list[str]:
    """`count` free addresses, the first of them `wanted` if given. Errors: subnet exhausted, `wanted` taken or outside."""
    store = context.world.store
    pool = store.get(_KIND, context.scope, subnet_id) or {"count": 0, "next": _FIRST, "released": [], "ahead": []}
    network = IPv4Network(block)
    last = network.num_addresses - 2
    offsets: list[int] = []
    if wanted is not None:
        offsets.append(_take_wanted(pool, network, wanted))
    while len(offsets) < count:
        if pool["released"]:
            offsets.append(pool["released"].pop(0))
            continue
        while pool["next"] in pool["ahead"]:
            pool["ahead"].remove(pool["next"])
            pool["next"] += 1
        if pool["next"] > last:
            raise exhausted(subnet_id)
        offsets.append(pool["next"])
        pool["next"] += 1
    pool["count"] += count
    store.put(_KIND, context.scope, subnet_id, pool)
    return [str(network.network_address + offset) for offset in offsets]


def _take_wanted(pool: dict[str, list[int]] | dict[str, int] | dict[str, object], network: IPv4Network, wanted: str) -> int:
    address = IPv4Address(wanted)
    offset = int(address) - int(network.network_address)
    if not _FIRST <= offset <= network.num_addresses - 2:
        raise AWSError("InvalidParameterValue", f"Address {wanted} does not fall within the subnet's address range")
    released, ahead, after = pool["released"], pool["ahead"], pool["next"]
    assert isinstance(released, list) and isinstance(ahead, list) and isinstance(after, int)  # noqa: S101 (types only)
    if offset in released:
        released.remove(offset)
    elif offset >= after and offset not in ahead:
        ahead.append(offset)
    else:
        raise AWSError("InvalidIPAddress.InUse", f"Address {wanted} is in use.")
    return offset


def give_back(context: Context, subnet_id: str, block: str, addresses: list[str]) -> None:
    store = context.world.store
    pool = store.get(_KIND, context.scope, subnet_id)
    if pool is None:
        return
    start = int(IPv4Network(block).network_address)
    for address in addresses:
        offset = int(IPv4Address(address)) - start
        if offset in pool["ahead"]:
            pool["ahead"].remove(offset)
        else:
            pool["released"].append(offset)
        pool["count"] -= 1
    store.put(_KIND, context.scope, subnet_id, pool)


def forget(context: Context, subnet_id: str) -> None:
    context.world.store.delete(_KIND, context.scope, subnet_id)
