"""The control plane's log group, made before EKS would make it: so it has our tags, a retention, and goes with the stack."""

from __future__ import annotations

from clusters import names
from clusters.resolved import ResolvedSpec
from clusters.template.document import Resource

LOG_GROUP = "ControlPlaneLogs"
RETENTION_DAYS = 30


def resources(spec: ResolvedSpec) -> list[Resource]:
    name = names.eks_log_group(spec.name)
    properties = {"LogGroupName": name, "RetentionInDays": RETENTION_DAYS}
    return [Resource(LOG_GROUP, "AWS::Logs::LogGroup", name, properties, deletion_policy="Delete")]
