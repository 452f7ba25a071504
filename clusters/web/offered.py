"""What the wizard can offer in a region: read from AWS, kept for some minutes by the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from django.conf import settings

from accounts.principal import Principal
from clusters.accounts.reach import asked_account, visible_accounts
from clusters.catalog import reading
from clusters.catalog.kept import Kept
from clusters.catalog.reading import TrainingPlan
from clusters.models import AwsAccount
from instantstart import cloud
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import advice, sentence
from instantstart.problem import Problem

T = TypeVar("T")
USABLE_PLANS = ("Active", "Scheduled", "Pending")


@dataclass(frozen=True)
class Offered:
    """regions, zones (names), versions, plans. trouble: why it is incomplete, "" when it is not.
    accounts: those that were added, digits by name. own: whether that of the installation's own credentials is offered, too."""

    regions: list[str]
    zones: list[str]
    versions: list[str]
    plans: list[TrainingPlan]
    trouble: str = ""
    accounts: Mapping[str, str] = field(default_factory=dict)
    own: bool = True


def offered(region: str, principal: Principal, account: str = "") -> Offered:
    """Reads one thing after the other; what is denied leaves the others. account: the name of one that was added, which the principal may
    know of; who is limited to accounts gets the choices of the first of them when none is named."""
    rows = dict(visible_accounts(AwsAccount.objects.all(), principal).values_list("name", "account_id"))
    own, digits = True, rows.get(account, "")
    trouble = ""
    reachable = True
    if not digits:
        try:
            asked_account("", principal)
        except Problem as problem:
            own, digits = False, next(iter(rows.values()), "")
            if not digits:
                return Offered([settings.DEFAULT_REGION], [], [], [], str(problem), rows, own)

    def read(load: Callable[[Aws], Kept[list[T]]], otherwise: list[T]) -> list[T]:
        nonlocal trouble, reachable
        if not reachable:
            return otherwise
        try:
            return load(cloud.connect(region, digits)).value
        except CloudError as error:
            trouble = trouble or f"{sentence(error)} {advice(error)}"
            reachable = error.denied
            return otherwise

    regions = read(reading.regions, [settings.DEFAULT_REGION])
    zones = read(reading.zones, [])
    versions = read(reading.kubernetes_versions, [])
    plans = read(reading.training_plans, [])
    usable = [plan for plan in plans if plan.status in USABLE_PLANS]
    known = regions if region in regions else sorted({region, *regions})
    return Offered(known, [zone.name for zone in zones], [version.version for version in versions], usable, trouble, rows, own)
