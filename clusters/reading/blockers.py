"""What stands in the way of a deletion, by name: jobs, load balancers, files, network interfaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from clusters import names
from clusters.reading.kubernetes import condition
from clusters.reading.pods import OURS
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading
from clusters.resolved import ResolvedSpec
from clusters.sentences import SHOWN, listing
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from operations.step import Fault

JOB_KINDS: tuple[tuple[str, str], ...] = (
    ("batch/v1", "Job"),
    ("sagemaker.amazonaws.com/v1", "HyperPodPyTorchJob"),
    ("kubeflow.org/v1", "PyTorchJob"),
    ("ray.io/v1", "RayJob"),
)
ENDED = ("Complete", "Failed", "Succeeded")
LISTED_AT_ONCE = 1000


def running_jobs(reader: ClusterReader) -> list[str]:
    """Jobs of people that have not ended, as kind namespace/name."""
    api = reader.kube
    if api is None:
        return []
    return [
        f"{kind} {item['metadata']['namespace']}/{item['metadata']['name']}"
        for api_version, kind in JOB_KINDS
        for item in api.list(api_version, kind)
        if item["metadata"]["namespace"] not in OURS and not any(condition(item, end) for end in ENDED) and not _ray_ended(item)
    ]


def _ray_ended(item: dict[str, Any]) -> bool:
    return (item.get("status") or {}).get("jobDeploymentStatus") in ("Complete", "Failed")


def load_balancers(reader: ClusterReader) -> list[str]:
    """Services of type LoadBalancer: each holds network interfaces and security groups that the VPC can't go without."""
    api = reader.kube
    if api is None:
        return []
    return [
        f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        for item in api.list("v1", "Service")
        if (item.get("spec") or {}).get("type") == "LoadBalancer"
    ]


