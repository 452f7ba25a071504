"""account.add, account.test, account.remove: further AWS accounts, each through a role that trusts this installation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from django.conf import settings
from django.db.models import Q
from pydantic import StringConstraints, model_validator

from accounts.choices import Role as PersonRole
from accounts.principal import Principal
from clusters.accounts.known import DEFAULT
from clusters.accounts.probe import Probed, probe
from clusters.accounts.trust import external_id
from clusters.actions.readable import readable
from clusters.models import AwsAccount, Cluster
from clusters.sentences import listing
from clusters.spec import Input
from clusters.steps.base import failed, ready
from instantstart import cloud
from instantstart.cloud.roles import Role
from instantstart.problem import Problem
from operations import clock
from operations.action import Action, Verification, register
from operations.choices import OperationState, Risk, Severity
from operations.models import Operation
from operations.plan import Change, Check, FieldChange, Plan
from operations.step import Fault, Observation, Step, StepContext

RESOURCE = "AWS account"
RESERVED = frozenset({DEFAULT, "new", "trust"})
AccountName = Annotated[str, StringConstraints(pattern=r"^[a-z](-?[a-z0-9])+$", min_length=2, max_length=40)]


class AccountInput(Input):
    name: AccountName


class AddInput(AccountInput):
    """account_id: twelve digits. role_arn: of the role there that trusts this installation."""

    account_id: Annotated[str, StringConstraints(pattern=r"^\d{12}$")]
    role_arn: Annotated[str, StringConstraints(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:role/[A-Za-z0-9_+=,.@/-]+$", max_length=2048)]

    @model_validator(mode="after")
    def _the_role_is_in_the_account(self) -> AddInput:
        if self.role_arn.split(":")[4] != self.account_id:
            raise ValueError(f"the role {self.role_arn} is not in the account {self.account_id}: give a role of that account")
        if self.name in RESERVED:
            raise ValueError(f"the name {self.name} is reserved: choose another")
        return self


def known_account(name: str) -> AwsAccount:
    """Its row. Problem 404 when there is none."""
    row = AwsAccount.objects.filter(name=name).first()
    if row is None:
        raise Problem(404, "account_not_found", "Account not found", f"There is no AWS account {name}.", "List the accounts.")
    return row


class AccountAction(Action[Any]):
    """What the verbs share: they are about no cluster, so a token limited to clusters or accounts has no part in them."""

    def subject(self, data: AccountInput) -> tuple[str, str]:
        return "account", data.name

    def cluster(self, data: AccountInput) -> str:
        return ""


@register
class AddAccount(AccountAction):
    """Tested before it is kept: a role that can't be taken on is refused. Nothing changes in AWS."""

    kind = "account.add"
    title = "Add an AWS account"
    permission = PersonRole.ADMIN
    Input = AddInput
    typical_seconds = 2
    cancellable = False

    def lock(self, data: AddInput) -> str:
        return "accounts"  # names and digits are both unique

    def plan(self, data: AddInput, principal: Principal) -> Plan:
        row = AwsAccount.objects.filter(name=data.name, account_id=data.account_id, role_arn=data.role_arn).first()
        if row is not None:
            return self._plan(data, Change(resource_type=RESOURCE, name=data.name, action="none"), (), {})
        taken = tuple(_taken(data))
        external = external_id(data.account_id)
        found = Probed(None, None, ()) if taken else probe(Role(data.role_arn, external))
        fields = {"account_id": data.account_id, "role_arn": data.role_arn, "external_id": external}
        change = Change(
            resource_type=RESOURCE,
            name=data.name,
            action="create",
            fields=tuple(FieldChange(field=name, after=value) for name, value in fields.items()),
        )
        identity = found.identity.arn if found.identity else ""
        return self._plan(data, change, (*taken, *found.checks), {"external_id": external, "identity": identity, "missing": found.missing})

    def _plan(self, data: AddInput, change: Change, checks: tuple[Check, ...], basis: dict[str, Any]) -> Plan:
        return Plan(
            kind=self.kind,
            summary=f"Add the AWS account {data.name} ({data.account_id})",
            changes=(change,),
            checks=checks,
            typical_seconds=self.typical_seconds,
            basis=basis,
        )

    def record(self, data: AddInput, operation: Operation) -> None:
        if AwsAccount.objects.filter(Q(name=data.name) | Q(account_id=data.account_id)).exists():
            raise Problem(
                409, "account_known", "Account known", f"{data.name} or {data.account_id} was added meanwhile.", "List the accounts."
            )
        at, basis = clock.now(), operation.plan["basis"]
        AwsAccount.objects.create(
            name=data.name,
            account_id=data.account_id,
            role_arn=data.role_arn,
            external_id=basis["external_id"],
            identity=basis["identity"],
            missing=basis["missing"],
            added_by=operation.actor,
            added_at=at,
            tested_at=at,
        )

    def steps(self, operation: Operation) -> Iterable[Step]:
        return ()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/accounts/{operation.input['name']}/", 'unreadable is ""')


