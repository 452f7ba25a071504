"""The stock admin for ops staff: every row of clusters to look at; changes go through the actions of the operations' admin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from accounts.principals import principal_for
from clusters.models import (
    AwsAccount,
    Cluster,
    ClusterDocument,
    ClusterEvent,
    ClusterFeature,
    ClusterStack,
    Dependency,
    Desired,
    Drift,
    DriftLook,
    FoundCluster,
    FoundHyperPod,
    InstanceGroup,
    KeptReading,
    Node,
    NodeGroup,
    Orphan,
    Phase,
    Price,
    Quota,
    Resource,
    SearchedRegion,
)
from instantstart.problem import Problem
from operations.choices import Channel
from operations.submit import submit

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Phase, Cluster]
else:
    ModelAdmin, TabularInline = admin.ModelAdmin, admin.TabularInline


class ObservedAdmin(ModelAdmin):
    """Rows that only observers write."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def submit_for(self, request: HttpRequest, what: str, kind: str, asked: dict[str, Any]) -> None:
        """One operation for one row, which `what` names; how it went is a message on the next page."""
        try:
            submission = submit(kind, asked, principal_for(request.user), channel=Channel.ADMIN)  # type: ignore[arg-type]
        except Problem as problem:
            self.message_user(request, f"{what}: {problem}", messages.ERROR)
            return
        said = f"operation {submission.operation.pk}" if submission.operation else "nothing to change"
        self.message_user(request, f"{what}: {said}.", messages.SUCCESS)


class PhaseInline(TabularInline):
    model = Phase
    fields = ("name", "state", "seen", "message", "operation_state", "observed_at")
    readonly_fields = fields
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Cluster)
class ClusterAdmin(ObservedAdmin):
    list_display = (
        "name",
        "region",
        "account",
        "account_name",
        "state",
        "node_count",
        "ready_node_count",
        "deletion_protection",
        "observed_at",
    )
    list_filter = ("state", "region", "account", "deletion_protection")
    search_fields = ("name", "eks_arn", "hyperpod_arn")
    inlines = (PhaseInline,)
    actions = ("protect", "unprotect", "resume")

    @admin.action(description="Protect against deletion")
    def protect(self, request: HttpRequest, rows: QuerySet[Cluster]) -> None:
        self._submit(request, rows, "cluster.protect", enabled=True)

    @admin.action(description="Stop protecting against deletion")
    def unprotect(self, request: HttpRequest, rows: QuerySet[Cluster]) -> None:
        self._submit(request, rows, "cluster.protect", enabled=False)

    @admin.action(description="Go on with the creation")
    def resume(self, request: HttpRequest, rows: QuerySet[Cluster]) -> None:
        self._submit(request, rows, "cluster.create")

    def _submit(self, request: HttpRequest, rows: QuerySet[Cluster], kind: str, **values: Any) -> None:
        for row in rows:
            self.submit_for(request, row.name, kind, {"name": row.name, **values})


@admin.register(AwsAccount)
class AwsAccountAdmin(ObservedAdmin):
    list_display = ("name", "account_id", "role_arn", "tested_at", "identity", "unreadable", "unreadable_since", "added_by", "added_at")
    search_fields = ("name", "account_id", "role_arn")
    list_select_related = ("added_by",)
    actions = ("test", "remove")

    @admin.action(description="Test: take on the role now")
    def test(self, request: HttpRequest, rows: QuerySet[AwsAccount]) -> None:
        for row in rows:
            self.submit_for(request, row.name, "account.test", {"name": row.name})

    @admin.action(description="Remove; refused while a cluster is in it")
    def remove(self, request: HttpRequest, rows: QuerySet[AwsAccount]) -> None:
        for row in rows:
            self.submit_for(request, row.name, "account.remove", {"name": row.name})


@admin.register(Phase)
class PhaseAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "state", "seen", "operation_state", "failures", "observed_at")
    list_filter = ("name", "state")
    search_fields = ("cluster__name",)
    list_select_related = ("cluster",)
    actions = ("retry",)

    @admin.action(description="Retry the phase, and go on with what follows")
    def retry(self, request: HttpRequest, rows: QuerySet[Phase]) -> None:
        for row in rows.select_related("cluster"):
            try:
                submit("phase.retry", {"name": row.cluster.name, "phase": row.name}, principal_for(request.user), channel=Channel.ADMIN)  # type: ignore[arg-type]
            except Problem as problem:
                self.message_user(request, f"{row}: {problem}", messages.ERROR)


