"""Stacks of subnets for instance groups: cleared of a failed attempt, made before the group, and gone after it."""

from __future__ import annotations

from collections.abc import Sequence

from clusters import tags
from clusters.groups import network
from clusters.groups.network import GroupNetwork
from clusters.reading import blockers
from clusters.reading.failures import cause_of
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import DELETABLE_ONLY, StackReading, read_first_failure, read_stack, read_stack_resources
from clusters.sentences import listing
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, absent, different, failed, pending, ready
from clusters.steps.stack import progress
from operations.step import Fault, Observation, Outcome, StepContext

TIMEOUT_MINUTES = 15
GIVE_UP_AFTER = 12


class ClearNetwork(ClusterStep):
    """A stack that rolled back can only be deleted. Only what an *earlier* operation left is cleared away."""

    api = "cloudformation:DeleteStack"
    typical_seconds = 5

    def __init__(self, subject: Subject, wanted: GroupNetwork) -> None:
        super().__init__(subject)
        self.wanted = wanted
        self.name = f"clear-{wanted.part}"
        self.title = f"Remove what a failed attempt left of {wanted.stack}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        stack = read_stack(reader.aws, self.wanted.stack)
        if stack is None or stack.operation == self.subject.operation:
            return ready("Nothing is left of an earlier attempt")
        link = links.stack(reader.region, stack.stack_id)
        if not network.ours(stack, self.subject.name):
            return failed(network.not_ours(stack.name), link)
        if stack.deleting or stack.status == "ROLLBACK_IN_PROGRESS":
            return pending("CloudFormation takes back what an earlier attempt left", link)
        if stack.status in DELETABLE_ONLY:
            return different(f"An earlier attempt left the stack in {stack.status}", attempt=context.attempt)
        return ready("The stack of an earlier attempt goes on")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "delete_stack", StackName=self.wanted.stack, ClientRequestToken=context.token(self))
        return Outcome(reply.request_id, "Asked CloudFormation to delete what the earlier attempt left")


class MakeNetwork(ClusterStep):
    """Subnet, route table, route out and S3 endpoint, in one stack. Facts: subnet, its id."""

    api = "cloudformation:CreateStack"
    typical_seconds = 30

    def __init__(self, subject: Subject, wanted: GroupNetwork) -> None:
        super().__init__(subject)
        self.wanted = wanted
        self.name = f"make-{wanted.part}"
        self.title = f"Create the subnet {wanted.cidr} in {wanted.zone}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        stack = read_stack(reader.aws, self.wanted.stack)
        if stack is None:
            return absent(f"The stack {self.wanted.stack} is not there")
        link = links.stack(reader.region, stack.stack_id)
        if not network.ours(stack, self.subject.name):
            return failed(network.not_ours(stack.name), link)
        if stack.complete:
            return ready(f"The subnet {network.subnet_of(stack)} is there", subnet=network.subnet_of(stack), stack=stack.stack_id)
        if stack.moving:
            return pending(progress(read_stack_resources(reader.aws, stack.stack_id)), link)
        return failed(_fault(reader, stack), link)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write(
            "cloudformation",
            "create_stack",
            StackName=self.wanted.stack,
            TemplateBody=self.wanted.template().text(),
            OnFailure="ROLLBACK",
            TimeoutInMinutes=TIMEOUT_MINUTES,
            Tags=tags.as_list(self.subject.tags()),
            ClientRequestToken=context.token(self),
        )
        return Outcome(reply.request_id, f"Asked CloudFormation for {self.wanted.stack}")


def _fault(reader: ClusterReader, stack: StackReading) -> Fault:
    first = read_first_failure(reader.aws, stack.stack_id)
    cause = cause_of(str(first) if first is not None else stack.reason)
    code, hint = (cause.code, cause.hint) if cause.code != "unclassified" else ("stack_failed", "")
    return Fault(
        code,
        f"The stack {stack.name} is {stack.status}. First cause: {first or stack.reason}. No group was added.",
        hint or "Put the cause right, then add the group again: the failed stack is removed first.",
    )


class RemoveNetworks(ClusterStep):
    """The stacks of subnets that no group needs any more; of a cluster that goes (stacks None) all that it has."""

    name = "remove-networks"
    api = "cloudformation:DeleteStack"
    typical_seconds = 60

    def __init__(self, subject: Subject, stacks: Sequence[str] | None = None) -> None:
        super().__init__(subject)
        self.stacks = stacks
        self.title = "Delete the subnets of instance groups" if stacks is None else f"Delete {', '.join(stacks)}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        if self.stacks is None:
            there = network.all_of(reader)
        else:
            there = [one for name in self.stacks if (one := read_stack(reader.aws, name)) and network.ours(one, self.subject.name)]
        # Somebody may have put a group there since the plan: then it is theirs to keep.
        kept = {one.name: used for one in there if (used := network.users(reader.hyperpod, one))}
        going = [one for one in there if one.name not in kept]
        if not going:
            notes = "; ".join(f"{name} stays for {', '.join(used)}" for name, used in kept.items())
            return ready(notes or "No subnet is left that was made for a group")
        for stack in going:
            if (seen := self._to_do(reader, stack, context)) is not None:
                return seen
        shown = listing([one.name for one in going])
        return pending(f"CloudFormation deletes {shown}", links.stack(reader.region, going[0].stack_id))

    def _to_do(self, reader: ClusterReader, stack: StackReading, context: StepContext) -> Observation | None:
        """None while CloudFormation is at it."""
        if stack.moving:
            return None
        if stack.status != "DELETE_FAILED" or context.intent_at is None:
            return different(f"The stack {stack.name} is {stack.status}", stack=stack.stack_id)
        in_the_way = blockers.subnet_interfaces(reader.aws, network.subnet_of(stack))
        if free := next((one for one in in_the_way if one.free), None):
            return different(f"The network interface {free} is left behind", interface=free.interface_id)
        if context.attempt > GIVE_UP_AFTER:
            held = f" In the way: {listing([str(one) for one in in_the_way])}." if in_the_way else ""
            first = read_first_failure(reader.aws, stack.stack_id)
            return failed(
                Fault(
                    "delete_blocked",
                    f"CloudFormation can't delete the stack {stack.name}: {first or stack.reason}.{held}",
                    "Delete what uses the subnet, then delete the group again.",
                ),
                links.stack(reader.region, stack.stack_id),
            )
        return different(f"The stack {stack.name} could not go", stack=stack.stack_id, attempt=context.attempt)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        if interface := seen.facts.get("interface"):
            reply = self.aws.write("ec2", "delete_network_interface", NetworkInterfaceId=interface)
            return Outcome(reply.request_id, f"Deleted the leftover network interface {interface}")
        stack = seen.facts["stack"]
        reply = self.aws.write("cloudformation", "delete_stack", StackName=stack, ClientRequestToken=context.token(self))
        return Outcome(reply.request_id, f"Asked CloudFormation to delete {stack.rsplit('/', 2)[-2]}")
