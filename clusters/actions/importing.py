"""import.discover and cluster.import: what is there is searched for, and what is chosen of it is observed from then on. Reads only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from django.conf import settings
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from accounts.principal import Principal
from clusters import names, state
from clusters.accounts.known import account_name, described
from clusters.accounts.reach import visible_found
from clusters.actions.quota import RegionInput, connected
from clusters.actions.readable import readable
from clusters.catalog import reading
from clusters.choices import Origin, SearchState
from clusters.imports.pairs import Pair, pairs
from clusters.imports.spec import spec_of
from clusters.models import Cluster, FoundCluster, Phase, SearchedRegion
from clusters.models.found import EVERYWHERE
from clusters.observing.nodes import write_groups
from clusters.phases import PHASES
from clusters.reading.hyperpod import hyperpod_of
from clusters.region import Region
from clusters.spec import Input, Name
from clusters.steps.importing import FirstLooks, RegionsSearched
from instantstart.cloud.regions import offered_regions
from instantstart.problem import FieldError, Problem
from operations import clock, events
from operations.action import Action, Verification, register
from operations.choices import Severity
from operations.models import Operation
from operations.observing import ensure_source, poke
from operations.plan import Change, Check, FieldChange, Plan
from operations.step import Step

SEARCH, OBSERVER = "search", "cluster"
NOT_READ_YET = "Not read yet"
_NAME: TypeAdapter[str] = TypeAdapter(Name)


Digits = Annotated[str, StringConstraints(pattern=r"^(\d{12})?$")]


class DiscoverInput(Input):
    """account: of the installation's own credentials when empty."""

    regions: Annotated[list[str], Field(max_length=60)] = Field(default_factory=list)
    """Empty: every region that the account has switched on."""
    account: Digits = ""


@register
class DiscoverClusters(Action[DiscoverInput]):
    """Lists and describes EKS and HyperPod clusters, region by region; the rows that it finds can be looked at meanwhile."""

    kind = "import.discover"
    title = "Search for clusters"
    Input = DiscoverInput
    typical_seconds = 30

    def subject(self, data: DiscoverInput) -> tuple[str, str]:
        regions = ", ".join(data.regions)[:200] or "all regions"
        return "search", f"{regions} of {data.account}" if data.account else regions

    def cluster(self, data: DiscoverInput) -> str:
        return ""

    def account(self, data: DiscoverInput) -> str:
        return data.account

    def lock(self, data: DiscoverInput) -> str:
        return f"search:{data.account}" if data.account else "search"

    def plan(self, data: DiscoverInput, principal: Principal) -> Plan:
        offered = offered_regions("eks") & offered_regions("sagemaker")
        unknown = [region for region in data.regions if region not in offered]
        if unknown:
            sentence = f"{unknown[0]} is no region with both EKS and HyperPod."
            hint = "Give regions as us-west-2, or none for all that the account has switched on."
            error = FieldError(f"regions.{data.regions.index(unknown[0])}", "unknown_region", sentence, hint)
            raise Problem(422, "unknown_region", "Unknown region", sentence, hint, errors=[error])
        regions = sorted(set(data.regions))
        if not regions or data.account:
            with readable():
                aws = connected(RegionInput(region=settings.DEFAULT_REGION, account=data.account))
                regions = regions or reading.regions(aws).value
        where = f" of the account {described(data.account, account_name(data.account))}" if data.account else ""
        return Plan(
            kind=self.kind,
            summary=f"Search {', '.join(regions) if len(regions) < 4 else f'{len(regions)} regions'}{where} for clusters, by reads alone",
            changes=tuple(Change(resource_type="Search", name=region, action="update") for region in regions),
            typical_seconds=self.typical_seconds,
            basis={"regions": regions, "account": data.account},
        )

    def record(self, data: DiscoverInput, operation: Operation) -> None:
        at = clock.now()
        for region in operation.plan["basis"]["regions"]:
            fresh = {"state": SearchState.WAITING, "asked_at": at, "message": "", "read": 0, "ended_at": None, "account": data.account}
            row, _ = SearchedRegion.objects.update_or_create(asked_account=data.account, region=region, defaults=fresh)
            ensure_source(SEARCH, row.key)
            poke(SEARCH, row.key)
        events.publish(EVERYWHERE, "search", {})

    def steps(self, operation: Operation) -> Iterable[Step]:
        basis = operation.plan["basis"]
        return [RegionsSearched(basis["regions"], basis.get("account", ""))]

    def verify(self, operation: Operation) -> Verification:
        return Verification("/api/v1/imports/", "no region is waiting or reading")