@admin.register(InstanceGroup)
class InstanceGroupAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "instance_type", "capacity", "status", "current_count", "target_count", "observed_at")
    list_filter = ("status", "capacity")
    list_select_related = ("cluster",)


@admin.register(NodeGroup)
class NodeGroupAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "capacity", "status", "minimum", "desired", "maximum", "ours", "observed_at")
    list_filter = ("status", "capacity", "ours")
    list_select_related = ("cluster",)


@admin.register(Node)
class NodeAdmin(ObservedAdmin):
    list_display = ("cluster", "instance_id", "group_name", "status", "ready", "health", "zone", "observed_at")
    list_filter = ("status", "ready")
    search_fields = ("instance_id", "logical_id", "kubernetes_name")
    list_select_related = ("cluster",)
    actions = ("reboot", "cordon", "uncordon")

    @admin.action(description="Reboot (where nothing runs)")
    def reboot(self, request: HttpRequest, rows: QuerySet[Node]) -> None:
        self._submit(request, rows, "node.reboot")

    @admin.action(description="Let no new pods come")
    def cordon(self, request: HttpRequest, rows: QuerySet[Node]) -> None:
        self._submit(request, rows, "node.cordon", enabled=True)

    @admin.action(description="Let new pods come again")
    def uncordon(self, request: HttpRequest, rows: QuerySet[Node]) -> None:
        self._submit(request, rows, "node.cordon", enabled=False)

    def _submit(self, request: HttpRequest, rows: QuerySet[Node], kind: str, **values: Any) -> None:
        """One operation a node."""
        for row in rows.select_related("cluster"):
            self.submit_for(request, str(row), kind, {"name": row.cluster.name, "nodes": [row.key], **values})


@admin.register(ClusterEvent)
class ClusterEventAdmin(ObservedAdmin):
    list_display = ("cluster", "at", "level", "resource_type", "group_name", "instance_id", "code", "description")
    list_filter = ("level", "resource_type")
    list_select_related = ("cluster",)


@admin.register(Dependency)
class DependencyAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "kind", "state", "status", "version", "observed_at")
    list_filter = ("state", "kind")
    list_select_related = ("cluster",)


@admin.register(ClusterFeature)
class ClusterFeatureAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "state", "seen", "version", "source", "failures", "observed_at")
    list_filter = ("name", "state")
    search_fields = ("cluster__name", "name")
    list_select_related = ("cluster",)
    actions = ("turn_on", "turn_off")

    @admin.action(description="Turn on, or put right")
    def turn_on(self, request: HttpRequest, rows: QuerySet[ClusterFeature]) -> None:
        self._set(request, rows, enabled=True)

    @admin.action(description="Turn off")
    def turn_off(self, request: HttpRequest, rows: QuerySet[ClusterFeature]) -> None:
        self._set(request, rows, enabled=False)

    def _set(self, request: HttpRequest, rows: QuerySet[ClusterFeature], *, enabled: bool) -> None:
        for row in rows.select_related("cluster"):
            asked = {"name": row.cluster.name, "features": {row.name: {"enabled": enabled}}}
            self.submit_for(request, f"{row.cluster.name}, {row.name}", "feature.set", asked)


@admin.register(Resource)
class ResourceAdmin(ObservedAdmin):
    list_display = ("cluster", "phase", "resource_type", "physical_id", "status", "observed_at")
    list_filter = ("phase", "resource_type")
    search_fields = ("physical_id", "name")
    list_select_related = ("cluster",)


@admin.register(KeptReading)
class KeptReadingAdmin(ObservedAdmin):
    list_display = ("cluster", "source", "read_at")
    list_filter = ("source",)
    list_select_related = ("cluster",)


@admin.register(ClusterDocument)
class ClusterDocumentAdmin(ObservedAdmin):
    list_display = ("cluster", "name", "observed_at")
    list_select_related = ("cluster",)


@admin.register(Quota)
class QuotaAdmin(ObservedAdmin):
    list_display = ("account", "region", "service", "name", "used", "limit", "requested", "request_status", "observed_at")
    list_filter = ("account", "region", "service", "request_status")
    search_fields = ("name", "code")
    actions = ("look",)

    @admin.action(description="Look at the region's quotas now")
    def look(self, request: HttpRequest, rows: QuerySet[Quota]) -> None:
        for account, region in sorted({(row.account, row.region) for row in rows}):
            self.submit_for(request, f"{region} of {account}", "quota.observe", {"region": region, "account": account})


