"""Facts as AWS would tell them, changed where a test wants them otherwise."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any, cast

from clusters.catalog import addons, quotas
from clusters.catalog.reading import Quota
from clusters.catalog.versions import KubernetesVersion
from clusters.checks.facts import Facts, Usage
from clusters.checks.registry import Existing, Subject, all_checks, carry_out
from clusters.checks.resolve import resolve
from clusters.permissions import Permission
from clusters.resolved import Zone
from clusters.spec import ClusterInput
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity
from operations.choices import Severity
from operations.plan import Check

ZONES = [Zone(name=f"us-west-2{letter}", id=f"usw2-az{number}") for letter, number in zip("abc", (2, 1, 3), strict=True)]
IDENTITY = Identity("123456789012", "arn:aws:iam::123456789012:user/ann", "AIDA", "arn:aws:iam::123456789012:user/ann")
NO_PERMISSIONS: list[Permission] = []


def version(number: str, support: str = "standard", hyperpod: str = "documented", default: bool = False) -> KubernetesVersion:
    return KubernetesVersion(number, support, default, date(2027, 8, 9), date(2028, 8, 9), cast(Any, hyperpod))


def vpc(vpc_id: str, cidr: str, *more: str, **tags: str) -> dict[str, Any]:
    associated = [{"CidrBlock": item} for item in (cidr, *more)]
    named = [{"Key": key.replace("__", ":", 1), "Value": value} for key, value in tags.items()]
    return {"VpcId": vpc_id, "CidrBlock": cidr, "CidrBlockAssociationSet": associated, "Tags": named}


def quota(service: str, name: str, value: float) -> tuple[str, Quota]:
    return name, Quota(service, name, "L-1", value, True)


def sagemaker_quotas(**changes: float) -> dict[str, Quota]:
    values = {
        quotas.cluster_usage("ml.g5.8xlarge"): 8.0,
        quotas.cluster_usage("ml.p5.48xlarge"): 2.0,
        quotas.cluster_spot_usage("ml.g5.8xlarge"): 2.0,
        quotas.INSTANCES_PER_CLUSTER: 20.0,
        quotas.INSTANCES_ALL_CLUSTERS: 30.0,
        quotas.SPOT_ALL_CLUSTERS: 4.0,
        quotas.VOLUME_SIZE: 1024.0,
    }
    return dict(quota("sagemaker", name, value) for name, value in {**values, **changes}.items())


class StandIn:
    """Answers `wait` from a dictionary; an exception in it is raised, as a read that failed."""

    def __init__(self, spec: ClusterInput, **changes: Any) -> None:
        self.spec = spec
        self.aws = SimpleNamespace(region="us-west-2", endpoint=changes.pop("endpoint", ""))
        self.values: dict[str, Any] = {
            "identity": IDENTITY,
            "permissions": NO_PERMISSIONS,
            "zones": ZONES,
            "offerings": frozenset({"us-west-2a", "us-west-2b"}),
            "versions": [
                version("1.37", hyperpod="newer"),
                version("1.36", default=True),
                version("1.35"),
                version("1.29", "extended", "older"),
            ],
            "vpcs": [vpc("vpc-default", "172.31.0.0/16")],
            "eks": None,
            "hyperpod": None,
            "stack": None,
            "template": None,
            "roles": [],
            "log_group": None,
            "usage": Usage({}, {}, 0),
            "training_plans": [],
            "bucket": {"name": "sagemaker-demo-123456789012-us-west-2", "status": 404, "region": ""},
            "shared_bucket": {"name": "our-data", "status": 200, "region": "us-west-2"},
            "public_address": None,
            "quotas:sagemaker": sagemaker_quotas(),
            "quotas:vpc": dict(quota("vpc", name, 5) for name in (quotas.VPCS, quotas.INTERNET_GATEWAYS, quotas.NAT_GATEWAYS)),
            "quotas:ec2": dict([quota("ec2", quotas.ADDRESSES, 5)]),
            "quotas:eks": dict([quota("eks", quotas.EKS_CLUSTERS, 100)]),
            "eks_clusters": [],
            "addresses": [],
            "internet_gateways": [],
            "nat_gateways": [],
            **{f"addon:{name}": [f"{name}-v2", f"{name}-v1"] for name in addons.wanted(fsx=True)},
            **{name.replace("__", ":", 1): value for name, value in changes.items()},
        }

    def begin_addons(self, _version: str) -> None:
        pass

    def wait(self, name: str) -> Any:
        value = self.values[name]
        if isinstance(value, CloudError):
            raise value
        return value

    unreadable = Facts.unreadable
    identity, zones, offerings, versions, vpcs = Facts.identity, Facts.zones, Facts.offerings, Facts.versions, Facts.vpcs
    offered = Facts.offered
    eks, hyperpod, stack, stack_is_ours = Facts.eks, Facts.hyperpod, Facts.stack, Facts.stack_is_ours
    previous, usage, training_plans, quotas = Facts.previous, Facts.usage, Facts.training_plans, Facts.quotas


def subject(spec: ClusterInput | None = None, **changes: Any) -> Subject:
    """What the checks look at, for a specification and changed facts."""
    from clusters.checks import existing

    wanted = spec or ClusterInput(name="demo")
    facts = cast(Facts, StandIn(wanted, **changes))
    found: Existing = existing.read(facts)
    return Subject(wanted, resolve(facts, found), facts, found)


def rows(spec: ClusterInput | None = None, **changes: Any) -> list[Check]:
    """The rows of all checks."""
    looked_at = subject(spec, **changes)
    return [row for registered in all_checks() for row in carry_out(registered, looked_at)]


def wrong(spec: ClusterInput | None = None, **changes: Any) -> list[tuple[str, str]]:
    """(severity, code) of every row that is an error or a warning, but the warning on access that a stand-in always has."""
    return [
        (str(row.severity), row.code)
        for row in rows(spec, **{"endpoint": "http://127.0.0.1:1", **changes})
        if row.severity in (Severity.ERROR, Severity.WARNING)
    ]


def denied(service: str = "ec2", operation: str = "describe_vpcs") -> CloudError:
    return CloudError(service, operation, "AccessDenied", "not authorized", 403, sent=True)
