"""CreateStack."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING, Any

from sandbox.aws import roles
from sandbox.aws.cloudformation import engine, events, parameters, requests, runs, stacks, template
from sandbox.aws.cloudformation.resources import base
from sandbox.aws.cloudformation.template import error
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation
from sandbox.aws.service_quotas.values import value_of

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")
_QUOTA = 2000
"""Stacks of a region. Source: CloudFormation quotas."""


@operation("cloudformation", "CreateStack")
def create_stack(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Checks everything that can be checked before a resource is made; the rest happens on the agenda."""
    name = params["StackName"]
    if not _NAME.fullmatch(name):
        raise error(
            f"1 validation error detected: Value '{name}' at 'stackName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
    earlier = requests.replay(context, params)
    if earlier is not None:
        return {"StackId": earlier}
    text = requests.body(context, params)
    if text is None:
        raise error("Either Template URL or Template Body must be specified.")
    if stacks.by_name(context, name) is not None:
        raise AWSError("AlreadyExistsException", f"Stack [{name}] already exists")
    if params.get("StackPolicyBody") or params.get("StackPolicyURL") or (params.get("RollbackConfiguration") or {}).get("RollbackTriggers"):
        raise AWSError("NotImplemented", "Stack policies and rollback triggers are not simulated by the sandbox.", 501)
    parsed = template.parse(text)
    template.check(parsed, base.known())
    values = parameters.resolve(parsed, params.get("Parameters") or [])
    requests.check_tags(params.get("Tags") or [])
    requests.check_capabilities(parsed, params.get("Capabilities") or [])
    if params.get("DisableRollback") is not None and params.get("OnFailure"):
        raise error("You cannot specify both DisableRollback and OnFailure.")
    quota = int(value_of(context, "cloudformation", "L-0485CB21") or _QUOTA)
    reached = context.world.faults.scenario("quota_reached", name="Stack count") is not None
    if reached or len(stacks.all_stacks(context)) >= quota:
        raise AWSError("LimitExceededException", f"Limit for stack has been exceeded: {quota}")
    if params.get("RoleARN"):
        roles.check_pass(context, params["RoleARN"])
    stack = _new(context, params, text, values)
    stack["description"] = parsed.get("Description", "")
    run = runs.creation(context, stack)
    if stack["timeout_minutes"]:
        run["deadline"] = context.now + 60.0 * stack["timeout_minutes"]
    events.of_stack(context, stack, "CREATE_IN_PROGRESS", "User Initiated")
    engine.start(context, stack, run)
    requests.remember(context, params, stack["id"])
    return {"StackId": stack["id"]}


def _new(context: Context, params: dict[str, Any], text: str, values: dict[str, str]) -> stacks.Stack:
    on_failure = params.get("OnFailure") or ("DO_NOTHING" if params.get("DisableRollback") else "ROLLBACK")
    return {
        "id": context.arn("cloudformation", f"stack/{params['StackName']}/{uuid.uuid4()}"),
        "name": params["StackName"],
        "status": "CREATE_IN_PROGRESS",
        "reason": "",
        "created": context.timestamp,
        "updated": None,
        "deleted": None,
        "description": "",
        "template": text,
        "parameters": values,
        "tags": params.get("Tags") or [],
        "capabilities": params.get("Capabilities") or [],
        "notification_arns": params.get("NotificationARNs") or [],
        "on_failure": on_failure,
        "disable_rollback": False,
        "termination_protection": bool(params.get("EnableTerminationProtection")),
        "role_arn": params.get("RoleARN") or "",
        "timeout_minutes": params.get("TimeoutInMinutes") or 0,
        "client_token": params.get("ClientRequestToken") or "",
        "outputs": [],
        "resources": {},
        "run": None,
        "before": None,
        "generation": 0,
        "events": 0,
    }
