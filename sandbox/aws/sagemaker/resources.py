"""How SageMaker's calls name the resource they are about, for IAM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.permissions import resource_arn
from sandbox.aws.sagemaker.cluster import lookup

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@resource_arn("sagemaker")
def resource(context: Context, params: dict[str, Any]) -> str:
    for member in ("ResourceArn", "ClusterArn", "TrainingPlanArn"):
        if params.get(member):
            return str(params[member])
    if params.get("TrainingPlanName"):
        return context.arn("sagemaker", f"training-plan/{params['TrainingPlanName']}")
    name = params.get("ClusterName")
    if not name:
        return "*"
    cluster = lookup(context, name)
    # a cluster's ARN holds an id that only the service knows
    return cluster["arn"] if cluster else context.arn("sagemaker", "cluster/*")
