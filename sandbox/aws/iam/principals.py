"""What users and roles have in common: inline policies, attached policies, tags, permissions boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.iam import aws_managed, documents
from sandbox.aws.iam.entities import POLICIES, ROLES, USERS, Entities, Record, limit_exceeded, merge_tags, no_such, without_tags
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_ATTACHED_LIMIT = 10
"""Managed policies of a role or user. Source: IAM quotas."""


class Kind:
    """The operations of one kind of principal, registered under its noun (`PutRolePolicy`, `PutUserPolicy` …)."""

    def __init__(self, noun: str, entities: Entities, inline_limit: int) -> None:
        self.noun = noun
        self.entities = entities
        self.key = entities.key
        self.inline_limit = inline_limit
        for name, handler in (
            (f"Put{noun}Policy", self.put_policy),
            (f"Get{noun}Policy", self.get_policy),
            (f"Delete{noun}Policy", self.delete_policy),
            (f"List{noun}Policies", self.list_policies),
            (f"Attach{noun}Policy", self.attach),
            (f"Detach{noun}Policy", self.detach),
            (f"ListAttached{noun}Policies", self.list_attached),
            (f"Tag{noun}", self.tag),
            (f"Untag{noun}", self.untag),
            (f"List{noun}Tags", self.list_tags),
            (f"Put{noun}PermissionsBoundary", self.put_boundary),
            (f"Delete{noun}PermissionsBoundary", self.delete_boundary),
        ):
            operation("iam", name)(handler)

    def _get(self, context: Context, params: dict[str, Any]) -> Record:
        record = self.entities.get(context, params[self.key])
        if record.get("linked") and context.source != "service":
            changing = not context.operation.startswith(("Get", "List"))
            if changing:
                raise AWSError(
                    "UnmodifiableEntity",
                    f"Cannot perform the operation on the protected role '{record['RoleName']}' - this role is only modifiable by AWS",
                )
        return record

    def put_policy(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        documents.check_identity(params["PolicyDocument"])
        policies = {**record["policies"], params["PolicyName"]: params["PolicyDocument"]}
        if sum(documents.size(text) for text in policies.values()) > self.inline_limit:
            raise limit_exceeded(f"Maximum policy size of {self.inline_limit} bytes exceeded for {self.noun.lower()} {record[self.key]}")
        record["policies"] = policies
        self.entities.put(context, record)

    def get_policy(self, context: Context, params: dict[str, Any]) -> dict[str, Any]:
        record = self._get(context, params)
        name = params["PolicyName"]
        if name not in record["policies"]:
            raise no_such(f"The {self.noun.lower()} policy with name {name} cannot be found.")
        return {self.key: record[self.key], "PolicyName": name, "PolicyDocument": documents.encoded(record["policies"][name])}

    def delete_policy(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        if record["policies"].pop(params["PolicyName"], None) is None:
            raise no_such(f"The {self.noun.lower()} policy with name {params['PolicyName']} cannot be found.")
        self.entities.put(context, record)

    def list_policies(self, context: Context, params: dict[str, Any]) -> dict[str, Any]:
        return {"PolicyNames": sorted(self._get(context, params)["policies"]), "IsTruncated": False}

    def attach(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        arn = params["PolicyArn"]
        if arn not in aws_managed.POLICIES:
            POLICIES.get(context, arn)
        if arn in record["attached"]:
            return
        if len(record["attached"]) >= _ATTACHED_LIMIT:
            raise limit_exceeded(f"Cannot exceed quota for PoliciesPer{self.noun}: {_ATTACHED_LIMIT}")
        record["attached"].append(arn)
        self.entities.put(context, record)

    def detach(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        if params["PolicyArn"] not in record["attached"]:
            raise no_such(f"Policy {params['PolicyArn']} was not found.")
        record["attached"].remove(params["PolicyArn"])
        self.entities.put(context, record)

    def list_attached(self, context: Context, params: dict[str, Any]) -> dict[str, Any]:
        prefix = params.get("PathPrefix") or "/"
        attached = []
        for arn in self._get(context, params)["attached"]:
            path, _, name = arn.partition(":policy")[2].rpartition("/")
            if f"{path}/".startswith(prefix):
                attached.append({"PolicyName": name, "PolicyArn": arn})
        return {"AttachedPolicies": attached, "IsTruncated": False}

    def tag(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        record["Tags"] = merge_tags(record["Tags"], params["Tags"])
        self.entities.put(context, record)

    def untag(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        record["Tags"] = without_tags(record["Tags"], params["TagKeys"])
        self.entities.put(context, record)

    def list_tags(self, context: Context, params: dict[str, Any]) -> dict[str, Any]:
        return {"Tags": self._get(context, params)["Tags"], "IsTruncated": False}

    def put_boundary(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        record["PermissionsBoundary"] = boundary(context, params["PermissionsBoundary"])
        self.entities.put(context, record)

    def delete_boundary(self, context: Context, params: dict[str, Any]) -> None:
        record = self._get(context, params)
        if record.pop("PermissionsBoundary", None) is None:
            raise no_such(f"The {self.noun.lower()} {record[self.key]} has no permissions boundary.")
        self.entities.put(context, record)


def boundary(context: Context, arn: str) -> Record:
    """Errors: NoSuchEntity when there is no such policy."""
    if arn not in aws_managed.POLICIES and POLICIES.find(context, arn) is None:
        raise no_such(f"Scope ARN: {arn} does not exist or is not attachable.")
    return {"PermissionsBoundaryType": "Policy", "PermissionsBoundaryArn": arn}


ROLE = Kind("Role", ROLES, documents.INLINE_LIMIT)
USER = Kind("User", USERS, 2048)
