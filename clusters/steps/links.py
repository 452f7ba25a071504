"""Where a thing can be seen in the AWS console."""

from __future__ import annotations

from urllib.parse import quote


def stack(region: str, stack_id: str) -> str:
    return f"https://{region}.console.aws.amazon.com/cloudformation/home?region={region}#/stacks/events?stackId={quote(stack_id, safe='')}"


def eks(region: str, cluster: str) -> str:
    return f"https://{region}.console.aws.amazon.com/eks/clusters/{cluster}?region={region}"


def addon(region: str, cluster: str, name: str) -> str:
    return f"https://{region}.console.aws.amazon.com/eks/clusters/{cluster}/add-ons/{name}?region={region}"


def hyperpod(region: str, cluster: str) -> str:
    return f"https://{region}.console.aws.amazon.com/sagemaker/home?region={region}#/cluster-management/{cluster}"
