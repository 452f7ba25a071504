"""The log group `/aws/sagemaker/Clusters/<name>/<id>` that HyperPod makes, untagged, and leaves behind when the cluster goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def group_name(cluster: dict[str, Any]) -> str:
    return f"/aws/sagemaker/Clusters/{cluster['name']}/{cluster['id']}"


def write(context: Context, cluster: dict[str, Any], stream: str, lines: list[str]) -> None:
    """Append lines to a stream such as LifecycleConfig/<group>/<instance id>; group and stream are made when missing."""
    service = context.as_source("service")
    group = group_name(cluster)
    _unless_there(service, "CreateLogGroup", {"logGroupName": group})
    _unless_there(service, "CreateLogStream", {"logGroupName": group, "logStreamName": stream})
    moment = int(context.timestamp * 1000)
    entries = [{"timestamp": moment + index, "message": line} for index, line in enumerate(lines)]
    service.call("logs", "PutLogEvents", {"logGroupName": group, "logStreamName": stream, "logEvents": entries})


def lifecycle(context: Context, cluster: dict[str, Any], node: dict[str, Any], script: str, failure: str = "") -> None:
    """What the lifecycle script of an instance prints, as HyperPod's agent wraps it."""
    lines = [f"[start] {script}", "[INFO] Logging lifecycle script output", f"[INFO] node {node['instance_id']} of {node['group']}"]
    lines += [f"[ERROR] {failure}", f"Lifecycle script {script} failed with exit code 1"] if failure else [f"[stop] {script}: exit code 0"]
    write(context, cluster, f"LifecycleConfig/{node['group']}/{node['instance_id']}", lines)


def deep_check(context: Context, cluster: dict[str, Any], node: dict[str, Any], checks: list[str], passed: bool) -> None:
    result = "PASS" if passed else "FAIL"
    write(
        context,
        cluster,
        f"DeepHealthCheckResults/{node['instance_id']}",
        [f'{{"TestName": "{check}", "Result": "{result}"}}' for check in checks],
    )


def detection(context: Context, cluster: dict[str, Any], node: dict[str, Any], reason: str) -> None:
    """What the health-monitoring agent reports when it finds a fault."""
    line = f'{{"level": "info", "msg": "NPD caught event", "condition": "HealthMonitoringAgentDetectionEvent", "reason": "{reason}"}}'
    write(context, cluster, f"SagemakerHealthMonitoringAgent/{node['group']}/{node['instance_id']}", [line])


def _unless_there(context: Context, operation: str, params: dict[str, Any]) -> None:
    try:
        context.call("logs", operation, params)
    except AWSError as error:
        if error.code != "ResourceAlreadyExistsException":
            raise