@admin.register(Price)
class PriceAdmin(ObservedAdmin):
    list_display = ("region", "instance_type", "per_hour", "effective_at", "read_at")
    list_filter = ("region",)
    search_fields = ("instance_type",)


@admin.register(Drift)
class DriftAdmin(ObservedAdmin):
    list_display = ("cluster", "resource", "field", "state", "by_whom", "event_name", "first_seen", "last_seen")
    list_filter = ("state", "source")
    search_fields = ("cluster__name", "resource", "by_whom")
    list_select_related = ("cluster",)
    actions = ("accept", "ignore", "revert")

    @admin.action(description="Accept: it is meant as it is now")
    def accept(self, request: HttpRequest, rows: QuerySet[Drift]) -> None:
        self._submit(request, rows, "drift.accept")

    @admin.action(description="Ignore until it becomes another")
    def ignore(self, request: HttpRequest, rows: QuerySet[Drift]) -> None:
        self._submit(request, rows, "drift.ignore")

    @admin.action(description="Put back as it was meant")
    def revert(self, request: HttpRequest, rows: QuerySet[Drift]) -> None:
        self._submit(request, rows, "drift.revert")

    def _submit(self, request: HttpRequest, rows: QuerySet[Drift], kind: str) -> None:
        for row in rows.select_related("cluster"):
            self.submit_for(request, str(row), kind, {"name": row.cluster.name, "drift": row.pk})


@admin.register(Desired)
class DesiredAdmin(ObservedAdmin):
    list_display = ("cluster", "resource", "field", "value", "known", "accepted", "at")
    search_fields = ("cluster__name", "resource")
    list_select_related = ("cluster",)


@admin.register(DriftLook)
class DriftLookAdmin(ObservedAdmin):
    list_display = ("cluster", "looked_at", "skipped", "detected_at")
    list_select_related = ("cluster",)


@admin.register(ClusterStack)
class ClusterStackAdmin(ObservedAdmin):
    list_display = ("cluster", "part", "status", "behind", "change_set", "reverts", "proposed_at", "observed_at")
    list_filter = ("status", "reverts")
    search_fields = ("cluster__name", "part")
    list_select_related = ("cluster",)
    actions = ("compare", "put_back", "carry_out", "discard")

    @admin.action(description="Work out what an update would change")
    def compare(self, request: HttpRequest, rows: QuerySet[ClusterStack]) -> None:
        self._submit(request, rows, "stack.compare")

    @admin.action(description="Work out what putting drift back would change")
    def put_back(self, request: HttpRequest, rows: QuerySet[ClusterStack]) -> None:
        self._submit(request, rows, "stack.compare", revert_drift=True)

    @admin.action(description="Carry out the change set that waits")
    def carry_out(self, request: HttpRequest, rows: QuerySet[ClusterStack]) -> None:
        self._submit(request, rows, "stack.update")

    @admin.action(description="Throw the change set away")
    def discard(self, request: HttpRequest, rows: QuerySet[ClusterStack]) -> None:
        self._submit(request, rows, "stack.discard")

    def _submit(self, request: HttpRequest, rows: QuerySet[ClusterStack], kind: str, **given: bool) -> None:
        for row in rows.select_related("cluster"):
            self.submit_for(request, str(row), kind, {"name": row.cluster.name, "stack": row.part, **given})


@admin.register(SearchedRegion)
class SearchedRegionAdmin(ObservedAdmin):
    list_display = ("region", "account", "state", "clusters", "read", "asked_at", "ended_at", "message")
    list_filter = ("state",)


@admin.register(FoundCluster)
class FoundClusterAdmin(ObservedAdmin):
    list_display = ("name", "region", "account", "status", "kubernetes_version", "owner", "read_at", "problem")
    list_filter = ("account", "region", "status")
    search_fields = ("name",)


@admin.register(FoundHyperPod)
class FoundHyperPodAdmin(ObservedAdmin):
    list_display = ("name", "region", "account", "status", "orchestrator", "read_at", "problem")
    list_filter = ("region", "status")
    search_fields = ("name",)


@admin.register(Orphan)
class OrphanAdmin(ObservedAdmin):
    list_display = ("kind", "resource_type", "name", "cluster", "account", "region", "cost_per_hour", "first_seen", "last_seen")
    list_filter = ("kind", "resource_type", "account", "region")
    search_fields = ("name", "arn", "cluster")
