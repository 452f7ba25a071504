"""SimulatePrincipalPolicy, SimulateCustomPolicy and the context keys they ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws import permissions
from sandbox.aws.errors import AWSError
from sandbox.aws.iam import conditions, documents, evaluate
from sandbox.aws.iam.entities import no_such
from sandbox.aws.iam.evaluate import Policy, Question, Verdict
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


def _values(params: dict[str, Any]) -> dict[str, list[str]]:
    entries = params.get("ContextEntries") or []
    return {entry["ContextKeyName"].lower(): [str(value) for value in entry.get("ContextKeyValues") or []] for entry in entries}


def _result(action: str, resource: str, verdict: Verdict) -> dict[str, Any]:
    return {
        "EvalActionName": action,
        "EvalResourceName": resource,
        "EvalDecision": verdict.decision,
        "MatchedStatements": [
            {
                "SourcePolicyId": policy.id,
                "SourcePolicyType": policy.type,
                "StartPosition": {"Line": 1, "Column": 1},
                "EndPosition": {"Line": 1, "Column": len(policy.document)},
            }
            for policy in verdict.matched
        ],
        "MissingContextValues": verdict.missing,
        "OrganizationsDecisionDetail": {"AllowedByOrganizations": True},
    }


def _denied_by_fault(context: Context, action: str) -> bool:
    """Whether an `access_denied` fault of the sandbox waits for this action: what a call would meet, a simulation foretells."""
    for fault in context.world.faults.list():
        if fault.get("kind") != "access_denied" or (fault["count"] is not None and fault["struck"] >= fault["count"]):
            continue
        service, name = fault["service"], fault["operation"]
        wanted = permissions.action(service, name) if name else f"{permissions.action(service, '*')}" if service else "*"
        if conditions.like(wanted.lower(), action.lower()):
            return True
    return False


def _check_actions(params: dict[str, Any]) -> None:
    for action in params["ActionNames"]:
        if ":" not in action:
            raise AWSError("InvalidInput", f"Invalid Action Name: {action}; it must be of the form service:Action")


@operation("iam", "SimulatePrincipalPolicy")
def simulate_principal_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """One result for each action and resource, strict: a resource or context key that is not given matches nothing special."""
    source = params["PolicySourceArn"]
    if ":assumed-role/" in source or ":iam::" not in source:
        raise AWSError("InvalidInput", f"Invalid Entity Arn: {source} does not clearly define entity type and name.")
    store = context.world.store
    found = evaluate.entity_of(store, source)
    if found is None or source.split(":")[4] != context.account:
        raise no_such(f"The entity {source} cannot be found.")
    _check_actions(params)
    values = {**evaluate.known_values(source, context.account, context.region), **_values(params)}
    extra = [Policy(f"PolicyInputList.{index}", "none", text) for index, text in enumerate(params.get("PolicyInputList") or [], 1)]
    results = []
    for action in params["ActionNames"]:
        for resource in params.get("ResourceArns") or ["*"]:
            verdict = evaluate.judge(store, source, Question(action, resource, values), extra=extra)
            if _denied_by_fault(context, action):
                verdict = Verdict(evaluate.EXPLICIT_DENY, [Policy("fault", "IAM Policy", "{}")], verdict.missing)
            results.append(_result(action, resource, verdict))
    return {"EvaluationResults": results, "IsTruncated": False}


@operation("iam", "SimulateCustomPolicy")
def simulate_custom_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    _check_actions(params)
    policies = []
    for index, text in enumerate(params["PolicyInputList"], 1):
        documents.check_identity(text)
        policies.append(Policy(f"PolicyInputList.{index}", "none", text))
    values = _values(params)
    results = [
        _result(action, resource, evaluate.evaluate(policies, Question(action, resource, values)))
        for action in params["ActionNames"]
        for resource in params.get("ResourceArns") or ["*"]
    ]
    return {"EvaluationResults": results, "IsTruncated": False}


def _keys_of(texts: list[str]) -> dict[str, Any]:
    names: list[str] = []
    for text in texts:
        for statement in documents.parse(text):
            names += [key for key in conditions.keys(statement.get("Condition", {})) if key not in names]
    return {"ContextKeyNames": names}


@operation("iam", "GetContextKeysForCustomPolicy")
def get_context_keys_for_custom_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return _keys_of(params["PolicyInputList"])


@operation("iam", "GetContextKeysForPrincipalPolicy")
def get_context_keys_for_principal_policy(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    found = evaluate.entity_of(context.world.store, params["PolicySourceArn"])
    if found is None:
        raise no_such(f"The entity {params['PolicySourceArn']} cannot be found.")
    policies = evaluate.policies_of(context.world.store, context.account, *found)
    return _keys_of([policy.document for policy in policies] + (params.get("PolicyInputList") or []))
