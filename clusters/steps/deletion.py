"""Taking a cluster back, in the reverse order of its phases, with nothing of ours left."""

from __future__ import annotations

from typing import Any

from clusters.groups import network
from clusters.reading import blockers
from clusters.reading.failures import fault as classified
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading, read_first_failure
from clusters.sentences import SHOWN, listing
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, WaitingStep, different, failed, pending, ready
from clusters.steps.stack import progress
from clusters.steps.storage import api
from operations.step import Fault, Observation, Outcome, StepContext

GIVE_UP_AFTER = 12
"""Calls of one step after which a delete that does not help is shown as a failure."""


class NothingInTheWay(WaitingStep):
    """Looked at before anything is taken away: jobs, load balancers and their interfaces, pods on the shared storage."""

    name = "delete-blockers"
    title = "See that nothing is in the way"
    typical_seconds = 3

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        eks = reader.eks
        if eks is None or eks.status == "DELETING" or reader.target is None:
            return ready("There is no Kubernetes API any more, and nothing can run on it")
        jobs = blockers.running_jobs(reader)
        if jobs:
            return failed(blockers.jobs_fault(jobs))
        services = blockers.load_balancers(reader)
        if services:
            return failed(blockers.load_balancers_fault(services))
        interfaces = blockers.load_balancer_interfaces(reader, self.subject.spec)
        if interfaces:
            return failed(blockers.load_balancer_interfaces_fault(interfaces))
        pods = blockers.claim_users(reader, self.subject.spec)
        if pods:
            return failed(blockers.claim_fault(pods))
        return ready("No job, no load balancer and no pod is in the way")


class RemoveObject(ClusterStep):
    """A Kubernetes object of ours; it also goes with the cluster, so a cluster without API needs nothing."""

    api = "kubernetes:delete"
    typical_seconds = 5

    def __init__(self, subject: Subject, kind: str, name: str, namespace: str = "") -> None:
        super().__init__(subject)
        self.kind, self.object_name, self.namespace = kind, name, namespace
        self.name = f"remove-{kind.lower()}"
        self.title = f"Remove the {kind} {name}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        eks = reader.eks
        if eks is None or eks.status == "DELETING" or reader.target is None:
            return ready("It goes with the cluster")
        found = reader.object("v1", self.kind, self.object_name, self.namespace)
        if found is None:
            return ready(f"{self.kind} {self.object_name} is gone")
        if found["metadata"].get("deletionTimestamp"):
            holders = ", ".join(found["metadata"].get("finalizers") or ())
            return pending(f"{self.kind} {self.object_name} is being deleted" + (f"; held by {holders}" if holders else ""))
        return different(f"{self.kind} {self.object_name} is there")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        api(self.subject).delete("v1", self.kind, self.object_name, self.namespace)
        return Outcome(message=f"Asked Kubernetes to delete {self.kind} {self.object_name}")


class RemoveHyperPod(ClusterStep):
    name = "remove-hyperpod"
    title = "Delete the HyperPod cluster"
    api = "sagemaker:DeleteCluster"
    typical_seconds = 300

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = reader.hyperpod
        if found is None:
            return ready("The HyperPod cluster is gone")
        link = links.hyperpod(reader.region, reader.hyperpod_name)
        if found.status == "Deleting":
            left = len(reader.instances)
            return pending(f"SageMaker deletes the HyperPod cluster; {left} instances are left", link)
        if found.status in ("Creating", "Updating", "RollingBack", "SystemUpdating"):
            return pending(f"The HyperPod cluster is {found.status}; it can be deleted when that has ended", link)
        if found.status == "Failed" and context.attempt > GIVE_UP_AFTER:
            return failed(
                classified(found.failure or "SageMaker gave no reason.", prefix="SageMaker can't delete the HyperPod cluster."), link
            )
        return different(f"The HyperPod cluster is {found.status}")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("sagemaker", "delete_cluster", ClusterName=self.subject.hyperpod_name)
        return Outcome(reply.request_id, "Asked SageMaker to delete the HyperPod cluster")


class EmptyBucket(ClusterStep):
    """Our own lifecycle files always; people's files only after they were confirmed away. Every version, a thousand a call."""

    name = "empty-bucket"
    title = "Empty the cluster's bucket"
    api = "s3:DeleteObjects"
    typical_seconds = 10

    def __init__(self, subject: Subject, *, everything: bool) -> None:
        super().__init__(subject)
        self.everything = everything

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        bucket = self.subject.spec.bucket
        if reader.stack is None:
            return ready("The bucket went with the stack")
        found: list[blockers.Version] = []
        for version in blockers.bucket_versions(reader.aws, bucket):
            found.append(version)
            if len(found) >= blockers.LISTED_AT_ONCE:
                break
        if not found:
            return ready(f"The bucket {bucket} is empty, or gone")
        foreign = blockers.foreign_files(found)
        if foreign and not self.everything:
            return failed(blockers.files_fault(bucket, [version.key for version in foreign[:SHOWN]]))
        return different(
            f"The bucket {bucket} holds {len(found)}{'' if len(found) < blockers.LISTED_AT_ONCE else ' or more'} object versions",
            objects=[[version.key, version.version_id] for version in found],
        )

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        objects = [{"Key": key, "VersionId": version} if version != "null" else {"Key": key} for key, version in seen.facts["objects"]]
        reply = self.aws.write("s3", "delete_objects", Bucket=self.subject.spec.bucket, Delete={"Objects": objects, "Quiet": True})
        refused = reply.data.get("Errors") or []
        note = f"; {len(refused)} were refused: {refused[0].get('Code')}" if refused else ""
        return Outcome(reply.request_id, f"Deleted {len(objects) - len(refused)} object versions{note}")


