"""A stack brought to what we would make: a change set worked out, looked at, carried out, or thrown away."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from clusters import names
from clusters.drift.look import compare_stacks
from clusters.models import Cluster, ClusterStack
from clusters.reading.reader import ClusterReader
from clusters.reading.stack import StackReading, read_stack, read_stack_resources
from clusters.stacks import change_sets, parts
from clusters.stacks.wanted import deployed, wanted
from clusters.steps import links
from clusters.steps.base import ClusterStep, Subject, absent, different, failed, pending, ready
from clusters.steps.drift_look import POLL_SECONDS
from clusters.steps.stack import CAPABILITIES, failure_sentence, progress
from operations import clock
from operations.choices import StepState
from operations.step import Fault, Observation, Outcome, StepContext

REVERT = "REVERT_DRIFT"
AGAIN = "Work it out again: POST …/compare/, or Work out the changes on the page of drift."


class _OnStack(ClusterStep):
    def __init__(self, subject: Subject, part: str) -> None:
        super().__init__(subject)
        self.part, self.stack = part, names.stack(subject.name, part)

    @property
    def change_set(self) -> str:
        return change_sets.name_of(self.subject.operation)


class ClearChangeSets(_OnStack):
    """What nobody carried out and no longer tells what would happen: of an earlier attempt, or a person's second thoughts."""

    name = "clear-change-sets"
    title = "Remove change sets that were left behind"
    api = "cloudformation:DeleteChangeSet"
    typical_seconds = 2

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = change_sets.left_behind(reader.aws, self.stack, self.change_set)
        if not left:
            return ready("No change set of ours is left behind")
        return different(f"{len(left)} left behind", change_set=left[0], left=len(left))

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "delete_change_set", ChangeSetName=seen.facts["change_set"])
        return Outcome(reply.request_id, "Deleted a change set that was left behind")


class MakeChangeSet(_OnStack):
    """Its name and its token are the operation's. Facts: change_set, changes; none of them where there is nothing to do; failed, why."""

    name = "change-set"
    title = "Have CloudFormation work out what would change"
    api = "cloudformation:CreateChangeSet"
    typical_seconds = 15

    def __init__(self, subject: Subject, part: str, *, revert_drift: bool) -> None:
        super().__init__(subject, part)
        self.revert_drift = revert_drift

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = change_sets.read_change_set(reader.aws, self.change_set, self.stack)
        if found is None:
            return absent("No change set yet")
        link = links.stack(reader.region, found.stack_id)
        if found.moving:
            return pending("CloudFormation works out what would change", link)
        if found.nothing or (found.usable and not found.changes):
            return ready("Nothing would change", empty=True)
        if not found.usable:
            return ready(f"CloudFormation could not work it out: {found.reason}", failed=found.reason or found.status)
        count = len(found.changes)
        told = f"{count} {'resource' if count == 1 else 'resources'} would change"
        return ready(told, change_set=found.arn, stack_id=found.stack_id, changes=[one.as_json() for one in found.changes])

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        aws = self.aws
        template = wanted(aws, self.subject.spec, self.part, deployed(aws, self.stack))
        given: dict[str, Any] = {"TemplateBody": template} if template is not None else {"UsePreviousTemplate": True}
        if self.revert_drift:
            given["DeploymentMode"] = REVERT
        reply = aws.write(
            "cloudformation",
            "create_change_set",
            StackName=self.stack,
            ChangeSetName=self.change_set,
            ChangeSetType="UPDATE",
            ClientToken=context.token(self),
            Capabilities=CAPABILITIES,
            Description=f"InstantStart, operation {context.operation.pk}",
            **given,
        )
        return Outcome(reply.request_id, "Asked CloudFormation for a change set")


class DropChangeSet(_OnStack):
    """Of a change set that says that there is nothing to do, or that could not be worked out, nothing is left."""

    name = "drop-change-set"
    title = "Remove a change set without changes"
    api = "cloudformation:DeleteChangeSet"
    typical_seconds = 2

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        facts = context.facts.get(MakeChangeSet.name, {})
        if facts.get("change_set"):
            return ready("It waits to be looked at and carried out")
        if change_sets.read_change_set(reader.aws, self.change_set, self.stack) is not None:
            return different("It is of no use")
        if facts.get("failed"):
            told = f"CloudFormation could not work out what would change of {self.stack}: {facts['failed']}"
            return failed(Fault("change_set_failed", told, "Put right what it names, then try again."))
        return ready("Nothing would change: the stack is as it should be")

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "delete_change_set", StackName=self.stack, ChangeSetName=self.change_set)
        return Outcome(reply.request_id, "Deleted the change set")