def claim_users(reader: ClusterReader, spec: ResolvedSpec) -> list[str]:
    """Pods that mount the shared claim and have not ended; ours apart."""
    api = reader.kube
    if api is None:
        return []
    claim, probe = spec.storage.claim, names.storage_probe(spec.storage.claim)
    return [
        f"{names.STORAGE_NAMESPACE}/{pod['metadata']['name']}"
        for pod in api.list("v1", "Pod", namespace=names.STORAGE_NAMESPACE)
        if pod["metadata"]["name"] != probe
        and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        and any(
            (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim for volume in (pod.get("spec") or {}).get("volumes") or ()
        )
    ]


@dataclass(frozen=True)
class Version:
    """One version of an object, or a delete marker."""

    key: str
    version_id: str


def bucket_versions(aws: Aws, bucket: str) -> Iterator[Version]:
    """Every object version and delete marker of the bucket, lifecycle scripts included; none when there is no bucket."""
    try:
        for result_key in ("Versions", "DeleteMarkers"):
            for item in aws.pages("s3", "list_object_versions", result_key, Bucket=bucket):
                yield Version(item["Key"], item.get("VersionId", "null"))
    except CloudError as error:
        if not error.missing:
            raise


def own_files(versions: Iterable[Version]) -> list[Version]:
    """Those that we put there ourselves."""
    return [version for version in versions if version.key.startswith(names.LIFECYCLE_PREFIX)]


def foreign_files(versions: Iterable[Version]) -> list[Version]:
    """People's files; the folder mark of the shared prefix is none."""
    return [version for version in versions if not version.key.startswith(names.LIFECYCLE_PREFIX) and version.key != names.SHARED_PREFIX]


def first_foreign_files(aws: Aws, bucket: str) -> list[str]:
    """Some keys of people's files, at most SHOWN: enough to say that there are any."""
    found: list[str] = []
    for version in bucket_versions(aws, bucket):
        if foreign_files([version]):
            found.append(version.key)
        if len(found) >= SHOWN:
            break
    return found


def jobs_fault(jobs: list[str]) -> Fault:
    return Fault(
        "jobs_running", f"Jobs run on the cluster: {listing(jobs)}.", "Wait until they have ended, or delete them, then delete the cluster."
    )


def load_balancers_fault(services: list[str]) -> Fault:
    return Fault(
        "load_balancers_left",
        f"Services of type LoadBalancer hold network interfaces in the VPC: {listing(services)}.",
        "Delete these services with kubectl, wait until their load balancers are gone, then delete the cluster.",
    )


def claim_fault(pods: list[str]) -> Fault:
    return Fault("claim_in_use", f"Pods mount the shared storage: {listing(pods)}.", "Delete them, then delete the cluster.")


def files_fault(bucket: str, keys: list[str]) -> Fault:
    return Fault(
        "bucket_not_empty",
        f"The bucket {bucket} holds files that InstantStart did not put there: {', '.join(keys)} …",
        "Copy what you need, then delete with empty_bucket: true, which removes all of them for good.",
    )


@dataclass(frozen=True)
class Interface:
    """A network interface that keeps a subnet or a security group from going."""

    interface_id: str
    description: str
    status: str
    requester: str

    @property
    def free(self) -> bool:
        """Attached to nothing: a leftover, which may be deleted."""
        return self.status == "available"

    def __str__(self) -> str:
        return f"{self.interface_id} ({self.description or self.requester or 'no description'}, {self.status})"


def load_balancer_interfaces(reader: ClusterReader, spec: ResolvedSpec) -> list[str]:
    """Interfaces of load balancers in the cluster's network, whoever made them: the VPC can't go while they are in use. ELB and
    nobody else describes its interfaces as "ELB …"."""
    stack = reader.stack
    vpc = stack.outputs.get("VpcId", "") if stack else ""
    if stack is None or not vpc:
        return []
    found = interfaces(reader.aws, vpc, own_groups(stack, spec))
    return [str(item) for item in found if item.description.startswith("ELB ") and not item.free]


def own_groups(stack: StackReading, spec: ResolvedSpec) -> list[str]:
    """In a VPC that was there before, only what uses our own security group is our business; in our own, all ([])."""
    return [stack.outputs.get("SecurityGroupId", "")] if spec.network.existing else []


def load_balancer_interfaces_fault(found: list[str]) -> Fault:
    return Fault(
        "load_balancer_interfaces",
        f"Load balancers use network interfaces in the cluster's VPC: {listing(found)}.",
        "Delete these load balancers, wait until their interfaces are gone, then delete the cluster.",
    )


def interfaces(aws: Aws, vpc_id: str, security_group_ids: Iterable[str]) -> list[Interface]:
    """Interfaces in the VPC that use one of our security groups, or all of the VPC when no group is given (a VPC of our own)."""
    groups = [group for group in security_group_ids if group]
    filters = [{"Name": "vpc-id", "Values": [vpc_id]}]
    if groups:
        filters.append({"Name": "group-id", "Values": groups})
    return _interfaces(aws, filters)


def subnet_interfaces(aws: Aws, subnet_id: str) -> list[Interface]:
    """Interfaces in a subnet; none of no subnet."""
    return _interfaces(aws, [{"Name": "subnet-id", "Values": [subnet_id]}]) if subnet_id else []


def _interfaces(aws: Aws, filters: list[dict[str, Any]]) -> list[Interface]:
    return [
        Interface(item["NetworkInterfaceId"], item.get("Description", ""), item["Status"], item.get("RequesterId", ""))
        for item in aws.pages("ec2", "describe_network_interfaces", "NetworkInterfaces", Filters=filters)
    ]


def eks_security_groups(aws: Aws, vpc_id: str, cluster: str) -> list[str]:
    """Security groups that EKS made for the cluster and left behind because something used them."""
    filters = [{"Name": "vpc-id", "Values": [vpc_id]}, {"Name": "tag:aws:eks:cluster-name", "Values": [cluster]}]
    return [item["GroupId"] for item in aws.pages("ec2", "describe_security_groups", "SecurityGroups", Filters=filters)]


def log_groups(aws: Aws, cluster: str) -> list[str]:
    """Log groups that EKS and HyperPod made for the cluster, which nobody deletes but us."""
    wanted = (names.eks_log_group(cluster), names.hyperpod_log_group_prefix(cluster))
    return [
        item["logGroupName"]
        for prefix in wanted
        for item in aws.pages("logs", "describe_log_groups", "logGroups", logGroupNamePrefix=prefix)
        if item["logGroupName"] == wanted[0] or item["logGroupName"].startswith(wanted[1])
    ]
