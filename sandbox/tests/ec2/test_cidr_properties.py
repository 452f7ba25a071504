"""Address blocks: what is accepted is always within its VPC, apart from the others, and of a size that EC2 takes."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.aws.ec2 import cidr
from sandbox.aws.errors import AWSError

VPC = IPv4Network("10.1.0.0/16")
blocks = st.builds(
    lambda offset, length: IPv4Network((int(IPv4Address("10.0.0.0")) + offset, length), strict=False),
    st.integers(0, 3 * 2**16 - 1),
    st.integers(14, 30),
)


def _fits(block: IPv4Network, taken: list[IPv4Network]) -> bool:
    """Said with plain integers: the oracle shares nothing with the code but the standard's meaning of a block."""
    first, last = int(block.network_address), int(block.broadcast_address)
    inside = int(VPC.network_address) <= first and last <= int(VPC.broadcast_address)
    apart = all(last < int(other.network_address) or first > int(other.broadcast_address) for other in taken)
    return 16 <= block.prefixlen <= 28 and inside and apart


# The machine may be busy: how long an example takes says nothing.
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(blocks, max_size=12))
def test_a_block_is_accepted_exactly_when_it_fits(wanted: list[IPv4Network]) -> None:
    taken: list[IPv4Network] = []
    for block in wanted:
        expected = _fits(block, taken)
        try:
            cidr.subnet_block(str(block), [str(VPC)], [str(other) for other in taken])
            accepted = True
        except AWSError as error:
            assert error.code in ("InvalidSubnet.Range", "InvalidSubnet.Conflict")
            accepted = False
        assert accepted is expected
        if accepted:
            taken.append(block)


@given(st.integers(16, 28))
def test_five_addresses_of_a_subnet_are_not_usable(length: int) -> None:
    assert cidr.usable(f"10.1.0.0/{length}") == 2 ** (32 - length) - 5
