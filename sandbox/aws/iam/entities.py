"""How IAM's nouns lie in the store: wire-shaped records of an account, with our own lower-case members, and IAM's two usual errors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context
    from sandbox.store import Store

Record = dict[str, Any]

_PATH = re.compile(r"/|/[\x21-\x7e]+/")


def wire(record: Record, *without: str) -> Record:
    """The members that go over the wire: ours begin with a lower-case letter."""
    return {name: value for name, value in record.items() if name[0].isupper() and name not in without}


def no_such(message: str) -> AWSError:
    return AWSError("NoSuchEntity", message, 404)


def exists_already(message: str) -> AWSError:
    return AWSError("EntityAlreadyExists", message, 409)


def conflict(message: str) -> AWSError:
    return AWSError("DeleteConflict", message, 409)


def limit_exceeded(message: str) -> AWSError:
    return AWSError("LimitExceeded", message, 409)


def path_of(params: dict[str, Any]) -> str:
    path: str = params.get("Path") or "/"
    if not _PATH.fullmatch(path):
        raise AWSError(
            "ValidationError",
            "The specified value for path is invalid. It must begin and end with / and contain only alphanumeric characters.",
        )
    return path


@dataclass(frozen=True)
class Entities:
    """One noun; records that were there before the account's first request (`seeded`) are not in the ledger."""

    kind: str
    key: str
    missing: str
    """IAM's sentence with `{key}`."""

    def find_in(self, store: Store, account: str, key: str) -> Record | None:
        return store.get(self.kind, account, key) or store.get(f"_{self.kind}", account, key)

    def find(self, context: Context, key: str) -> Record | None:
        return self.find_in(context.world.store, context.account, key)

    def get(self, context: Context, key: str) -> Record:
        record = self.find(context, key)
        if record is None:
            raise no_such(self.missing.format(key=key))
        return record

    def all(self, context: Context) -> list[Record]:
        store = context.world.store
        return [*store.list(f"_{self.kind}", context.account), *store.list(self.kind, context.account)]

    def put(self, context: Context, record: Record) -> None:
        kind = f"_{self.kind}" if record.get("seeded") else self.kind
        context.world.store.put(kind, context.account, record[self.key], record)

    def delete(self, context: Context, key: str) -> None:
        store = context.world.store
        if not store.delete(self.kind, context.account, key):
            store.delete(f"_{self.kind}", context.account, key)

    def under(self, context: Context, params: dict[str, Any]) -> list[Record]:
        """Those whose path begins with the request's PathPrefix, by name, as IAM lists them."""
        prefix = params.get("PathPrefix") or "/"
        found = [record for record in self.all(context) if record.get("Path", "/").startswith(prefix)]
        return sorted(found, key=lambda record: str(record[self.key]))


ROLES = Entities("iam.role", "RoleName", "The role with name {key} cannot be found.")
USERS = Entities("iam.user", "UserName", "The user with name {key} cannot be found.")
POLICIES = Entities("iam.policy", "Arn", "Policy {key} does not exist or is not attachable.")
INSTANCE_PROFILES = Entities("iam.instance-profile", "InstanceProfileName", "Instance Profile {key} cannot be found.")
OIDC_PROVIDERS = Entities("iam.oidc-provider", "Arn", "OpenIDConnect Provider not found for arn {key}")


def merge_tags(old: list[dict[str, str]], new: list[dict[str, str]]) -> list[dict[str, str]]:
    merged = {tag["Key"]: tag.get("Value", "") for tag in [*old, *new]}
    if len(merged) > 50:
        raise AWSError("LimitExceeded", "The number of tags has reached the maximum limit.", 409)
    return [{"Key": key, "Value": value} for key, value in merged.items()]


def without_tags(old: list[dict[str, str]], keys: list[str]) -> list[dict[str, str]]:
    return [tag for tag in old if tag["Key"] not in keys]