def _taken(data: AddInput) -> Iterable[Check]:
    for row in AwsAccount.objects.filter(Q(name=data.name) | Q(account_id=data.account_id)):
        field = "name" if row.name == data.name else "account_id"
        yield Check(
            code="account_known",
            severity=Severity.ERROR,
            title=RESOURCE,
            detail=f"The account {row} was added already, with the role {row.role_arn}.",
            fix=f"Use {row.name}, or remove it first." if field == "account_id" else "Choose another name.",
            field=field,
        )
    with readable():
        own = cloud.connect(settings.DEFAULT_REGION).identity()
    if own.account == data.account_id:
        yield Check(
            code="own_account",
            severity=Severity.ERROR,
            title=RESOURCE,
            detail=f"{data.account_id} is the account of the installation's own credentials ({own.arn}).",
            fix="Clusters are made there when no account is named; nothing needs to be added.",
            field="account_id",
        )


class TakeOnRole(Step):
    """A look, no change."""

    name = "take-on-role"
    title = "Take on the account's role"
    typical_seconds = 2

    def __init__(self, role: Role | None) -> None:
        self.role = role

    def observe(self, context: StepContext) -> Observation:
        if self.role is None:
            return failed(Fault("account_not_found", "The account was removed meanwhile."))
        found = probe(self.role)
        if found.error is not None:
            return failed(Fault(found.error.code, found.error.detail, found.error.fix))
        assert found.identity is not None  # noqa: S101 (no error: the role was taken on)
        said = next((check.detail for check in found.checks if check.severity is Severity.WARNING), f"{found.identity.arn} answers")
        return ready(said, identity=found.identity.arn, missing=found.missing)


@register
class TestAccount(AccountAction):
    """Takes on the role now, and keeps what came of it."""

    __test__ = False
    kind = "account.test"
    title = "Test an AWS account"
    Input = AccountInput
    typical_seconds = 2

    def plan(self, data: AccountInput, principal: Principal) -> Plan:
        row = known_account(data.name)
        change = Change(resource_type="Test", name=str(row), action="create")
        return Plan(kind=self.kind, summary=f"Test the AWS account {row}", changes=(change,), typical_seconds=self.typical_seconds)

    def steps(self, operation: Operation) -> Iterable[Step]:
        row = AwsAccount.objects.filter(name=operation.input["name"]).first()
        return (TakeOnRole(Role(row.role_arn, row.external_id) if row else None),)

    def finished(self, operation: Operation) -> None:
        row = AwsAccount.objects.select_for_update().filter(name=operation.input["name"]).first()
        if row is None or operation.state not in (OperationState.SUCCEEDED, OperationState.FAILED):
            return
        row.tested_at = clock.now()
        if operation.state == OperationState.SUCCEEDED:
            seen = operation.facts[TakeOnRole.name]
            row.identity, row.missing, row.unreadable, row.unreadable_since = seen["identity"], seen["missing"], "", None
        else:
            row.unreadable = f"{operation.error_message} {operation.error_hint}".strip()[:1000]
            row.unreadable_since = row.unreadable_since or row.tested_at
        row.save()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/accounts/{operation.input['name']}/", 'unreadable is ""')


@register
class RemoveAccount(AccountAction):
    """Forgets the account; nothing changes in AWS. Refused while a cluster is in it."""

    kind = "account.remove"
    title = "Remove an AWS account"
    permission = PersonRole.ADMIN
    risk = Risk.DISRUPTIVE
    Input = AccountInput
    typical_seconds = 1
    cancellable = False

    def lock(self, data: AccountInput) -> str:
        return "accounts"

    def plan(self, data: AccountInput, principal: Principal) -> Plan:
        row = known_account(data.name)
        return Plan(
            kind=self.kind,
            summary=f"Remove the AWS account {row}; its role and all that is in it stay",
            changes=(Change(resource_type=RESOURCE, name=row.name, action="delete"),),
            checks=tuple(_in_use(row)),
            typical_seconds=self.typical_seconds,
        )

    def record(self, data: AccountInput, operation: Operation) -> None:
        row = AwsAccount.objects.select_for_update().filter(name=data.name).first()
        if row is None:
            return
        for check in _in_use(row):
            raise Problem(409, check.code, "Account in use", check.detail, check.fix)
        row.delete()

    def steps(self, operation: Operation) -> Iterable[Step]:
        return ()

    def verify(self, operation: Operation) -> Verification:
        return Verification(f"/api/v1/accounts/{operation.input['name']}/", "the answer is 404")


def _in_use(row: AwsAccount) -> Iterable[Check]:
    users = list(Cluster.objects.filter(account=row.account_id).order_by("name").values_list("name", flat=True))
    if users:
        yield Check(
            code="account_in_use",
            severity=Severity.ERROR,
            title=RESOURCE,
            detail=f"Clusters are in the account {row}: {listing(users)}.",
            fix="Delete them first: without the role they could neither be read nor changed.",
            field="name",
        )
