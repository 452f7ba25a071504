"""What the API shows of clusters and their parts."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from clusters.choices import EventLevel, State
from clusters.commands import commands
from clusters.models import Cluster, ClusterEvent, Dependency, InstanceGroup, Node, Phase, Resource
from clusters.phases import entry


class CommandSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    command = serializers.CharField()


class FaultSerializer(serializers.Serializer[Any]):
    """What is wrong, in the words of the service at fault, and the fix."""

    code = serializers.CharField()
    message = serializers.CharField()
    hint = serializers.CharField()


class PhaseStateSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    state = serializers.ChoiceField(State.choices)


class GroupSummarySerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    instance_type = serializers.CharField()
    capacity = serializers.CharField()
    status = serializers.CharField(help_text="In HyperPod's words.")
    current_count = serializers.IntegerField()
    target_count = serializers.IntegerField()


class ClusterSerializer(serializers.ModelSerializer[Cluster]):
    """A cluster in a list. Every state is derived from what AWS and Kubernetes said at `observed_at`."""

    phases = PhaseStateSerializer(many=True)
    groups = GroupSummarySerializer(many=True)
    eks_name = serializers.CharField(source="eks", help_text="What EKS calls it.")
    hyperpod_name = serializers.CharField(source="hyperpod", help_text="What HyperPod calls it; empty where there is no HyperPod cluster.")
    stale = serializers.BooleanField(help_text="Whether the last look is older than twice the interval in force, and than five seconds.")

    class Meta:
        model = Cluster
        fields: ClassVar[tuple[str, ...]] = (
            "name",
            "origin",
            "eks_name",
            "hyperpod_name",
            "adopted_at",
            "region",
            "account",
            "account_name",
            "state",
            "message",
            "kubernetes_version",
            "deletion_protection",
            "instance_count",
            "node_count",
            "ready_node_count",
            "cost_per_hour",
            "eks_arn",
            "hyperpod_arn",
            "operation_id",
            "operation_kind",
            "operation_state",
            "created_by",
            "created_at",
            "changed_at",
            "observed_at",
            "interval",
            "stale",
            "unreadable_since",
            "unreadable",
            "phases",
            "groups",
        )
        read_only_fields = fields
        extra_kwargs: ClassVar[dict[str, dict[str, Any]]] = {
            "adopted_at": {"help_text": "Since when an imported cluster may be changed from here; null while it is only observed."},
            "cost_per_hour": {"help_text": "US dollars for what exists now; null when a price is unknown."},
            "interval": {"help_text": "Seconds between two looks now in force."},
            "unreadable_since": {"help_text": "Since when nothing could be read; null while it can."},
        }


class PhaseSerializer(serializers.ModelSerializer[Phase]):
    """One phase: its state with the age of the reading, its last operation, and what is wrong."""

    title = serializers.SerializerMethodField()
    typical_seconds = serializers.SerializerMethodField()
    faults = FaultSerializer(many=True)
    last_seen = serializers.CharField(source="seen", help_text="The last reading; kept while the state is unknown.")

    class Meta:
        model = Phase
        fields = (
            "name",
            "title",
            "position",
            "state",
            "message",
            "last_seen",
            "faults",
            "facts",
            "operation_id",
            "operation_kind",
            "operation_state",
            "typical_seconds",
            "started_at",
            "ended_at",
            "changed_at",
            "observed_at",
            "unreadable_since",
            "unreadable",
        )
        read_only_fields = fields

    def get_title(self, phase: Phase) -> str:
        return entry(phase.name).title

    def get_typical_seconds(self, phase: Phase) -> int:
        return entry(phase.name).typical_seconds


class InstanceGroupSerializer(serializers.ModelSerializer[InstanceGroup]):
    """An instance group. `missing` nodes were asked for and have not come, or not yet."""

    missing = serializers.IntegerField()

    class Meta:
        model = InstanceGroup
        fields: ClassVar[tuple[str, ...]] = (
            "name",
            "instance_type",
            "capacity",
            "status",
            "current_count",
            "target_count",
            "missing",
            "min_count",
            "price_per_hour",
            "observed_at",
        )
        read_only_fields = fields


class ClusterDetailSerializer(ClusterSerializer):
    """One cluster with its phases, groups, and the commands that show it from outside."""

    phases = PhaseSerializer(many=True)  # type: ignore[assignment]
    groups = InstanceGroupSerializer(many=True)  # type: ignore[assignment]
    commands = serializers.SerializerMethodField()

    class Meta(ClusterSerializer.Meta):
        fields = (*ClusterSerializer.Meta.fields, "endpoint", "spec", "commands")
        read_only_fields = fields

    @extend_schema_field(CommandSerializer(many=True))
    def get_commands(self, cluster: Cluster) -> list[dict[str, str]]:
        return commands(cluster)


class NodeOperationSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    kind = serializers.CharField()
    state = serializers.CharField()


class NodeSerializer(serializers.ModelSerializer[Node]):
    """An instance and the Kubernetes node it became; `ready` is null where Kubernetes does not know it or could not be read."""

    operation = serializers.SerializerMethodField(help_text="The operation on it that has not ended, null when there is none.")

    class Meta:
        model = Node
        fields: ClassVar[tuple[str, ...]] = (
            "key",
            "instance_id",
            "logical_id",
            "group_name",
            "instance_type",
            "status",
            "message",
            "kubernetes_name",
            "private_dns",
            "zone",
            "ready",
            "schedulable",
            "health",
            "launched_at",
            "image_release",
            "gpus",
            "gpus_used",
            "efa",
            "work",
            "operation",
            "observed_at",
        )
        read_only_fields = fields

    @extend_schema_field(NodeOperationSerializer(allow_null=True))
    def get_operation(self, node: Node) -> dict[str, str] | None:
        known: dict[str, dict[str, str]] = self.context.get("operations", {})
        return known.get(node.instance_id or node.key)


class ClusterEventSerializer(serializers.ModelSerializer[ClusterEvent]):
    """An event of HyperPod's, with the cause and the fix where the message is known."""

    level = serializers.ChoiceField(EventLevel.choices)

    class Meta:
        model = ClusterEvent
        fields = ("event_id", "at", "level", "resource_type", "group_name", "instance_id", "description", "code", "hint")
        read_only_fields = fields


class DependencySerializer(serializers.ModelSerializer[Dependency]):
    faults = FaultSerializer(many=True)

    class Meta:
        model = Dependency
        fields = ("name", "kind", "state", "status", "version", "message", "faults", "pods", "ready_pods", "observed_at")
        read_only_fields = fields


class ResourceSerializer(serializers.ModelSerializer[Resource]):
    class Meta:
        model = Resource
        fields = ("phase", "resource_type", "physical_id", "name", "status", "message", "observed_at")
        read_only_fields = fields


class DocumentSerializer(serializers.Serializer[Any]):
    """A document as AWS gave it; body is null when AWS says that there is none."""

    name = serializers.CharField()
    observed_at = serializers.DateTimeField()
    body = serializers.JSONField(allow_null=True)


class DeleteBodySerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(help_text="The cluster's name once more.")
    empty_bucket = serializers.BooleanField(default=False, help_text="Whether people's files in the cluster's bucket are deleted for good.")
    skip_kubernetes = serializers.BooleanField(default=False, help_text="Go on although the Kubernetes API can't be read.")


class ProtectionSerializer(serializers.Serializer[Any]):
    enabled = serializers.BooleanField()
