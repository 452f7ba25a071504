"""Rows of clusters for tests, as an observer would have written them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from clusters import features
from clusters import state as state_module
from clusters.choices import FeatureState, Seen, State
from clusters.models import (
    Cluster,
    ClusterDocument,
    ClusterFeature,
    ClusterStack,
    Drift,
    InstanceGroup,
    Node,
    NodeGroup,
    Orphan,
    Phase,
    Quota,
)
from clusters.phases import PHASES

SPEC: dict[str, Any] = {
    "name": "demo",
    "account": "123456789012",
    "region": "us-west-2",
    "kubernetes_version": "1.36",
    "zones": [{"name": "us-west-2a", "id": "usw2-az1"}, {"name": "us-west-2b", "id": "usw2-az2"}],
    "network": {
        "vpc_cidr": "10.90.0.0/16",
        "service_cidr": "172.20.0.0/16",
        "private": [
            {"zone": {"name": "us-west-2a", "id": "usw2-az1"}, "cidr": "10.90.7.0/24"},
            {"zone": {"name": "us-west-2b", "id": "usw2-az2"}, "cidr": "10.90.8.0/24"},
        ],
        "compute": {"zone": {"name": "us-west-2a", "id": "usw2-az1"}, "cidr": "10.90.16.0/20"},
    },
    "group": {
        "name": "workers",
        "instance_type": "ml.g5.8xlarge",
        "count": 1,
        "capacity": "on-demand",
        "volume_gb": 500,
        "threads_per_core": 1,
    },
    "bucket": "sagemaker-demo-123456789012-us-west-2",
    "storage": {"bucket": "sagemaker-demo-123456789012-us-west-2", "made": True, "claim": "shared"},
}
AT = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


def make_quota(name: str = "ml.p5.48xlarge for cluster usage", **fields: Any) -> Quota:
    """A quota of 16, of which 4 are in use."""
    values: dict[str, Any] = {"limit": 16, "used": 4, "adjustable": True, "code": "L-1", "instance_type": "ml.p5.48xlarge", **fields}
    return Quota.objects.create(account="123456789012", region="us-west-2", service="sagemaker", name=name, observed_at=AT, **values)


def make_cluster(name: str = "demo", *, state: State = State.READY, nodes: int = 1, **fields: Any) -> Cluster:
    """A cluster whose phases were all seen ready, with one group and its nodes."""
    row = Cluster.objects.create(
        **{
            "name": name,
            "region": "us-west-2",
            "account": "123456789012",
            "state": state,
            "spec": {**SPEC, "name": name},
            "given": {"name": name},
            "observed_at": AT,
            "interval": 90.0,
            "instance_count": nodes,
            "node_count": nodes,
            "ready_node_count": nodes,
            "cost_per_hour": 3.2,
            **fields,
        }
    )
    Phase.objects.bulk_create(
        Phase(cluster=row, name=phase.name, position=phase.name.position, state=State.READY, seen=Seen.READY, made=True, observed_at=AT)
        for phase in PHASES
    )
    InstanceGroup.objects.create(
        cluster=row,
        name="workers",
        instance_type="ml.g5.8xlarge",
        capacity="on-demand",
        status="InService",
        current_count=nodes,
        target_count=nodes,
        observed_at=AT,
    )
    ClusterDocument.objects.create(cluster=row, name="hyperpod", body={"ClusterName": name}, observed_at=AT)
    Node.objects.bulk_create(
        Node(
            cluster=row,
            key=f"i-{number:017x}",
            instance_id=f"i-{number:017x}",
            group_name="workers",
            instance_type="ml.g5.8xlarge",
            status="Running",
            ready=True,
            observed_at=AT,
        )
        for number in range(nodes)
    )
    ClusterFeature.objects.bulk_create(
        ClusterFeature(
            cluster=row,
            name=feature,
            position=position,
            state=FeatureState.ABSENT,
            seen=FeatureState.ABSENT,
            settings=dict.fromkeys(features.find(feature).Settings.model_fields),
            observed_at=AT,
        )
        for position, feature in enumerate(features.REGISTRY)
    )
    with transaction.atomic():
        state_module.settle(row)
    return row


def make_node_group(row: Cluster, name: str = "cpu", **fields: Any) -> NodeGroup:
    """An EKS node group of the cluster, with no node yet."""
    found = {
        "arn": f"arn:aws:eks:us-west-2:123456789012:nodegroup/{row.name}/{name}/0",
        "status": "ACTIVE",
        "capacity": "on-demand",
        "instance_types": ["m5.xlarge"],
        "maximum": 3,
        "desired": 1,
        "ours": True,
        "price_per_hour": 0.192,
        "nodes": [],
        **fields,
    }
    return NodeGroup.objects.create(cluster=row, name=name, observed_at=AT, **found)


def make_drift(row: Cluster, **fields: Any) -> Drift:
    """A group that another hand has scaled."""
    found = {"resource": "group/workers", "field": "count", "desired": 1, "observed": 3, "first_seen": AT, "last_seen": AT, **fields}
    return Drift.objects.create(cluster=row, **found)


def make_stack(row: Cluster, part: str = "control-plane", **fields: Any) -> ClusterStack:
    """A stack for which a change set waits that puts a retention back."""
    change = {
        "action": "Modify",
        "resource_type": "AWS::Logs::LogGroup",
        "logical_id": "ControlPlaneLogs",
        "physical_id": f"/aws/eks/{row.name}/cluster",
        "replacement": "False",
        "properties": [{"field": "/RetentionInDays", "before": "7", "after": "30"}],
    }
    arn = "arn:aws:cloudformation:us-west-2:123456789012"
    found = {
        "stack_id": f"{arn}:stack/instantstart-{row.name}-{part}/0",
        "status": "CREATE_COMPLETE",
        "change_set": f"{arn}:changeSet/instantstart-0/0",
        "reverts": True,
        "changes": [change],
        "proposed_at": AT,
        "observed_at": AT,
        **fields,
    }
    return ClusterStack.objects.create(cluster=row, part=part, **found)


def make_orphan(**fields: Any) -> Orphan:
    """A VPC that was made for a cluster of before."""
    arn = "arn:aws:ec2:us-west-2:123456789012:vpc/vpc-0"
    found = {"arn": arn, "resource_type": "ec2:vpc", "name": "vpc-0", "account": "123456789012", "region": "us-west-2", "cluster": "old"}
    return Orphan.objects.create(**{**found, "first_seen": AT, "last_seen": AT, **fields})
