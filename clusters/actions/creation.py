"""cluster.create: from an empty account to a ready HyperPod cluster, phase by phase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.conf import settings

from accounts.principal import Principal
from clusters import checks, creation_plan, names, state, template
from clusters.accounts.known import account_id, account_name, described
from clusters.actions.phase import child
from clusters.actions.readable import readable
from clusters.actions.subject import verify_ready
from clusters.choices import Seen
from clusters.models import AwsAccount, Cluster, Phase
from clusters.phases import PHASES
from clusters.resolved import ResolvedSpec
from clusters.spec import ClusterInput
from instantstart import cloud
from instantstart.cloud.identity import Identity
from instantstart.problem import Problem
from operations.action import Action, Verification, register
from operations.choices import Risk
from operations.models import Operation
from operations.observing import ensure_source
from operations.plan import Check, Plan
from operations.step import Step

OBSERVER = "cluster"


@register
class CreateCluster(Action[ClusterInput]):
    """Parent of the five phases. Asked for again under the same name it goes on where the last attempt ended."""

    kind = "cluster.create"
    title = "Create a cluster"
    risk = Risk.COSTS
    Input = ClusterInput
    typical_seconds = sum(phase.typical_seconds for phase in PHASES)
    makes_cluster = True

    def subject(self, data: ClusterInput) -> tuple[str, str]:
        return "cluster", data.name

    def plan(self, data: ClusterInput, principal: Principal) -> Plan:
        row = Cluster.objects.filter(name=data.name).first()
        if row is not None and not principal.may_reach(row.name):
            raise Problem(409, "name_taken", "Name taken", f"The name {data.name} is taken.", "Choose another name.")
        if row is not None and row.imported:
            detail = f"{row.name} is an imported cluster; a new one needs a name of its own."
            raise Problem(409, "name_taken", "Name taken", detail, "Choose another name.")
        region = row.region if row is not None else data.region or settings.DEFAULT_REGION
        account = row.account if row is not None else account_id(data.account)
        with readable():
            identity = cloud.connect(region, account).identity()
        if not principal.may_use(identity.account):
            detail = f"{data.name} would be in the AWS account {identity.account}; {principal.limited} limited to others."
            raise Problem(403, "account_not_allowed", "Account not allowed", detail, f"Name another account. {principal.way_out}")
        if row is not None:
            world = creation_plan.read_world(ResolvedSpec.model_validate(row.spec))
            if world.something or world.unreadable:
                return self._resume(row, data, identity, world)
        checked = checks.run(data, region, account)
        world = creation_plan.read_world(checked.spec) if checked.existing.resumes else creation_plan.NOTHING
        return self._plan(
            checked.spec, identity, world, [*checked.checks, *creation_plan.own_checks(checked.spec, world)], bool(checked.existing.resumes)
        )

    def _resume(self, row: Cluster, data: ClusterInput, identity: Identity, world: creation_plan.World) -> Plan:
        """Something of the cluster exists: it goes on as it was begun."""
        spec = ResolvedSpec.model_validate(row.spec)
        found = [*creation_plan.kept_spec_checks(row, data), *creation_plan.own_checks(spec, world)]
        if identity.account != row.account:
            detail = f"{row.name} belongs to the account {row.account}; the credentials in use are of {identity.account}."
            raise Problem(409, "other_account", "Other account", detail, "Use the credentials of that account.")
        return self._plan(spec, identity, world, found, resumes=True)

    def _plan(self, spec: ResolvedSpec, identity: Identity, world: creation_plan.World, found: Sequence[Check], resumes: bool) -> Plan:
        name = account_name(spec.account)
        return Plan(
            kind=self.kind,
            summary=f"{'Go on with' if resumes else 'Create'} the cluster {spec.name} in {spec.region}"
            + (f" of the account {described(spec.account, name)}" if name else ""),
            changes=tuple(creation_plan.changes(spec, identity, world)),
            checks=tuple(found),
            cost_per_hour_before=None if resumes else 0.0,
            cost_per_hour=creation_plan.price(spec),
            typical_seconds=creation_plan.duration(world),
            irreversible=creation_plan.irreversible(spec, world),
            documents={"template.json": template.control_plane(spec, identity)},
            resumes=spec.name if resumes else None,
            basis={"spec": spec.model_dump(mode="json"), "phases": {name: str(seen.seen) for name, seen in world.phases.items()}},
        )

    def record(self, data: ClusterInput, operation: Operation) -> None:
        spec = operation.plan["basis"]["spec"]
        account = AwsAccount.objects.select_for_update().filter(account_id=spec["account"]).first()
        if account is None and account_id(data.account):
            raise Problem(
                409, "account_removed", "Account removed", f"The AWS account {data.account} was removed meanwhile.", "Plan again."
            )
        row = state.locked(data.name)
        if row is None:
            row = Cluster.objects.create(
                name=data.name,
                eks_name=data.name,
                hyperpod_name=data.name,
                region=spec["region"],
                account=spec["account"],
                account_name=account.name if account else "",
                given=data.model_dump(mode="json"),
                spec=spec,
                deletion_protection=data.deletion_protection,
                kubernetes_version=spec["kubernetes_version"],
                instance_count=sum(group["count"] for group in (spec["group"], *spec.get("groups", []))),
                created_by=operation.actor.get_username() if operation.actor else "",
            )
            Phase.objects.bulk_create([Phase(cluster=row, name=phase.name, position=phase.name.position) for phase in PHASES])
        elif row.spec != spec:
            row.spec, row.given, row.region, row.account = spec, data.model_dump(mode="json"), spec["region"], spec["account"]
            row.save(update_fields=["spec", "given", "region", "account"])
        # What an earlier operation said of a phase no longer explains why it is not there: this one does.
        row.phases.filter(seen__in=("", Seen.ABSENT)).update(operation_id=None, operation_kind="", operation_state="", made=False)
        ensure_source(OBSERVER, row.name, cluster=row.name, scope=names.scope(row.account, row.region))
        state.note_operation(data.name, operation, whole=True)

    def steps(self, operation: Operation) -> Iterable[Step]:
        return [child(phase, operation.input["name"]) for phase in PHASES]

    def finished(self, operation: Operation) -> None:
        state.note_operation(operation.input["name"], operation, whole=True)

    def verify(self, operation: Operation) -> Verification:
        return verify_ready(operation.input["name"])
