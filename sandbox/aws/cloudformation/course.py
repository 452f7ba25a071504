"""The course of one stack operation: tasks on resources, each begun when those before it are done.

A stack's `run` holds the tasks; `Course` begins, checks and ends them, and writes the events. What follows when all have ended is
told by `outcomes`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sandbox.aws.cloudformation import drift, events, reasons, stacks
from sandbox.aws.cloudformation.compare import differences
from sandbox.aws.cloudformation.intrinsics import NO_VALUE
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.resources.base import ResourceFailed, ResourceType, Work
from sandbox.aws.errors import AWSError
from sandbox.durations import duration

if TYPE_CHECKING:
    from sandbox.aws.cloudformation.stacks import Stack
    from sandbox.aws.context import Context

log = logging.getLogger(__name__)

Task = dict[str, Any]
Resource = dict[str, Any]

_OVER = ("done", "failed", "cancelled")
_RETRY_SECONDS = 10.0


def task(action: str, logical_id: str, after: list[str], **more: Any) -> Task:
    """`action`: create, update, restore or delete. `after`: ids of the tasks that must be done before."""
    return {"action": action, "logical_id": logical_id, "after": after, "state": "waiting", **more}


class Course:
    def __init__(self, context: Context, stack: Stack) -> None:
        self.context = context
        self.stack = stack
        self.run: dict[str, Any] = stack["run"]
        self.tasks: dict[str, Task] = self.run["tasks"]
        self._template: dict[str, Any] | None = None

    # -- moving on

    def move(self) -> None:
        """Check what is due and begin what can begin, until nothing more happens now."""
        while True:
            moved = False
            for one in list(self.tasks.values()):
                if one["state"] == "running" and one["check_at"] <= self.context.now:
                    self._check(one)
                    moved = True
            if self.failed() and self.run["stops"]:
                self.cancel("Resource creation cancelled" if self.run["kind"] == "create" else "Resource update cancelled")
                return
            for one in list(self.tasks.values()):
                if one["state"] == "waiting" and all(self._done(other) for other in one["after"]):
                    self._begin(one)
                    moved = True
                    if self.failed() and self.run["stops"]:
                        break
            if not moved:
                return

    def _done(self, task_id: str) -> bool:
        return task_id not in self.tasks or self.tasks[task_id]["state"] == "done"

    def failed(self) -> list[str]:
        """Logical ids of what failed, in the order it did."""
        return [one["logical_id"] for one in sorted(self.tasks.values(), key=lambda one: one.get("ended", 0)) if one["state"] == "failed"]

    def over(self) -> bool:
        """Nothing runs and nothing can begin (what waits for something that failed never will)."""
        return not any(one["state"] == "running" for one in self.tasks.values()) and not any(
            one["state"] == "waiting" and all(self._done(other) for other in one["after"]) for one in self.tasks.values()
        )

    def next_check(self) -> float:
        return min(float(one["check_at"]) for one in self.tasks.values() if one["state"] == "running")

    def cancel(self, reason: str) -> None:
        """Stop what runs: it is half made, and whoever cleans up deletes it."""
        for one in self.tasks.values():
            if one["state"] == "running":
                status = "CREATE_FAILED" if one["action"] == "create" and not one.get("replaces") else "UPDATE_FAILED"
                self._note(one, status, reason)
            if one["state"] not in _OVER:
                one["state"] = "cancelled"

    # -- one task

    def _begin(self, one: Task) -> None:
        one |= {"state": "running", "started": self.context.now, "check_at": self.context.now}
        {"create": self._begin_create, "update": self._begin_update, "restore": self._begin_restore, "delete": self._begin_delete}[
            one["action"]
        ](one)

    def _check(self, one: Task) -> None:
        kind, work = self._work(one)
        if one["action"] == "delete":
            self._check_delete(one, kind, work)
            return
        prefix = self._prefix(one)
        try:
            there = kind.ready(work) if one["action"] == "create" else kind.updated(work)
            if there:
                self._resource(one)["attributes"] = kind.attributes(work)
        except AWSError as error:
            if not reasons.passing(error):
                self._fail(one, kind, error)
                return
            there = False
        except ResourceFailed as error:
            self._fail(one, kind, error)
            return
        if there:
            self._end(one, "done")
            self._note(one, f"{prefix}_COMPLETE")
        elif self.context.now - one["started"] > kind.patience:
            told = f"Resource of type '{kind.name}' with identifier '{work.physical_id}' did not stabilize."
            self._fail(one, kind, ResourceFailed(told, "NotStabilized"))
        else:
            one["check_at"] = self.context.now + kind.poll

    def _begin_create(self, one: Task) -> None:
        logical_id = one["logical_id"]
        declared = self.template["Resources"][logical_id]
        resource: Resource = {
            "type": declared["Type"],
            "physical_id": "",
            "properties": None,
            "after": one["after"],
            "deletion_policy": declared.get("DeletionPolicy", "Delete"),
            "update_replace_policy": declared.get("UpdateReplacePolicy", "Delete"),
            "tags": [],
        }
        if one.get("replaces"):
            self.run["superseded"][logical_id] = self.stack["resources"][logical_id]
        self.stack["resources"][logical_id] = resource
        kind = base.find(declared["Type"])
        prefix = self._prefix(one)
        reason = "Requested update requires the creation of a new physical resource; hence creating one." if one.get("replaces") else ""
        self._note(one, f"{prefix}_IN_PROGRESS", reason)
        try:
            properties = self._properties(logical_id)
            resource["properties"] = properties
            kind.validate(properties)
            _, work = self._work(one)
            resource["tags"] = work.tags()
            with self._attempt(kind):
                resource["physical_id"] = kind.create(work)
        except (AWSError, ResourceFailed) as error:
            self._fail(one, kind, error)
            return
        self._note(one, f"{prefix}_IN_PROGRESS", "Resource creation Initiated")
        one["check_at"] = self.context.now + duration(kind.seconds)

    def _begin_update(self, one: Task) -> None:
        """Compare with what is there: nothing to do, a change in place, or a new resource in its stead."""
        logical_id = one["logical_id"]
        declared = self.template["Resources"][logical_id]
        resource = self.stack["resources"][logical_id]
        kind = base.find(resource["type"])
        resource["deletion_policy"] = declared.get("DeletionPolicy", "Delete")
        resource["update_replace_policy"] = declared.get("UpdateReplacePolicy", "Delete")
        resource["after"] = one["after"]
        try:
            properties = self._properties(logical_id)
            work = self._work_with(logical_id, kind, properties, resource["physical_id"])
            before, tags_before = resource["properties"], resource["tags"]
            if self.stack.get("revert_drift") and declared["Type"] == resource["type"] and drift.checkable(kind.name):
                found = drift.as_it_is(self.context, self.stack, logical_id, properties)
                if found is None:
                    one |= {"action": "create"}
                    self._begin_create(one)
                    return
                # What another hand changed counts as what was there before.
                drifted = {difference["PropertyPath"].split("/")[1] for difference in differences(properties, found)}
                before = {**before, **{member: found[member] for member in drifted}}
                if "Tags" in drifted:
                    theirs = {tag["Key"] for tag in found["Tags"]}
                    tags_before = [*(tag for tag in tags_before if tag["Key"] not in theirs), *found["Tags"]]
            if properties == before and work.tags() == tags_before:
                self._end(one, "done")
                return
            kind.validate(properties)
            changed = {name for name in {*before, *properties} if before.get(name) != properties.get(name)}
            if changed & kind.immutable or declared["Type"] != resource["type"]:
                self._replace(one, kind, changed)
                return
            self._note(one, "UPDATE_IN_PROGRESS")
            with self._attempt(kind):
                kind.update(work, before, tags_before)
        except (AWSError, ResourceFailed) as error:
            self._fail(one, kind, error)
            return
        resource |= {"properties": properties, "tags": work.tags(), "physical_id": work.physical_id}
        one["check_at"] = self.context.now + duration("cloudformation.resource")

    def _replace(self, one: Task, kind: ResourceType, changed: set[str]) -> None:
        resource = self.stack["resources"][one["logical_id"]]
        named = kind.custom_name and resource["properties"].get(kind.custom_name)
        if named and kind.custom_name not in changed:
            raise ResourceFailed(
                "CloudFormation cannot update a stack when a custom-named resource requires replacing. "
                f"Rename {named} and update the stack again.",
                "NotUpdatable",
            )
        one |= {"action": "create", "replaces": resource["physical_id"]}
        self._begin_create(one)

    def _begin_restore(self, one: Task) -> None:
        """Bring a resource back to how it was before the update."""
        logical_id = one["logical_id"]
        was: Resource = self.stack["before"]["resources"][logical_id]
        now = self.stack["resources"][logical_id]
        kind = base.find(was["type"])
        if now["physical_id"] != was["physical_id"]:
            self.run["unwanted"][logical_id] = now
            self.stack["resources"][logical_id] = {**was}
            self._note(one, "UPDATE_COMPLETE")
            self._end(one, "done")
            return
        work = self._work_with(logical_id, kind, was["properties"], now["physical_id"], self.stack["before"]["tags"])
        self._note(one, "UPDATE_IN_PROGRESS")
        try:
            with self._attempt(kind):
                kind.update(work, now["properties"], now["tags"])
        except (AWSError, ResourceFailed) as error:
            self._fail(one, kind, error)
            return
        self.stack["resources"][logical_id] = {**was, "physical_id": work.physical_id, "status": now["status"]}
        one["check_at"] = self.context.now + duration("cloudformation.resource")

    def _begin_delete(self, one: Task) -> None:
        resource = self._resource(one)
        if not resource["physical_id"]:
            self._note(one, "DELETE_COMPLETE")
            self._end(one, "done")
            return
        if one.get("retain"):
            self._note(one, "DELETE_SKIPPED")
            self._end(one, "done")
            return
        self._note(one, "DELETE_IN_PROGRESS")
        one["sent"] = False
        kind, work = self._work(one)
        self._check_delete(one, kind, work)

    def _check_delete(self, one: Task, kind: ResourceType, work: Work) -> None:
        try:
            if not one["sent"]:
                with self.context.world.database.transaction():
                    kind.delete(work)
                one |= {"sent": True, "check_at": self.context.now + duration("cloudformation.delete")}
                return
            gone = kind.gone(work)
        except AWSError as error:
            if reasons.missing(error):
                gone = True
            elif reasons.passing(error) or (reasons.busy(error) and self._may_wait(one, error)):
                one["check_at"] = self.context.now + _RETRY_SECONDS
                return
            else:
                self._fail(one, kind, error)
                return
        except ResourceFailed as error:
            self._fail(one, kind, error)
            return
        if gone:
            self._note(one, "DELETE_COMPLETE")
            self._end(one, "done")
        elif self.context.now - one["started"] > kind.patience:
            self._fail(one, kind, ResourceFailed(f"{work.physical_id} did not go away.", "NotStabilized"))
        else:
            one["check_at"] = self.context.now + kind.poll

    def _may_wait(self, one: Task, error: AWSError) -> bool:
        """A resource still being made is waited for; something else that uses it is given a few minutes to go."""
        name = "cloudformation.delete-unfinished" if error.code == "ResourceInUseException" else "cloudformation.delete-blocked"
        return bool(self.context.now - one["started"] < duration(name))

    # -- helpers

    @contextmanager
    def _attempt(self, kind: ResourceType) -> Iterator[None]:
        """All of a making or a change, or nothing of it. A property whose shape is not the type's fails the resource."""
        try:
            with self.context.world.database.transaction():
                yield
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.warning("a %s has a property of another shape", kind.name, exc_info=True)
            raise ResourceFailed(f"Properties validation failed for {kind.name}: {error!r}", "InvalidRequest") from error

    def _end(self, one: Task, state: str) -> None:
        one |= {"state": state, "ended": self.context.now}

    def _fail(self, one: Task, kind: ResourceType, error: AWSError | ResourceFailed) -> None:
        self._end(one, "failed")
        told = error.message
        if not (isinstance(error, AWSError) and error.code == "ValidationError" and told.startswith(("Template", "No export"))):
            told = reasons.sentence(self.context, kind, error)
        self._note(one, f"{self._prefix(one)}_FAILED", told)

    def _prefix(self, one: Task) -> str:
        if one["action"] == "create" and not one.get("replaces"):
            return "CREATE"
        return "DELETE" if one["action"] == "delete" else "UPDATE"

    def _resource(self, one: Task) -> Resource:
        """The record a task works on: a deletion may be about one that is not the stack's any more."""
        if "of" in one:
            record: Resource = self.run[one["of"]][one["logical_id"]]
            return record
        found: Resource = self.stack["resources"][one["logical_id"]]
        return found

    def _note(self, one: Task, status: str, reason: str = "") -> None:
        events.of_resource(self.context, self.stack, one["logical_id"], self._resource(one), status, reason)

    @property
    def template(self) -> dict[str, Any]:
        if self._template is None:
            self._template = stacks.parsed(self.stack)
        return self._template

    def _properties(self, logical_id: str) -> dict[str, Any]:
        resolver = stacks.resolver(self.context, self.stack, self.template)
        value = resolver.value(self.template["Resources"][logical_id].get("Properties", {}))
        return {} if value is NO_VALUE else dict(value)

    def _work(self, one: Task) -> tuple[ResourceType, Work]:
        resource = self._resource(one)
        kind = base.find(resource["type"])
        return kind, self._work_with(one["logical_id"], kind, resource["properties"] or {}, resource["physical_id"])

    def _work_with(
        self, logical_id: str, kind: ResourceType, properties: dict[str, Any], physical_id: str, tags: list[dict[str, str]] | None = None
    ) -> Work:
        return Work(
            context=self.context,
            stack_name=self.stack["name"],
            stack_id=self.stack["id"],
            logical_id=logical_id,
            type_name=kind.name,
            properties=properties,
            physical_id=physical_id,
            stack_tags=self.stack["tags"] if tags is None else tags,
        )
