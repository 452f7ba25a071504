"""Rules about inference endpoints, and what they can't do without."""

from __future__ import annotations

from clusters.rules.rule import Noun, Rule, each_endpoint
from operations.choices import Severity

ROWS: tuple[Rule, ...] = (
    Rule(
        "tiered_cache_needs_tiered_storage",
        Noun.ENDPOINT,
        Severity.ERROR,
        each_endpoint(lambda facts, endpoint: endpoint.cache_in_tiers and facts.tiered_storage is False),
        "{endpoint.name} keeps its second cache of keys and values in tiered storage, which the cluster does not have.",
        "Turn tiered checkpointing on, which brings it, or use Redis.",
        "kv_cache",
        "Observed: l2CacheBackend tieredstorage is served by the memory daemon that TieredStorageConfig installs",
    ),
)
