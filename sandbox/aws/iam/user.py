"""Users and their access keys. Every account has the user `sandbox`, an administrator, from the start."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.iam.entities import USERS, Record, conflict, exists_already, limit_exceeded, merge_tags, no_such, path_of, wire
from sandbox.aws.registry import operation
from sandbox.identity import Principal, stable_id
from sandbox.world import on_new_account

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_KEYS = "_iam.access-key"
_KEYS_LIMIT = 2


@on_new_account
def make_first_user(context: Context) -> None:
    """The user of the sandbox's own access key, with AdministratorAccess. Not in the ledger: nobody made it."""
    name = context.world.settings.user
    arn = context.arn("iam", f"user/{name}")
    _make(
        context,
        name,
        "/",
        attached=["arn:aws:iam::aws:policy/AdministratorAccess"],
        seeded=True,
        UserId=stable_id("AIDA", context.account, name),
    )
    for key in context.world.identity.keys_of(arn):
        _note_key(context, name, key.access_key)


def _make(context: Context, name: str, path: str, **more: Any) -> Record:
    record: Record = {
        "UserName": name,
        "Path": path,
        "UserId": stable_id("AIDA", context.account, name, context.new_id("")),
        "Arn": context.arn("iam", f"user{path}{name}"),
        "CreateDate": context.timestamp,
        "Tags": [],
        "policies": {},
        "attached": [],
        **more,
    }
    USERS.put(context, record)
    return record


def _note_key(context: Context, name: str, access_key: str) -> Record:
    note = {"UserName": name, "AccessKeyId": access_key, "Status": "Active", "CreateDate": context.timestamp}
    context.world.store.put(_KEYS, context.account, access_key, note)
    return note


def _keys(context: Context, name: str) -> list[Record]:
    return [note for note in context.world.store.list(_KEYS, context.account) if note["UserName"] == name]


def _named(context: Context, params: dict[str, Any]) -> Record:
    """The user a request names, or the caller."""
    name = params.get("UserName")
    if not name:
        if context.principal.kind != "user":
            raise AWSError("ValidationError", "Must specify userName when calling with non-User credentials")
        name = context.principal.arn.rpartition("/")[2]
    return USERS.get(context, name)


@operation("iam", "CreateUser")
def create_user(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    name, path = params["UserName"], path_of(params)
    if USERS.find(context, name) is not None:
        raise exists_already(f"User with name {name} already exists.")
    return {"User": wire(_make(context, name, path, Tags=merge_tags([], params.get("Tags") or [])))}


@operation("iam", "GetUser")
def get_user(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"User": wire(_named(context, params))}


@operation("iam", "ListUsers")
def list_users(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Users": [wire(record, "Tags", "PermissionsBoundary") for record in USERS.under(context, params)], "IsTruncated": False}


@operation("iam", "ListGroupsForUser")
def list_groups_for_user(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    _named(context, params)
    return {"Groups": [], "IsTruncated": False}


@operation("iam", "DeleteUser")
def delete_user(context: Context, params: dict[str, Any]) -> None:
    record = USERS.get(context, params["UserName"])
    if _keys(context, record["UserName"]):
        raise conflict("Cannot delete entity, must delete access keys first.")
    if record["attached"]:
        raise conflict("Cannot delete entity, must detach all policies first.")
    if record["policies"]:
        raise conflict("Cannot delete entity, must delete policies first.")
    USERS.delete(context, record["UserName"])


@operation("iam", "CreateAccessKey")
def create_access_key(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = _named(context, params)
    name = record["UserName"]
    if len(_keys(context, name)) >= _KEYS_LIMIT:
        raise limit_exceeded(f"Cannot exceed quota for AccessKeysPerUser: {_KEYS_LIMIT}")
    access_key = "AKIA" + secrets.token_hex(8).upper()
    secret = secrets.token_urlsafe(30)
    principal = Principal(arn=record["Arn"], account=context.account, kind="user", user_id=record["UserId"], access_key=access_key)
    context.world.identity.add_key(principal, access_key, secret)
    note = _note_key(context, name, access_key)
    return {"AccessKey": {**note, "SecretAccessKey": secret}}


@operation("iam", "ListAccessKeys")
def list_access_keys(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"AccessKeyMetadata": _keys(context, _named(context, params)["UserName"]), "IsTruncated": False}


@operation("iam", "DeleteAccessKey")
def delete_access_key(context: Context, params: dict[str, Any]) -> None:
    record = _named(context, params)
    wanted = params["AccessKeyId"]
    if not any(note["AccessKeyId"] == wanted for note in _keys(context, record["UserName"])):
        raise no_such(f"The Access Key with id {wanted} cannot be found.")
    context.world.store.delete(_KEYS, context.account, wanted)
    context.world.identity.remove_key(wanted)


@operation("iam", "ListAccountAliases")
def list_account_aliases(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"AccountAliases": [], "IsTruncated": False}