class ChosenCluster(Input):
    """One of what was found. alias: its name here, where EKS' own is taken, or is none that names made from it could have.

    account: digits; needed where clusters of that name were found in the same region of several accounts.
    """

    account: Digits = ""
    region: Region
    eks_name: str
    alias: str = ""

    @property
    def name(self) -> str:
        return self.alias or self.eks_name


class ImportInput(Input):
    clusters: Annotated[list[ChosenCluster], Field(min_length=1, max_length=1000)]


@register
class ImportClusters(Action[ImportInput]):
    """Rows of ours alone; nothing in AWS is touched."""

    kind = "cluster.import"
    title = "Import clusters"
    Input = ImportInput
    typical_seconds = 30
    makes_cluster = True

    def subject(self, data: ImportInput) -> tuple[str, str]:
        first, *more = data.clusters
        return ("import", f"{len(data.clusters)} clusters") if more else ("cluster", first.name[:100])

    def cluster(self, data: ImportInput) -> str:
        return "" if len(data.clusters) > 1 else data.clusters[0].name[:100]

    def lock(self, data: ImportInput) -> str:
        # The rows' names keep two imports apart; different clusters may be imported at once.
        return ""

    def plan(self, data: ImportInput, principal: Principal) -> Plan:
        found = chosen(data, principal)
        rows = [check for index, asked in enumerate(data.clusters) for check in _checks(data, index, asked, found[index])]
        rows += _twice(data, found)
        changes = tuple(_change(asked, pair) for asked, pair in zip(data.clusters, found, strict=True) if pair is not None)
        fresh = sum(change.action == "create" for change in changes)
        return Plan(
            kind=self.kind,
            summary=f"Observe {fresh} {'cluster' if fresh == 1 else 'clusters'} from now on, by reads alone",
            changes=changes,
            checks=tuple(rows),
            typical_seconds=self.typical_seconds,
            basis={
                "names": [change.name for change in changes if change.action != "none"],
                "created": [change.name for change in changes if change.action == "create"],
                "accounts": [pair.eks.account if pair is not None else "" for pair in found],
            },
        )

    def record(self, data: ImportInput, operation: Operation) -> None:
        accounts = operation.plan["basis"].get("accounts", [asked.account for asked in data.clusters])
        where = [asked.model_copy(update={"account": digits}) for asked, digits in zip(data.clusters, accounts, strict=True)]
        created = operation.plan["basis"].get("created", ())
        found = FoundCluster.objects.filter(region__in={one.region for one in where}, name__in={one.eks_name for one in where})
        list(found.select_for_update().order_by("pk"))  # one import of a cluster at a time: the next one sees what this one made
        for asked, pair in zip(data.clusters, chosen(ImportInput(clusters=where)), strict=True):
            if pair is None or pair.doubt:
                continue
            if pair.here is not None and asked.name in created:
                raise _came_meanwhile(asked, pair.here.name)
            if pair.here is not None:
                _rename(pair)
            else:
                _observe(asked.name, pair, operation)

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [FirstLooks(operation.plan["basis"]["names"])]

    def verify(self, operation: Operation) -> Verification:
        wanted = operation.plan["basis"]["names"]
        return Verification(f"/api/v1/clusters/{wanted[0]}/" if len(wanted) == 1 else "/api/v1/clusters/", "observed_at is not null")


