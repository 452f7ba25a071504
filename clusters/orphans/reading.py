"""What carries our tags, by the tagging API and, for roles, which it does not list, by IAM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from clusters import tags
from clusters.models import Cluster
from clusters.orphans import kinds
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from operations.models import Operation
from operations.models.operation import LOCKING_STATES

ROLE_PREFIX = "instantstart-"
OF_STACK = "aws:cloudformation:stack-id"


@dataclass(frozen=True)
class Tagged:
    """One resource with our tag of a cluster."""

    arn: str
    tags: Mapping[str, str]

    @property
    def cluster(self) -> str:
        return self.tags.get(tags.CLUSTER, "")

    @property
    def adopted(self) -> bool:
        """Whether another hand made it, and InstantStart only adopted it: it is never an orphan of ours."""
        return tags.ADOPTED in self.tags


def read_region(aws: Aws) -> list[Tagged]:
    """Everything of a region. CloudError."""
    found = aws.pages("resourcegroupstaggingapi", "get_resources", "ResourceTagMappingList", TagFilters=[{"Key": tags.CLUSTER}])
    return [Tagged(item["ResourceARN"], tags.as_dict(item["Tags"])) for item in found]


def read_roles(aws: Aws) -> list[Tagged]:
    """Roles of the account that are called as ours are. CloudError."""
    ours = [role for role in aws.pages("iam", "list_roles", "Roles") if role["RoleName"].startswith(ROLE_PREFIX)]
    found = [Tagged(role["Arn"], _role_tags(aws, role["RoleName"]) or {}) for role in ours]
    return [role for role in found if role.cluster]


def read_one(aws: Aws, arn: str) -> Tagged | None:
    """The resource as it is now, None when it is gone. CloudError."""
    kind, name = kinds.parts(arn)
    if kind == kinds.ROLE:
        found = _role_tags(aws, name)
        return None if found is None else Tagged(arn, found)
    listed = aws.read("resourcegroupstaggingapi", "get_resources", ResourceARNList=[arn])["ResourceTagMappingList"]
    return next((Tagged(item["ResourceARN"], tags.as_dict(item["Tags"])) for item in listed), None)


def _role_tags(aws: Aws, name: str) -> dict[str, str] | None:
    try:
        return tags.as_dict(aws.pages("iam", "list_role_tags", "Tags", RoleName=name))
    except CloudError as error:
        if error.missing:
            return None
        raise


def claimed() -> frozenset[str]:
    """Names of the clusters that are known, or at work to be made or taken away."""
    rows = (name for row in Cluster.objects.values_list("name", "eks_name", "hyperpod_name") for name in row if name)
    at_work = Operation.objects.filter(state__in=LOCKING_STATES).exclude(cluster="").exclude(kind="orphan.delete")
    return frozenset({*rows, *at_work.values_list("cluster", flat=True)})


def unclaimed(found: Iterable[Tagged], known: frozenset[str]) -> Iterator[Tagged]:
    """What belongs to no cluster that is known; what a stack holds goes with the stack, which stands for it."""
    rows = [one for one in found if one.cluster and one.cluster not in known and not one.adopted]
    stacks = {one.arn for one in rows if kinds.parts(one.arn)[0] == kinds.STACK}
    yield from (one for one in rows if one.tags.get(OF_STACK, "") not in stacks)