class DiscardChangeSet(_OnStack):
    """Every change set of ours that waits for this stack."""

    name = "discard-change-set"
    title = "Delete the change set"
    api = "cloudformation:DeleteChangeSet"
    typical_seconds = 2

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        left = change_sets.left_behind(reader.aws, self.stack, "")
        if not left:
            return ready("No change set of ours waits")
        return different(f"{len(left)} to delete", change_set=left[0], left=len(left))

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "delete_change_set", ChangeSetName=seen.facts["change_set"])
        return Outcome(reply.request_id, "Deleted the change set")


class ExecuteChangeSet(_OnStack):
    """Exactly the change set that was looked at. Facts: at, when the stack was seen to be done."""

    name = "execute-change-set"
    title = "Carry the change set out"
    api = "cloudformation:ExecuteChangeSet"
    typical_seconds = 120

    def __init__(self, subject: Subject, part: str, arn: str) -> None:
        super().__init__(subject, part)
        self.arn = arn

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        found = change_sets.read_change_set(reader.aws, self.arn)
        stack = read_stack(reader.aws, self.stack)
        if stack is None:
            return failed(
                Fault("stack_missing", f"The stack {self.stack} is gone.", "Retry the phase control_plane, or add the group again.")
            )
        link = links.stack(reader.region, stack.stack_id)
        if found is not None and found.usable:
            return different("The change set waits")
        executed = found is not None and found.execution.startswith(change_sets.EXECUTED)
        if not executed and context.intent_at is None:
            state = "is gone" if found is None else f"is {found.execution}: the stack has become another meanwhile"
            return failed(Fault("change_set_gone", f"The change set of {self.stack} {state}.", AGAIN), link)
        if stack.moving:
            return pending(progress(read_stack_resources(reader.aws, stack.stack_id)), link)
        if stack.status != "UPDATE_COMPLETE":
            return failed(_rolled_back(reader, stack), link)
        return ready(f"The stack {self.stack} is updated", at=clock.now().isoformat())

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write("cloudformation", "execute_change_set", ChangeSetName=self.arn, ClientRequestToken=context.token(self))
        return Outcome(reply.request_id, "Asked CloudFormation to carry the change set out")


class VerifyStack(_OnStack):
    """What CloudFormation finds of the stack once it is done: compared anew with its template, and that with ours."""

    name = "verify-stack"
    title = "Compare the stack anew"
    typical_seconds = 45

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        row = Cluster.objects.filter(name=self.subject.name).first()
        if row is None:
            return ready("The cluster is not here any more")
        if not compare_stacks(row, asked_at=datetime.fromisoformat(context.facts[ExecuteChangeSet.name]["at"])):
            return Observation(StepState.PENDING, "CloudFormation compares the stack", poll_seconds=POLL_SECONDS)
        mark = ClusterStack.objects.filter(cluster=row, part=self.part).first()
        left = sorted({*self._drifted(row), *(mark.behind if mark is not None else ())})
        return ready(f"Still another: {', '.join(left)}" if left else "The stack is as it should be", left=left)

    def cancel(self, context: StepContext) -> Observation:
        return Observation(StepState.READY, "Nothing of this step is under way")

    def _drifted(self, row: Cluster) -> Iterator[str]:
        for resource in row.drifts.filter(source="stack", state__in=("open", "ignored")).values_list("resource", flat=True):
            part, logical_id = parts.split(resource)
            if part == self.part:
                yield logical_id


def _rolled_back(reader: ClusterReader, stack: StackReading) -> Fault:
    first = failure_sentence(reader, stack)
    if stack.status == "UPDATE_ROLLBACK_COMPLETE":
        told = f"CloudFormation could not update the stack {stack.name} and has put it back as it was. First cause: {first}."
        return Fault("stack_update_failed", told, f"Put the cause right. {AGAIN}")
    return Fault(
        "stack_update_failed",
        f"The stack {stack.name} is {stack.status}. First cause: {first}.",
        "Put the cause right, then let CloudFormation continue the rollback (aws cloudformation continue-update-rollback).",
    )
