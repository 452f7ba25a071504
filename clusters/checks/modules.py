"""Importing this registers every check."""

from clusters.checks import (  # noqa: F401
    access,
    addons,
    addresses,
    buckets,
    capacity,
    cidrs,
    existing,
    existing_network,
    identity,
    instance_quotas,
    instance_type,
    kubernetes_version,
    network_quotas,
    permissions,
    sanity,
    training_plan,
    zones,
)
