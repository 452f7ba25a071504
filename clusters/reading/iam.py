"""IAM roles, as read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from clusters import tags
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError


@dataclass(frozen=True)
class RoleReading:
    """trust: the document of who may take it. policies: inline policies by name. attached: ARNs of managed policies."""

    name: str
    arn: str
    trust: Mapping[str, Any]
    policies: Mapping[str, Mapping[str, Any]]
    attached: tuple[str, ...]
    tags: Mapping[str, str]

    @property
    def operation(self) -> str:
        """Id of the operation of ours that made it, "" when it was not ours."""
        return self.tags.get(tags.OPERATION, "")

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "attached": list(self.attached)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> RoleReading:
        return cls(**{**kept, "attached": tuple(kept["attached"])})


def read_role(aws: Aws, name: str) -> RoleReading | None:
    """The role with its policies, None when IAM says that there is none. CloudError when it can't be read."""
    try:
        role = aws.read("iam", "get_role", RoleName=name)["Role"]
        names = list(aws.pages("iam", "list_role_policies", "PolicyNames", RoleName=name))
        policies = {one: aws.read("iam", "get_role_policy", RoleName=name, PolicyName=one)["PolicyDocument"] for one in names}
        attached = tuple(one["PolicyArn"] for one in aws.pages("iam", "list_attached_role_policies", "AttachedPolicies", RoleName=name))
    except CloudError as error:
        if error.missing:
            return None
        raise
    return RoleReading(
        name=role["RoleName"],
        arn=role["Arn"],
        trust=role["AssumeRolePolicyDocument"],
        policies=policies,
        attached=attached,
        tags=tags.as_dict(role.get("Tags")),
    )


def read_association_role(aws: Aws, cluster: str, association_arn: str) -> str | None:
    """ARN of the role that a pod identity association gives, None when EKS knows no such association."""
    identifier = association_arn.rsplit("/", 1)[-1]
    try:
        found = aws.read("eks", "describe_pod_identity_association", clusterName=cluster, associationId=identifier)
    except CloudError as error:
        if error.missing:
            return None
        raise
    return str(found["association"]["roleArn"])