def chosen(data: ImportInput, principal: Principal | None = None) -> list[Pair | None]:
    """What was found of each that is asked for, in their order, within the principal's reach. Problem 422 where the account is needed."""
    regions = {asked.region for asked in data.clusters}
    wanted = {asked.eks_name for asked in data.clusters}
    rows = FoundCluster.objects.filter(region__in=regions, name__in=wanted)
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs(rows if principal is None else visible_found(rows, principal)):
        found.setdefault((pair.eks.region, pair.eks.name), []).append(pair)
    return [_one(index, asked, found.get((asked.region, asked.eks_name), [])) for index, asked in enumerate(data.clusters)]


def _one(index: int, asked: ChosenCluster, found: list[Pair]) -> Pair | None:
    fitting = [pair for pair in found if asked.account in ("", pair.eks.account)]
    if len(fitting) > 1:
        accounts = ", ".join(sorted(pair.eks.account for pair in fitting))
        sentence = f"{asked.eks_name} was found in {asked.region} of several accounts: {accounts}."
        error = FieldError(f"clusters.{index}.account", "account_needed", sentence, "Say of which account.")
        raise Problem(422, "account_needed", "Account needed", sentence, error.hint, errors=[error])
    return fitting[0] if fitting else None


def name_trouble(name: str) -> str:
    """Why this can't be a name here; "" when it can."""
    try:
        _NAME.validate_python(name)
    except ValidationError:
        return f"{name} can't be a name here: it has 3 to 40 small letters, digits and single hyphens, and begins with a letter"
    return ""


def _checks(data: ImportInput, index: int, asked: ChosenCluster, pair: Pair | None) -> Iterator[Check]:
    where = f"clusters.{index}"
    what = f"{asked.eks_name} in {asked.region}"
    if pair is None:
        yield _error(
            "not_found", f"No search has found {what}.", "Search the region, then choose from what was found.", f"{where}.eks_name"
        )
        return
    if pair.here is not None:
        if asked.alias and asked.alias != pair.here.name:
            detail = f"{what} is here already, under the name {pair.here.name}."
            yield _error("here_already", detail, "Leave its alias away. To rename it, forget it and import it anew.", f"{where}.alias")
        return
    if pair.doubt:
        yield _error("not_readable", f"{what}: {pair.doubt}.", "Put that right, then search the region again.", f"{where}.eks_name")
        return
    trouble = _alias_trouble(data, index, asked)
    if trouble is not None:
        code, reason = trouble
        yield _error(code, f"{reason}.", f"Give {what} an alias, for example {_suggested(data, asked)}.", f"{where}.alias")


def _alias_trouble(data: ImportInput, index: int, asked: ChosenCluster) -> tuple[str, str] | None:
    if reason := name_trouble(asked.name):
        return "name_not_possible", reason
    twins = [one for other, one in enumerate(data.clusters) if other != index and one.name == asked.name]
    if twins:
        where = f"{twins[0].region} of {twins[0].account}" if twins[0].account else twins[0].region
        return "name_twice", f"{asked.name} is the name of {twins[0].eks_name} in {where} as well"
    taken = Cluster.objects.filter(name=asked.name).first()
    if taken is not None:
        return "name_taken", f"There is a cluster {asked.name} here already, in {taken.region}"
    return None


def _suggested(data: ImportInput, asked: ChosenCluster) -> str:
    """A name that is possible and free."""
    plain = "-".join(part for part in "".join(one if one.isalnum() else "-" for one in asked.eks_name.lower()).split("-") if part)
    plain = plain if plain[:1].isalpha() else f"eks-{plain}"
    tail = f"-{asked.region}"
    taken = {*Cluster.objects.values_list("name", flat=True), *(one.name for one in data.clusters if one is not asked)}
    for number in ("", *(f"-{one}" for one in range(2, 100))):
        name = f"{plain[: 40 - len(tail) - len(number)].rstrip('-')}{tail}{number}"
        if name not in taken:
            break
    return name


