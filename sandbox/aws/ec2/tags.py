"""Tags of EC2 resources: made with the resource (TagSpecifications), or later by CreateTags.

Limits (EC2 User Guide, "Tag restrictions"): 50 a resource, key 1-128, value 0-256, keys beginning `aws:` are AWS's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import filters
from sandbox.aws.ec2.table import Record, Table, check_dry_run
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_taggable: dict[str, tuple[str, Table]] = {}


def taggable(resource_type: str, table: Table) -> Table:
    """Say that identifiers with this table's prefix can carry tags, under EC2's name of the type (`vpc`, `elastic-ip` …)."""
    _taggable[table.prefix] = (resource_type, table)
    return table


def _table_of(identifier: str) -> tuple[str, Table]:
    found = _taggable.get(identifier.rpartition("-")[0])
    if found is None:
        raise AWSError("InvalidID", f"The ID '{identifier}' is not valid")
    return found


def check(context: Context, tags: list[dict[str, str]]) -> None:
    for tag in tags:
        key, value = tag.get("Key", ""), tag.get("Value") or ""
        if key.lower().startswith("aws:") and context.source == "api":
            raise AWSError("InvalidParameterValue", f"Tag keys starting with 'aws:' are reserved for internal use; got '{key}'")
        if not 1 <= len(key) <= 128:
            raise AWSError("InvalidParameterValue", "Tag key must be 1 to 128 characters long")
        if len(value) > 256:
            raise AWSError("InvalidParameterValue", f"Tag value exceeds the maximum length of 256 characters; key '{key}'")


def merge(old: list[dict[str, str]], new: list[dict[str, str]]) -> list[dict[str, str]]:
    merged = {tag["Key"]: tag.get("Value") or "" for tag in [*old, *new]}
    if sum(not key.startswith("aws:") for key in merged) > 50:
        raise AWSError("TagLimitExceeded", "The maximum number of tags for this resource has been reached: 50")
    return [{"Key": key, "Value": value} for key, value in merged.items()]


def from_specifications(context: Context, params: dict[str, Any], resource_type: str) -> list[dict[str, str]]:
    """The tags that a Create's TagSpecifications give this type. Errors: another type in it."""
    tags: list[dict[str, str]] = []
    for specification in params.get("TagSpecifications") or []:
        if specification.get("ResourceType") != resource_type:
            raise AWSError(
                "InvalidParameterValue",
                f"'{specification.get('ResourceType')}' is not a valid taggable resource type for this operation; use '{resource_type}'.",
            )
        tags += specification.get("Tags") or []
    check(context, tags)
    return merge([], tags)


@operation("ec2", "CreateTags")
def create_tags(context: Context, params: dict[str, Any]) -> None:
    check_dry_run(params)
    check(context, params["Tags"])
    changed: list[tuple[Table, Record]] = []
    for identifier in params["Resources"]:
        _, table = _table_of(identifier)
        record = table.get(context, identifier)
        record["Tags"] = merge(record.get("Tags") or [], params["Tags"])
        changed.append((table, record))
    for table, record in changed:
        table.put(context, record)


@operation("ec2", "DeleteTags")
def delete_tags(context: Context, params: dict[str, Any]) -> None:
    """Without Tags all (but AWS's own) go; a tag with a value goes only if the value is that."""
    check_dry_run(params)
    unwanted = params.get("Tags")

    def goes(tag: dict[str, str]) -> bool:
        if tag["Key"].startswith("aws:"):
            return False
        if not unwanted:
            return True
        return any(tag["Key"] == other.get("Key") and other.get("Value") in (None, tag["Value"]) for other in unwanted)

    for identifier in params["Resources"]:
        _, table = _table_of(identifier)
        record = table.get(context, identifier)
        record["Tags"] = [tag for tag in record.get("Tags") or [] if not goes(tag)]
        table.put(context, record)


@operation("ec2", "DescribeTags")
def describe_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    rows = [
        {"ResourceId": record[table.key], "ResourceType": resource_type, "Key": tag["Key"], "Value": tag["Value"]}
        for resource_type, table in _taggable.values()
        for record in table.all(context)
        for tag in record.get("Tags") or []
    ]
    readers = filters.members(key="Key", value="Value", resource_id="ResourceId", resource_type="ResourceType")
    conditions = []
    for condition in params.get("Filters") or []:
        name = condition["Name"]
        # DescribeTags alone takes tag:<key> for "this key with one of these values".
        if name.startswith("tag:"):
            rows = [row for row in rows if row["Key"] == name[4:] and filters.matches(condition["Values"], row["Value"])]
        else:
            conditions.append(condition)
    return {"Tags": filters.apply(rows, conditions, readers)}
