"""Whether a principal may do something: an explicit deny beats an allow, an allow beats silence.

Source: IAM User Guide, "Policy evaluation logic". Identity policies, permissions boundaries and session policies are evaluated;
organisation policies and resource policies are not part of the sandbox.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandbox.aws.iam import aws_managed, conditions
from sandbox.aws.iam.documents import as_list, parse
from sandbox.aws.iam.entities import POLICIES, ROLES, USERS, Record
from sandbox.identity import Decision, Principal
from sandbox.world import on_world

if TYPE_CHECKING:
    from sandbox.store import Store
    from sandbox.world import World

ALLOWED = "allowed"
EXPLICIT_DENY = "explicitDeny"
IMPLICIT_DENY = "implicitDeny"


@dataclass(frozen=True)
class Policy:
    """One policy that speaks for a principal."""

    id: str
    type: str
    """IAM's word: `IAM Policy` for managed ones, `user` and `role` for inline ones."""
    document: str


@dataclass
class Question:
    action: str
    resource: str = "*"
    values: dict[str, list[str]] = field(default_factory=dict)
    """Context keys in lower case."""
    lenient: bool = False
    """A real call, of which the sandbox may not know the resource or every context key: an Allow is not refused for what it
    does not know, and a Deny that hangs on it does not strike. A simulation is strict, as IAM's is."""


@dataclass
class Verdict:
    decision: str
    matched: list[Policy] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """Context keys that a statement asked for and the question did not give."""


def _holds(statement: Mapping[str, Any], question: Question) -> bool:
    lenient = question.lenient and statement["Effect"] == "Allow"
    return conditions.satisfied(statement.get("Condition", {}), question.values, missing_holds=lenient)


def _speaks_of(statement: Mapping[str, Any], question: Question) -> bool:
    """Whether a statement is about the question's action and resource."""
    action = question.action.lower()
    named = any(conditions.like(pattern.lower(), action) for pattern in as_list(statement.get("Action", statement.get("NotAction"))))
    if named == ("NotAction" in statement):
        return False
    return _resource_matches(statement, question)


def _resource_matches(statement: Mapping[str, Any], question: Question) -> bool:
    negated = "NotResource" in statement
    patterns = as_list(statement.get("Resource", statement.get("NotResource", "*")))
    if question.lenient and question.resource == "*" and patterns != ["*"]:
        return bool(statement["Effect"] == "Allow")
    found = False
    for pattern in patterns:
        filled = conditions.variables(pattern, question.values)
        if filled is not None and conditions.like(filled, question.resource):
            found = True
    return found != negated


def evaluate(policies: Iterable[Policy], question: Question) -> Verdict:
    """The verdict of a set of policies taken together."""
    allowing: list[Policy] = []
    denying: list[Policy] = []
    missing: list[str] = []
    for policy in policies:
        for statement in parse(policy.document):
            if not _speaks_of(statement, question):
                continue
            for key in conditions.keys(statement.get("Condition", {})):
                if key.lower() not in question.values and key not in missing:
                    missing.append(key)
            if _holds(statement, question):
                (denying if statement["Effect"] == "Deny" else allowing).append(policy)
    if denying:
        return Verdict(EXPLICIT_DENY, denying, missing)
    if allowing:
        return Verdict(ALLOWED, allowing, missing)
    return Verdict(IMPLICIT_DENY, [], missing)


def document_of(store: Store, account: str, policy_arn: str) -> str | None:
    """The default version of a managed policy, AWS's own or the account's."""
    if policy_arn in aws_managed.POLICIES:
        return aws_managed.document(policy_arn)
    record = POLICIES.find_in(store, account, policy_arn)
    return None if record is None else str(record["versions"][record["DefaultVersionId"]]["Document"])


def policies_of(store: Store, account: str, entity: Record, kind: str) -> list[Policy]:
    """All policies of a user or role record, inline and attached. `kind`: `user` or `role`."""
    found = [Policy(name, kind, document) for name, document in entity.get("policies", {}).items()]
    for arn in entity.get("attached", []):
        document = document_of(store, account, arn)
        if document is not None:
            found.append(Policy(arn.rpartition("/")[2], "IAM Policy", document))
    return found


def entity_of(store: Store, arn: str) -> tuple[Record, str] | None:
    """The user or role record behind an ARN, and which of the two it is."""
    account, _, rest = arn.removeprefix("arn:aws:iam::").partition(":")
    kind, _, path = rest.partition("/")
    entities = {"user": USERS, "role": ROLES}.get(kind)
    if entities is None:
        return None
    record = entities.find_in(store, account, path.rpartition("/")[2])
    return None if record is None or record["Arn"] != arn else (record, kind)


def known_values(principal_arn: str, account: str, region: str = "") -> dict[str, list[str]]:
    """The global context keys that are known of every call."""
    values = {"aws:principalarn": [principal_arn], "aws:principalaccount": [account], "aws:securetransport": ["true"]}
    if ":user/" in principal_arn:
        values["aws:username"] = [principal_arn.rpartition("/")[2]]
        values["aws:principaltype"] = ["User"]
    else:
        values["aws:principaltype"] = ["AssumedRole"]
    if region:
        values["aws:requestedregion"] = [region]
    return values


def judge(store: Store, principal_arn: str, question: Question, session_policy: str = "", extra: Iterable[Policy] = ()) -> Verdict:
    """The verdict for a user or a role (not its session): identity policies and `extra` ones, then boundary, then session policy."""
    found = entity_of(store, principal_arn)
    if found is None:
        return Verdict(IMPLICIT_DENY)
    record, kind = found
    account = principal_arn.split(":")[4]
    verdict = evaluate([*policies_of(store, account, record, kind), *extra], question)
    limits = []
    boundary = (record.get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn")
    if boundary:
        limits.append(document_of(store, account, boundary))
    if session_policy:
        limits.append(session_policy)
    for document in limits:
        inner = evaluate([Policy("limit", "IAM Policy", document)] if document else [], question)
        if inner.decision == EXPLICIT_DENY or (verdict.decision == ALLOWED and inner.decision != ALLOWED):
            verdict = Verdict(inner.decision, inner.matched, verdict.missing)
    return verdict


def authorize(
    world: World, principal: Principal | str, action: str, resource: str = "*", context_values: Mapping[str, str | list[str]] | None = None
) -> Decision:
    """May the principal (or the user or role of an ARN) do this? For real calls: lenient about what the sandbox does not know."""
    arn = principal if isinstance(principal, str) else principal.identity_arn
    session_policy = "" if isinstance(principal, str) else principal.session_policy
    values = known_values(arn, arn.split(":")[4])
    for key, value in (context_values or {}).items():
        values[key.lower()] = [value] if isinstance(value, str) else list(value)
    verdict = judge(world.store, arn, Question(action, resource, values, lenient=True), session_policy)
    if verdict.decision == ALLOWED:
        return Decision(True)
    if verdict.decision == EXPLICIT_DENY:
        return Decision(False, "with an explicit deny in an identity-based policy")
    return Decision(False, f"because no identity-based policy allows the {action} action")


@on_world
def install(world: World) -> None:
    """Let every call of this world ask IAM."""
    world.identity.authorizer = lambda principal, action, resource: authorize(world, principal, action, resource)
