"""Bodies of EKS node groups."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from clusters.models import NodeGroup
from clusters.node_groups.spec import NodeCapacity


class EksNodeSerializer(serializers.Serializer[Any]):
    """A node of a node group, as Kubernetes has it."""

    name = serializers.CharField()
    instance_id = serializers.CharField()
    instance_type = serializers.CharField()
    zone = serializers.CharField()
    ready = serializers.BooleanField()
    schedulable = serializers.BooleanField()
    work = serializers.ListField(child=serializers.CharField(), help_text="What of people's runs on it, by name.")


class EksIssueSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    message = serializers.CharField(help_text="In EKS's words.")


class NodeGroupSerializer(serializers.ModelSerializer[NodeGroup]):
    """An EKS node group as EKS describes it, with the nodes that Kubernetes has of it."""

    issues = EksIssueSerializer(many=True)
    instance_types = serializers.ListField(child=serializers.CharField())
    subnets = serializers.ListField(child=serializers.CharField())
    labels = serializers.DictField(child=serializers.CharField())
    ready_count = serializers.IntegerField(allow_null=True, help_text="Ready nodes; null where Kubernetes could not be read.")
    nodes = serializers.SerializerMethodField(help_text="Null where Kubernetes could not be read.")

    class Meta:
        model = NodeGroup
        fields: ClassVar[tuple[str, ...]] = (
            "name",
            "arn",
            "status",
            "capacity",
            "instance_types",
            "minimum",
            "desired",
            "maximum",
            "ready_count",
            "issues",
            "labels",
            "subnets",
            "version",
            "ours",
            "price_per_hour",
            "nodes",
            "observed_at",
        )
        read_only_fields = fields

    @extend_schema_field(EksNodeSerializer(many=True, allow_null=True))
    def get_nodes(self, group: NodeGroup) -> list[dict[str, Any]] | None:
        return group.nodes


class NodeGroupCreateBodySerializer(serializers.Serializer[Any]):
    node_group = serializers.CharField(help_text="Its name.")
    instance_types = serializers.ListField(child=serializers.CharField(), required=False, help_text="EC2's names, as m5.xlarge.")
    minimum = serializers.IntegerField(required=False, min_value=0)
    desired = serializers.IntegerField(required=False, min_value=0)
    maximum = serializers.IntegerField(required=False, min_value=1)
    capacity = serializers.ChoiceField(choices=[one.value for one in NodeCapacity], required=False)
    capacity_reservation = serializers.CharField(required=False, help_text="Id of the Capacity Block, with capacity-block alone.")
    efa = serializers.BooleanField(required=False, help_text="All EFA interfaces of the type.")
    subnets = serializers.ListField(child=serializers.CharField(), required=False, help_text="Default: the cluster's compute subnet.")
    volume_gb = serializers.IntegerField(required=False, min_value=20)
    labels = serializers.DictField(child=serializers.CharField(), required=False)
    taints = serializers.ListField(child=serializers.JSONField(), required=False)


class NodeGroupPatchBodySerializer(serializers.Serializer[Any]):
    """What is left out stays as it is."""

    minimum = serializers.IntegerField(required=False, min_value=0)
    desired = serializers.IntegerField(required=False, min_value=0)
    maximum = serializers.IntegerField(required=False, min_value=1)
    disrupt = serializers.BooleanField(required=False, help_text="Let nodes go although something runs on them.")


class NodeGroupDeleteBodySerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(help_text="The node group's name once more.")
    disrupt = serializers.BooleanField(default=False, help_text="Go on although something runs on its nodes.")
