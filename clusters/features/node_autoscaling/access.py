"""HyperPod's role for autoscaling: it may add and delete nodes of this cluster, and use the keys of its volumes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clusters.features.role import Document, PolicyPart, RolePart, plain
from clusters.reading.reader import ClusterReader
from clusters.resolved import ResolvedSpec
from clusters.steps.base import Subject
from clusters.template.policies import allow, policy, trusts_service
from operations.step import Outcome, Step, StepContext

PURPOSE = "karpenter"
SERVICE = "hyperpod.sagemaker.amazonaws.com"
_GRANTED = [
    "CreateGrant",
    "Decrypt",
    "DescribeKey",
    "GenerateDataKeyWithoutPlaintext",
    "ReEncryptFrom",
    "ReEncryptTo",
    "RetireGrant",
]


def trust(reader: ClusterReader, spec: ResolvedSpec) -> Document:
    return trusts_service(SERVICE)


class ScalingPolicyPart(PolicyPart):
    """Its resource is the cluster's own ARN, which holds an id of AWS's: only a look tells it."""

    def __init__(self, spec: ResolvedSpec, role: RolePart) -> None:
        super().__init__(role, [])
        self.spec = spec

    def wanted(self, reader: ClusterReader) -> Mapping[str, Any]:
        return {"document": plain(self._document(reader))}

    def create(self, subject: Subject, context: StepContext, step: Step) -> Outcome:
        reader = subject.reader()
        document = json.dumps(self._document(reader))
        reply = reader.aws.write("iam", "put_role_policy", RoleName=self.role, PolicyName=self.policy_name, PolicyDocument=document)
        return Outcome(reply.request_id, f"Wrote the policy of the role {self.role}")

    def _document(self, reader: ClusterReader) -> Document:
        spec, hyperpod = self.spec, reader.hyperpod
        cluster = hyperpod.arn if hyperpod is not None else f"arn:{spec.partition}:sagemaker:{spec.region}:{spec.account}:cluster/*"
        nodes = allow(["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"], cluster, sid="Nodes")
        return policy(nodes, *self._keys(reader))

    def _keys(self, reader: ClusterReader) -> Iterator[Document]:
        """Groups whose volumes are encrypted with a key of one's own: HyperPod must be able to lend it to the instances."""
        found = sorted({self._key_arn(key) for key in _volume_keys(reader)})
        if not found:
            return
        via = {"StringLike": {"kms:ViaService": "sagemaker.*.amazonaws.com"}}
        lent = {
            **via,
            "Bool": {"kms:GrantIsForAWSResource": "true"},
            "ForAllValues:StringEquals": {"kms:GrantOperations": _GRANTED},
        }
        yield allow(["kms:DescribeKey"], found, sid="Keys", condition=via)
        yield allow(["kms:CreateGrant"], found, sid="Grants", condition=lent)

    def _key_arn(self, key: str) -> str:
        """Of a key's id or ARN; an alias may stand for any key."""
        spec = self.spec
        plain_key = f"arn:{spec.partition}:kms:{spec.region}:{spec.account}:key"
        if ":alias/" in key or key.startswith("alias/"):
            return f"{plain_key}/*"
        return key if key.startswith("arn:") else f"{plain_key}/{key}"


def _volume_keys(reader: ClusterReader) -> Iterator[str]:
    for group in reader.hyperpod.groups if reader.hyperpod is not None else ():
        for storage in group.raw.get("InstanceStorageConfigs") or ():
            if key := (storage.get("EbsVolumeConfig") or {}).get("VolumeKmsKeyId"):
                yield str(key)
