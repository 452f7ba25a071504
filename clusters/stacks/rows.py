"""Our rows of a cluster's stacks and of what is in them."""

from __future__ import annotations

from collections.abc import Container

from django.db import transaction

from clusters import names
from clusters.choices import PhaseName
from clusters.models import Cluster, ClusterStack, Resource
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading, StackResource, read_stack_resources
from clusters.resolved import ResolvedSpec
from clusters.stacks.wanted import behind, deployed, wanted
from operations import clock, events

STACK = "AWS::CloudFormation::Stack"


def keep_stack(row: Cluster, reader: ClusterReader, part: str, stack: StackReading) -> ClusterStack:
    """Reads one stack's template and resources, and keeps what they tell. CloudError."""
    at = clock.now()
    now = deployed(reader.aws, stack.stack_id) if stack.complete else {}
    other = behind(now, wanted(reader.aws, ResolvedSpec.model_validate(row.spec), part, now)) if now else []
    # Those of the control plane's stack come with each look at the cluster.
    resources = read_stack_resources(reader.aws, stack.stack_id) if part != names.CONTROL_PLANE else []
    with transaction.atomic():
        found, _ = ClusterStack.objects.update_or_create(
            cluster=row,
            part=part,
            defaults={"stack_id": stack.stack_id, "status": stack.status, "behind": other, "observed_at": at},
        )
        if part != names.CONTROL_PLANE:
            whole = StackResource(STACK, part, stack.stack_id, stack.status, stack.reason)
            alive = [one for one in resources if one.physical_id and one.status != "DELETE_COMPLETE"]
            row.resources.filter(stack=part).delete()
            Resource.objects.bulk_create(
                Resource(
                    cluster=row,
                    phase=PhaseName.HYPERPOD,
                    stack=part,
                    resource_type=one.resource_type,
                    physical_id=one.physical_id[:512],
                    name=stack.name if one is whole else one.logical_id,
                    status=one.status,
                    message=one.reason[:1000],
                    observed_at=at,
                )
                for one in (whole, *alive)
            )
            events.publish(row.topic, "resources", {"cluster": row.name, "phase": PhaseName.HYPERPOD})
    return found


def forget_stacks(row: Cluster, there: Container[str]) -> None:
    """Takes away the rows of stacks that are gone, and of what was in them."""
    for one in row.stacks.all():
        if one.part not in there:
            with transaction.atomic():
                row.resources.filter(stack=one.part).delete()
                one.delete()
