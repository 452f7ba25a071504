"""The IAM role of a feature, made directly: its trust, its one inline policy, each a link of its own.

Not by a stack: what another hand took out of a role (a policy, a trust) is then seen in the role itself and put back, and a
half-made chain is completed call by call, whatever it lacks.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from clusters import names, tags
from clusters.choices import PartState
from clusters.features.part import ABSENT, Part, PartSeen
from clusters.reading.iam import RoleReading
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from clusters.template.policies import policy
from operations.step import Outcome, Step, StepContext

AUDIENCE = "sts.amazonaws.com"
Document = dict[str, Any]
Trust = Callable[[ClusterReader, ResolvedSpec], Document]
"""A trust may hold the cluster's OIDC issuer, which only a look at the cluster tells."""


def role_arn(spec: ResolvedSpec, role: str) -> str:
    return f"arn:{spec.partition}:iam::{spec.account}:role/{role}"


def trusts_pod_identity(reader: ClusterReader, spec: ResolvedSpec) -> Document:
    """EKS Pod Identity, for this cluster alone."""
    return policy(
        {
            "Effect": "Allow",
            "Principal": {"Service": "pods.eks.amazonaws.com"},
            "Action": ["sts:AssumeRole", "sts:TagSession"],
            "Condition": {
                "StringEquals": {"aws:SourceAccount": spec.account},
                "ArnEquals": {"aws:SourceArn": f"arn:{spec.partition}:eks:{spec.region}:{spec.account}:cluster/{spec.eks}"},
            },
        }
    )


def trusts_service_account(namespace: str, service_account: str, *services: str) -> Trust:
    """One service account of the cluster, for STS alone, and the AWS services named. The issuer is the cluster's own."""

    def document(reader: ClusterReader, spec: ResolvedSpec) -> Document:
        issuer = oidc_issuer(reader)
        return policy(
            {
                "Effect": "Allow",
                "Principal": {"Federated": f"arn:{spec.partition}:iam::{spec.account}:oidc-provider/{issuer}"},
                "Action": "sts:AssumeRoleWithWebIdentity",
                "Condition": {
                    "StringEquals": {
                        f"{issuer}:aud": AUDIENCE,
                        f"{issuer}:sub": f"system:serviceaccount:{namespace}:{service_account}",
                    }
                },
            },
            *({"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"} for service in services),
        )

    return document


def oidc_issuer(reader: ClusterReader) -> str:
    """The cluster's OIDC issuer without https://, "" while EKS has not told it."""
    eks = reader.eks
    issuer = ((eks.raw.get("identity") or {}).get("oidc") or {}).get("issuer", "") if eks is not None else ""
    return str(issuer).removeprefix("https://")


class RolePart(Part):
    """A role under a derived name. purpose: of at most ten characters."""

    resource_type = "AWS::IAM::Role"
    create_api = "iam:CreateRole"
    delete_api = "iam:DeleteRole"

    def __init__(
        self,
        spec: ResolvedSpec,
        purpose: str,
        trust: Trust,
        description: str,
        key: str = "role",
        needed: Callable[[ClusterReader], bool] | None = None,
    ) -> None:
        self.key = key
        self.spec, self.trust, self.description = spec, trust, description
        self._needed = needed
        self.name = names.role(spec.name, purpose)

    def read(self, reader: ClusterReader) -> PartSeen:
        found = reader.role(self.name)
        if found is None:
            return ABSENT
        return PartSeen(PartState.READY, fields={"trust": plain(found.trust)}, made_by=found.operation, blocks=_blocks(found))

    def needed(self, reader: ClusterReader) -> bool:
        return self._needed is None or self._needed(reader)

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {"trust": plain(self.trust(reader, self.spec))}

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        reader = subject.reader()
        reply = reader.aws.write(
            "iam",
            "create_role",
            RoleName=self.name,
            AssumeRolePolicyDocument=json.dumps(self.trust(reader, self.spec)),
            Description=self.description,
            Tags=tags.as_list(subject.tags()),
        )
        return Outcome(reply.request_id, f"Created the role {self.name}")

    def update(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        reader = subject.reader()
        document = json.dumps(self.trust(reader, self.spec))
        reply = reader.aws.write("iam", "update_assume_role_policy", RoleName=self.name, PolicyDocument=document)
        return Outcome(reply.request_id, f"Corrected whom the role {self.name} trusts")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        """IAM deletes no role that holds policies: those that another hand put there go first."""
        aws = subject.reader().aws
        for block in seen.blocks:
            kind, _, policy_name = block.partition(" ")
            if kind == "inline":
                reply = aws.write("iam", "delete_role_policy", RoleName=self.name, PolicyName=policy_name)
            else:
                reply = aws.write("iam", "detach_role_policy", RoleName=self.name, PolicyArn=policy_name)
            return Outcome(reply.request_id, f"Took the policy {policy_name} off the role {self.name}")
        reply = aws.write("iam", "delete_role", RoleName=self.name)
        return Outcome(reply.request_id, f"Deleted the role {self.name}")


class PolicyPart(Part):
    """The inline policy of a role: what it may do, and nothing else. It goes with its role, and before it."""

    resource_type = "AWS::IAM::RolePolicy"
    create_api = "iam:PutRolePolicy"
    delete_api = "iam:DeleteRolePolicy"

    def __init__(self, role: RolePart, statements: list[Document], policy_name: str = "access", key: str = "policy") -> None:
        self.key = key
        self.owner, self.role, self.policy_name = role, role.name, policy_name
        self.document = policy(*statements)
        self.name = f"{role.name}/{policy_name}"

    def read(self, reader: ClusterReader) -> PartSeen:
        found = reader.role(self.role)
        document = found.policies.get(self.policy_name) if found is not None else None
        if document is None:
            return ABSENT
        return PartSeen(PartState.READY, fields={"document": plain(document)})

    def needed(self, reader: ClusterReader) -> bool:
        return self.owner.needed(reader)

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {"document": plain(self.document)}

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        reply = subject.reader().aws.write(
            "iam", "put_role_policy", RoleName=self.role, PolicyName=self.policy_name, PolicyDocument=json.dumps(self.document)
        )
        return Outcome(reply.request_id, f"Wrote the policy of the role {self.role}")

    def delete(self, subject: Subject, context: StepContext, step: Step, seen: PartSeen) -> Outcome:
        reply = subject.reader().aws.write("iam", "delete_role_policy", RoleName=self.role, PolicyName=self.policy_name)
        return Outcome(reply.request_id, f"Removed the policy of the role {self.role}")


def plain(document: Mapping[str, Any]) -> Document:
    """The document with lists of one as IAM may give them back, and in one order: equal documents are then equal."""
    return json.loads(json.dumps(_plain(document), sort_keys=True))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        items = [_plain(one) for one in value]
        if all(isinstance(one, str) for one in items):
            return items[0] if len(items) == 1 else sorted(items)
        return items
    return value


def _blocks(found: RoleReading) -> tuple[str, ...]:
    return (*(f"inline {name}" for name in sorted(found.policies)), *(f"attached {arn}" for arn in sorted(found.attached)))