def _twice(data: ImportInput, found: list[Pair | None]) -> Iterator[Check]:
    """A cluster that is asked for again under another name: both would plan changes of one and the same, each under a lock of its own."""
    first: dict[tuple[str, str, str], str] = {}
    for index, (asked, pair) in enumerate(zip(data.clusters, found, strict=True)):
        if pair is None:
            continue
        key = (pair.eks.account, pair.eks.region, pair.eks.name)
        if (name := first.setdefault(key, asked.name)) != asked.name:
            detail = f"{asked.eks_name} in {asked.region} is in this request already, under the name {name}."
            yield _error("cluster_twice", detail, "Leave one of the two away.", f"clusters.{index}.eks_name")


def _came_meanwhile(asked: ChosenCluster, name: str) -> Problem:
    sentence = f"{asked.eks_name} in {asked.region} came here meanwhile, under the name {name}."
    return Problem(409, "here_already", "Here already", sentence, "Look at it; to rename it, forget it and import it anew.")


def _error(code: str, detail: str, fix: str, field: str) -> Check:
    return Check(code=code, severity=Severity.ERROR, title="Import", detail=detail, fix=fix, field=field)


def _change(asked: ChosenCluster, pair: Pair) -> Change:
    if pair.here is not None:
        fields = (FieldChange(field="hyperpod_name", before=pair.here.hyperpod or None, after=pair.hyperpod_name or None),)
        return Change(
            resource_type="Cluster",
            name=pair.here.name,
            action="update" if pair.changed and not pair.doubt else "none",
            fields=fields if pair.changed and not pair.doubt else (),
        )
    shown = {"region": pair.eks.region, "account": pair.eks.account, "eks_name": pair.eks.name, "hyperpod_name": pair.hyperpod_name or None}
    return Change(
        resource_type="Cluster",
        name=asked.name,
        action="create",
        fields=tuple(FieldChange(field=field, after=value) for field, value in shown.items()),
    )


def _rename(pair: Pair) -> None:
    """The HyperPod cluster on it is another one, or none, by now."""
    row = state.locked(pair.here.name) if pair.here is not None else None
    if row is None or not pair.changed:
        return
    before = state.shown(row)
    row.hyperpod_name, row.spec = pair.hyperpod_name, spec_of(row.name, pair).model_dump(mode="json")
    row.phases.filter(name="hyperpod").update(made=False)
    state.settle(row, before)
    poke(OBSERVER, row.name)


def _observe(name: str, pair: Pair, operation: Operation) -> None:
    """The row, with what the search read, and its observer."""
    eks = pair.eks
    row, fresh = Cluster.objects.get_or_create(
        name=name,
        defaults={
            "origin": Origin.IMPORTED,
            "eks_name": eks.name,
            "hyperpod_name": pair.hyperpod_name,
            "region": eks.region,
            "account": eks.account,
            "account_name": account_name(eks.account),
            "spec": spec_of(name, pair).model_dump(mode="json"),
            "kubernetes_version": eks.kubernetes_version,
            "eks_arn": eks.arn,
            "hyperpod_arn": pair.hyperpod.arn if pair.hyperpod is not None else "",
            "created_by": operation.actor.get_username() if operation.actor else "",
        },
    )
    if not fresh:
        raise Problem(409, "name_taken", "Name taken", f"A cluster {name} came here meanwhile.", "Plan the import again.")
    phases = [Phase(cluster=row, name=phase.name, position=phase.name.position, message=NOT_READ_YET) for phase in PHASES]
    Phase.objects.bulk_create(phases)
    if pair.hyperpod is not None and pair.hyperpod.read_at is not None:
        write_groups(row, hyperpod_of(pair.hyperpod.body), pair.hyperpod.read_at)
    ensure_source(OBSERVER, name, cluster=name, scope=names.scope(eks.account, eks.region))
    state.settle(row)