class RemoveStack(ClusterStep):
    """Deletes the stack. What a failed deletion trips over is removed when it is a leftover of EKS or HyperPod, else named."""

    name = "remove-stack"
    title = "Delete network, roles and the EKS control plane"
    api = "cloudformation:DeleteStack"
    typical_seconds = 600

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        stack = reader.stack
        if stack is None:
            return ready("The stack is gone")
        link = links.stack(reader.region, stack.stack_id)
        if stack.deleting:
            return pending(progress(reader.stack_resources).replace("works on", "deletes"), link)
        if stack.moving:
            return pending(f"The stack is {stack.status}; it can be deleted when that has ended", link)
        if stack.status == "DELETE_FAILED" and context.intent_at is not None:
            return self._after_failure(reader, stack, context, link)
        return different(f"The stack is {stack.status}", stack_id=stack.stack_id)

    def _after_failure(self, reader: ClusterReader, stack: StackReading, context: StepContext, link: str) -> Observation:
        leftover = self._leftover(reader, stack)
        if leftover is not None:
            return different(f"The stack could not go: {leftover['what']} is left behind", **leftover)
        vpc = stack.outputs.get("VpcId", "")
        used = blockers.interfaces(reader.aws, vpc, blockers.own_groups(stack, self.subject.spec)) if vpc else []
        first = read_first_failure(reader.aws, stack.stack_id)
        if used or context.attempt > GIVE_UP_AFTER:
            return failed(stuck(stack, first, used), link)
        return different(f"The stack could not go: {first or stack.reason}", attempt=context.attempt)

    def _leftover(self, reader: ClusterReader, stack: StackReading) -> dict[str, Any] | None:
        vpc = stack.outputs.get("VpcId") or self._vpc_of(reader)
        if not vpc:
            return None
        for interface in blockers.interfaces(reader.aws, vpc, blockers.own_groups(stack, self.subject.spec)):
            if interface.free:
                return {"what": f"the network interface {interface}", "interface": interface.interface_id}
        if reader.eks is None:
            for group in blockers.eks_security_groups(reader.aws, vpc, reader.eks_name):
                return {"what": f"the security group {group} of EKS", "group": group}
        return None

    @staticmethod
    def _vpc_of(reader: ClusterReader) -> str:
        return next((item.physical_id for item in reader.stack_resources if item.resource_type == "AWS::EC2::VPC"), "")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        aws = self.aws
        if interface := seen.facts.get("interface"):
            reply = aws.write("ec2", "delete_network_interface", NetworkInterfaceId=interface)
            return Outcome(reply.request_id, f"Deleted the leftover network interface {interface}")
        if group := seen.facts.get("group"):
            reply = aws.write("ec2", "delete_security_group", GroupId=group)
            return Outcome(reply.request_id, f"Deleted the leftover security group {group}")
        reply = aws.write("cloudformation", "delete_stack", StackName=self.subject.stack_name, ClientRequestToken=context.token(self))
        return Outcome(reply.request_id, "Asked CloudFormation to delete the stack")


def stuck(stack: StackReading, first: object, used: list[blockers.Interface]) -> Fault:
    """Why the stack can't go, with the blocker named."""
    held = f" In the way: {listing([str(item) for item in used])}." if used else ""
    hint = (
        "Delete what uses these interfaces (a load balancer, an instance, a mount target), then delete the cluster again."
        if used
        else "Look at the stack's events, put the cause right, then delete the cluster again."
    )
    return Fault("delete_blocked", f"CloudFormation can't delete the stack: {first or stack.reason}.{held}", hint)


class RemoveLogGroups(ClusterStep):
    """EKS and HyperPod make log groups without tags and leave them; EKS makes its own again when a late line comes."""

    name = "remove-log-groups"
    title = "Remove the log groups that EKS and HyperPod left"
    api = "logs:DeleteLogGroup"
    typical_seconds = 3

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = blockers.log_groups(reader.aws, reader.eks_name)
        if not left:
            return ready("No log group is left")
        return different(f"Left: {', '.join(left)}", group=left[0])

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        group = seen.facts["group"]
        reply = self.aws.write("logs", "delete_log_group", logGroupName=group)
        return Outcome(reply.request_id, f"Deleted the log group {group}")


class NothingLeft(WaitingStep):
    """The last look: AWS must say of each of our names that it is not there."""

    name = "nothing-left"
    title = "See that nothing is left"
    typical_seconds = 3

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = []
        if reader.hyperpod is not None:
            left.append(f"the HyperPod cluster ({reader.hyperpod.status})")
        if reader.eks is not None:
            left.append(f"the EKS cluster ({reader.eks.status})")
        if reader.stack is not None:
            left.append(f"the stack ({reader.stack.status})")
        left += [f"the stack {one.name} ({one.status})" for one in network.all_of(reader)]
        left += [f"the log group {group}" for group in blockers.log_groups(reader.aws, reader.eks_name)]
        if left:
            return failed(
                Fault("something_left", f"Left in AWS: {', '.join(left)}.", "Delete the cluster again: it takes away what is left.")
            )
        return ready("Nothing of the cluster is left in AWS")
