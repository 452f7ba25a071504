"""Managed tiered checkpointing: checkpoints in the nodes' memory, and from there in S3.

Two halves: HyperPod's TieredStorageConfig, and the identity under which training pods reach S3: a service account, its annotation,
a role that trusts just that account for STS, a policy on named places in named buckets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from clusters import names, rules
from clusters.features.entry import Chosen, Feature, FeatureSeen, FeatureSettings
from clusters.features.part import Part
from clusters.features.role import PolicyPart, RolePart, oidc_issuer, trusts_service_account
from clusters.features.service_account import ServiceAccountPart
from clusters.features.tiered_checkpointing import access
from clusters.features.tiered_checkpointing.storage import PERCENT, TieredStoragePart, config
from clusters.features.users import objects
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from operations.choices import Severity
from operations.plan import Check, Irreversible

PURPOSE = "tiered"
LABEL = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
Place = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[A-Za-z0-9!_.'()/-]+)?$")]
KubernetesName = Annotated[str, StringConstraints(pattern=f"^{LABEL}$")]


class TieredSettings(FeatureSettings):
    memory_percent: Annotated[int, Field(ge=20, le=100)] | None = Field(
        default=None, description="Share of the instances' memory, 20 to 100 %; left out: as AWS decides."
    )
    buckets: Annotated[list[Place], Field(min_length=1, max_length=20)] | None = Field(
        default=None, description="Where checkpoints go in S3: bucket, or bucket/prefix."
    )
    namespace: KubernetesName | None = Field(default=None, description="Namespace of the training pods' service account.")
    service_account: KubernetesName | None = Field(default=None, description="Service account of the training pods.")


class TieredCheckpointing(Feature):
    name = "tiered_checkpointing"
    title = "Tiered checkpointing"
    summary = "Checkpoints in the nodes' memory, copied to S3; with the identity that training pods need for it."
    source = "HyperPod"
    Settings = TieredSettings
    needs_hyperpod = True

    def defaults(self, spec: ResolvedSpec) -> dict[str, Any]:
        """In the cluster's own bucket below the shared files; never the lifecycle scripts, which are root on every node."""
        prefix = f"/{names.SHARED_PREFIX}checkpoints" if spec.storage.made else "/checkpoints"
        return {
            "memory_percent": None,
            "buckets": [f"{spec.storage.bucket}{prefix}"],
            "namespace": names.STORAGE_NAMESPACE,
            "service_account": "tiered-checkpointing",
        }

    def current(self, reader: ClusterReader, spec: ResolvedSpec) -> dict[str, Any]:
        found = self.defaults(spec)
        role = reader.role(names.role(spec.name, PURPOSE))
        if role is not None:
            found["buckets"] = access.places(role.policies.get("access")) or found["buckets"]
            subject = access.subject(role.trust, oidc_issuer(reader))
            if subject is not None:
                found["namespace"], found["service_account"] = subject
        found["memory_percent"] = config(reader).get(PERCENT)
        return found

    def parts(self, spec: ResolvedSpec, settings: Chosen) -> list[Part]:
        namespace, account = settings["namespace"], settings["service_account"]
        trust = trusts_service_account(namespace, account)
        role = RolePart(spec, PURPOSE, trust, f"Tiered checkpointing of {spec.name}")
        return [
            role,
            PolicyPart(role, access.statements(spec, settings["buckets"])),
            ServiceAccountPart(spec, namespace, account, role.name),
            TieredStoragePart(spec.hyperpod, settings["memory_percent"]),
        ]

    def checks(self, reader: ClusterReader, spec: ResolvedSpec, settings: Chosen, seen: FeatureSeen) -> Iterator[Check]:
        account = next(part for part in self.parts(spec, settings) if isinstance(part, ServiceAccountPart))
        taken = account.taken_by(reader)
        if taken:
            yield self._error(
                "service_account_taken",
                f"The service account {account.name} takes another role already: {taken}.",
                "Choose another service account, or take its annotation off.",
                "service_account",
            )
        if seen.on:
            for name in ("namespace", "service_account"):
                if settings[name] != seen.settings[name]:
                    yield self._error(
                        "immutable_while_on",
                        f"{name} is {seen.settings[name]} and can't change while pods may use it.",
                        "Turn tiered checkpointing off, then on with the other one.",
                        name,
                    )
        if place := next((one for one in settings["buckets"] if _holds_scripts(spec, one)), None):
            yield self._error(
                "lifecycle_scripts_exposed",
                f"{place} would let training pods write the lifecycle scripts, which run as root on every node.",
                f"Name a prefix, as {self.defaults(spec)['buckets'][0]}.",
                "buckets",
            )

    def rule_facts(self, facts: rules.Facts, settings: Chosen, reader: ClusterReader) -> rules.Facts:
        return replace(facts, tiered_checkpointing=True, tiered_percent=settings["memory_percent"])

    def _error(self, code: str, detail: str, fix: str, field: str) -> Check:
        return Check(
            code=code,
            severity=Severity.ERROR,
            title=self.title,
            detail=detail,
            fix=fix,
            field=f"features.{self.name}.settings.{field}",
        )

    def users(self, reader: ClusterReader, spec: ResolvedSpec, seen: FeatureSeen) -> list[str]:
        """Pods under its service account, and endpoints that keep their KV cache in tiered storage."""
        namespace, account = seen.settings["namespace"], seen.settings["service_account"]
        pods = objects(reader, "v1", "Pod", lambda item: _lives(item) and item["spec"].get("serviceAccountName") == account, namespace)
        return [*pods, *objects(reader, "inference.sagemaker.aws.amazon.com/v1", "InferenceEndpointConfig", _caches_in_tiers)]

    def irreversible(self, seen: FeatureSeen) -> tuple[Irreversible, ...]:
        return (Irreversible(what="Checkpoints in the nodes' memory", why="HyperPod frees that memory; only what was copied to S3 stays."),)


def _holds_scripts(spec: ResolvedSpec, place: str) -> bool:
    bucket, _, prefix = place.partition("/")
    return bucket == spec.bucket and (not prefix or f"{prefix}/".startswith(names.LIFECYCLE_PREFIX))


def _lives(item: Mapping[str, Any]) -> bool:
    return (item.get("status") or {}).get("phase") not in ("Succeeded", "Failed")


def _caches_in_tiers(item: Mapping[str, Any]) -> bool:
    cache = (item.get("spec") or {}).get("kvCacheSpec") or {}
    backend = str((cache.get("l2CacheSpec") or {}).get("l2CacheBackend", ""))
    return bool(cache.get("enableL2Cache")) and backend.lower() == "tieredstorage"  # its definition takes any case


FEATURE = TieredCheckpointing()
