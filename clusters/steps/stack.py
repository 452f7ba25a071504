"""The control plane's CloudFormation stack: cleared of a failed attempt, then made."""

from __future__ import annotations

from collections.abc import Iterable

from clusters import tags
from clusters.reading.failures import cause_of
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import DELETABLE_ONLY, StackReading, StackResource, read_first_failure
from clusters.sentences import listing
from clusters.steps import links
from clusters.steps.base import ClusterStep, absent, different, failed, pending, ready
from operations.step import Fault, Observation, Outcome, StepContext

CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM"]
TIMEOUT_MINUTES = 60
SLOW_FIRST = ("AWS::EKS::Cluster", "AWS::EC2::NatGateway", "AWS::EC2::VPC")
SHOWN_AT_ONCE = 3


class ClearFailedStack(ClusterStep):
    """A stack that rolled back can only be deleted. Only what an *earlier* operation left is cleared away."""

    name = "control-plane-clear"
    title = "Remove what a failed attempt left"
    api = "cloudformation:DeleteStack"
    typical_seconds = 5

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        stack = reader.stack
        if stack is None or stack.operation == self.subject.operation:
            return ready("Nothing is left of an earlier attempt")
        link = links.stack(reader.region, stack.stack_id)
        if stack.tags.get(tags.CLUSTER) != self.subject.name:
            return failed(
                Fault(
                    "stack_not_ours",
                    f"A stack {stack.name} is there that InstantStart did not make for this cluster.",
                    "Delete or rename it, or choose another name for the cluster.",
                ),
                link,
            )
        if stack.deleting:
            return pending("CloudFormation deletes what an earlier attempt left", link)
        if stack.status in ("ROLLBACK_IN_PROGRESS",):
            return pending("CloudFormation rolls an earlier attempt back", link)
        if stack.status in DELETABLE_ONLY:
            return different(f"An earlier attempt left the stack in {stack.status}")
        return ready("The stack of an earlier attempt goes on")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "delete_stack", StackName=self.subject.stack_name, ClientRequestToken=context.token(self))
        return Outcome(reply.request_id, "Asked CloudFormation to delete what the earlier attempt left")


class CreateStack(ClusterStep):
    """Network, IAM, EKS control plane, log group and bucket, in one stack."""

    name = "control-plane-stack"
    title = "Create network, roles and the EKS control plane"
    api = "cloudformation:CreateStack"
    typical_seconds = 840

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        stack = reader.stack
        if stack is None:
            return absent("The stack is not there")
        link = links.stack(reader.region, stack.stack_id)
        if stack.complete:
            return ready("The stack is complete", stack_id=stack.stack_id, outputs=dict(stack.outputs))
        if stack.moving:
            rolls_back = "ROLLBACK" in stack.status
            return pending(
                "CloudFormation rolls back: " + failure_sentence(reader, stack) if rolls_back else progress(reader.stack_resources), link
            )
        return failed(stack_fault(reader, stack), link)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        from clusters.template import control_plane

        aws = self.aws
        reply = aws.write(
            "cloudformation",
            "create_stack",
            StackName=self.subject.stack_name,
            TemplateBody=control_plane(self.subject.spec, aws.identity()),
            Capabilities=CAPABILITIES,
            OnFailure="ROLLBACK",
            TimeoutInMinutes=TIMEOUT_MINUTES,
            Tags=tags.as_list(self.subject.tags()),
            ClientRequestToken=context.token(self),
        )
        return Outcome(reply.request_id, "Asked CloudFormation for the stack")


def progress(resources: Iterable[StackResource]) -> str:
    """One sentence on what CloudFormation is at, the slow things first."""
    known = list(resources)
    done = sum(1 for item in known if item.status.endswith("_COMPLETE"))
    moving = [item for item in known if item.status.endswith("_IN_PROGRESS")]
    moving.sort(key=lambda item: SLOW_FIRST.index(item.resource_type) if item.resource_type in SLOW_FIRST else len(SLOW_FIRST))
    if not moving:
        return "CloudFormation works on the stack"
    shown = listing([f"{item.logical_id} ({item.resource_type.removeprefix('AWS::')})" for item in moving], SHOWN_AT_ONCE)
    return f"CloudFormation works on {shown}; {done} resources are done"


def failure_sentence(reader: ClusterReader, stack: StackReading) -> str:
    """The first cause of a failed stack, as one sentence."""
    failure = read_first_failure(reader.aws, stack.stack_id)
    return str(failure) if failure is not None else (stack.reason or stack.status)


def stack_fault(reader: ClusterReader, stack: StackReading) -> Fault:
    """Why a stack failed, and what its rollback left, by name."""
    first = failure_sentence(reader, stack)
    left = [item for item in reader.stack_resources if not item.status.startswith("DELETE_COMPLETE") and item.physical_id]
    remains = (
        f" Left behind: {', '.join(f'{item.logical_id} ({item.physical_id})' for item in left)}." if left else " Nothing is left behind."
    )
    cause = cause_of(first)
    code = "stack_failed" if cause.code == "unclassified" else cause.code
    hint = "Put the cause right, then retry the phase: the failed stack is removed first." if cause.code == "unclassified" else cause.hint
    return Fault(code, f"The stack is {stack.status}. First cause: {first}.{remains}", hint)
