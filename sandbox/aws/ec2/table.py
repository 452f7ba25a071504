"""How a noun of EC2 lies in the store: records in the wire's shape, plus lower-case members that are ours and never leave."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import filters
from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Record = dict[str, Any]

_seeds: list[Callable[[Context], None]] = []


def seed(function: Callable[[Context], None]) -> Callable[[Context], None]:
    """Register what makes the resources that every region has from the start (its default VPC); must be quick when done already."""
    _seeds.append(function)
    return function


def wire(record: Record) -> Record:
    """The members that go over the wire: ours begin with a lower-case letter."""
    return {name: value for name, value in record.items() if name[0].isupper()}


@dataclass(frozen=True)
class Table:
    """One noun: where it is kept, how its identifiers look, and what EC2 answers when one is not there."""

    kind: str
    key: str
    """The member that holds the identifier, e.g. `VpcId`."""
    prefix: str
    """What identifiers begin with, without the hyphen, e.g. `vpc`."""
    missing_code: str
    missing_text: str
    """With `{id}` where the identifier goes."""
    malformed_code: str = ""
    readers: Mapping[str, filters.Reader] = field(default_factory=dict)

    def new_id(self, context: Context) -> str:
        return context.new_id(self.prefix)

    def find(self, context: Context, identifier: str) -> Record | None:
        self._ensure_seeds(context)
        store = context.world.store
        return store.get(self.kind, context.scope, identifier) or store.get(f"_{self.kind}", context.scope, identifier)

    def get(self, context: Context, identifier: str) -> Record:
        """The record. Errors: malformed or missing identifier, in EC2's words."""
        record = self.find(context, identifier)
        if record is None:
            raise self.missing(identifier)
        return record

    def missing(self, identifier: str) -> AWSError:
        if self.malformed_code and not re.fullmatch(rf"{self.prefix}-([0-9a-f]{{8}}|[0-9a-f]{{17}})", identifier):
            return AWSError(self.malformed_code, f'Invalid id: "{identifier}" (expecting "{self.prefix}-...")')
        return AWSError(self.missing_code, self.missing_text.format(id=identifier))

    def all(self, context: Context) -> list[Record]:
        self._ensure_seeds(context)
        store = context.world.store
        return [*store.list(f"_{self.kind}", context.scope), *store.list(self.kind, context.scope)]

    def where(self, context: Context, **members: Any) -> list[Record]:
        return [record for record in self.all(context) if all(record.get(name) == value for name, value in members.items())]

    def put(self, context: Context, record: Record) -> None:
        """Keep it. Records with `seeded` were there before the account's first request, so the ledger does not tell of them."""
        kind = f"_{self.kind}" if record.get("seeded") else self.kind
        context.world.store.put(kind, context.scope, record[self.key], record)

    def delete(self, context: Context, identifier: str) -> None:
        store = context.world.store
        if not store.delete(self.kind, context.scope, identifier):
            store.delete(f"_{self.kind}", context.scope, identifier)

    @staticmethod
    def _ensure_seeds(context: Context) -> None:
        for function in _seeds:
            function(context)

    def select(self, context: Context, identifiers: list[str] | None, conditions: list[dict[str, Any]] | None) -> list[Record]:
        """What a Describe answers with: the named ones (each must be there), or all, after the filters."""
        records: Iterable[Record] = [self.get(context, identifier) for identifier in identifiers] if identifiers else self.all(context)
        return filters.apply(records, conditions, self.readers)


def check_dry_run(params: Mapping[str, Any]) -> None:
    """`DryRun` answers with an error that says that it would have worked."""
    if params.get("DryRun"):
        raise AWSError("DryRunOperation", "Request would have succeeded, but DryRun flag is set.", 412)
