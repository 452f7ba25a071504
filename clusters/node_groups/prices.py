"""What EC2 machines cost an hour on demand: US dollars in us-east-1, Linux, AWS's price list. A type that is not here is unknown.

Prices of these families go by the vCPU; us-west-2 and us-east-2 have the same.
"""

from __future__ import annotations

from collections.abc import Sequence

_PER_VCPU = {"m5": 0.048, "m6i": 0.048, "m7i": 0.0504, "m7g": 0.0408, "c5": 0.0425, "c6i": 0.0425, "r5": 0.063, "r6i": 0.063}
_EACH = {
    "t3.medium": 0.0416,
    "t3.large": 0.0832,
    "t3.xlarge": 0.1664,
    "t3.2xlarge": 0.3328,
    "g5.xlarge": 1.006,
    "g5.2xlarge": 1.212,
    "g5.4xlarge": 1.624,
    "g5.8xlarge": 2.448,
}
REGIONS = ("us-east-1", "us-east-2", "us-west-2")
_SIZES = {"large": 2, "xlarge": 4}


def price(instance_type: str, region: str) -> float | None:
    """Of one machine; None where it is not known."""
    family, _, size = instance_type.partition(".")
    if region not in REGIONS:
        return None
    if instance_type in _EACH:
        return _EACH[instance_type]
    multiple = size.removesuffix("xlarge")
    vcpus = _SIZES.get(size, 4 * int(multiple) if size.endswith("xlarge") and multiple.isdecimal() else 0)
    rate = _PER_VCPU.get(family)
    return round(rate * vcpus, 4) if rate is not None and vcpus else None


def per_hour(instance_types: Sequence[str], count: int, capacity: str, region: str) -> float | None:
    """Of a group: 0 of no node and of a Capacity Block, which is paid in advance; None for Spot, and where it can't be told."""
    if count == 0 or capacity == "capacity-block":
        return 0.0
    if capacity == "spot" or len(instance_types) != 1:
        return None
    one = price(instance_types[0], region)
    return None if one is None else round(one * count, 4)
