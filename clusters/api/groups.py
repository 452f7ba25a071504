"""Instance groups through REST: listed and shown as observed; added, scaled, changed and deleted as actions."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import filters
from clusters.api.serializers import ClusterEventSerializer, InstanceGroupSerializer
from clusters.api.views import ClusterPartViewSet, mapping, queried, reachable_cluster
from clusters.models import ClusterEvent, InstanceGroup
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action

REASONS_SHOWN = 5
SCALING = frozenset({"count", "disrupt"})
CONFIRM = OpenApiParameter("confirm", OpenApiTypes.STR, description="The group's name once more; also accepted in the body.")
DISRUPT = OpenApiParameter("disrupt", OpenApiTypes.BOOL, description="Go on although something runs on its nodes; also in the body.")


class InstanceGroupDetailSerializer(InstanceGroupSerializer):
    """One group, with its settings; while nodes are missing, the events that say why."""

    reasons = serializers.SerializerMethodField(help_text="The newest events of trouble, while nodes are missing.")

    class Meta(InstanceGroupSerializer.Meta):
        fields: ClassVar[tuple[str, ...]] = (*InstanceGroupSerializer.Meta.fields, "facts", "reasons")
        read_only_fields = fields

    @extend_schema_field(ClusterEventSerializer(many=True))
    def get_reasons(self, group: InstanceGroup) -> list[dict[str, Any]]:
        return list(ClusterEventSerializer(reasons(group), many=True).data)


def reasons(group: InstanceGroup) -> list[ClusterEvent]:
    """Why nodes of the group are missing, newest first; [] while none is."""
    if not group.missing:
        return []
    found = ClusterEvent.objects.filter(cluster_id=group.cluster_id, group_name=group.name, level="Error").order_by("-at", "-id")
    return list(found[:REASONS_SHOWN])


class GroupAddBodySerializer(serializers.Serializer[Any]):
    groups = serializers.ListField(
        child=serializers.JSONField(), help_text="One or several groups; the schema of each is that of `group` at /clusters/."
    )


class GroupPatchBodySerializer(serializers.Serializer[Any]):
    """`count` scales the group (alone, or with `disrupt`); other fields change its settings."""

    count = serializers.IntegerField(required=False, min_value=0)
    disrupt = serializers.BooleanField(required=False, help_text="Let nodes go although something runs on them.")
    instance_type = serializers.CharField(required=False, help_text="Fixed at creation: refused, with what to do instead.")
    capacity = serializers.CharField(required=False, help_text="Fixed at creation.")
    training_plan_arn = serializers.CharField(required=False, help_text="Fixed at creation.")
    subnet = serializers.CharField(required=False, help_text="Fixed at creation.")
    volume_gb = serializers.IntegerField(required=False)
    threads_per_core = serializers.IntegerField(required=False)
    deep_health_checks = serializers.ListField(child=serializers.CharField(), required=False)
    minimum = serializers.IntegerField(required=False)
    lifecycle = serializers.CharField(required=False, help_text="S3 folder of the lifecycle script.")
    on_create = serializers.CharField(required=False)
    labels = serializers.DictField(child=serializers.CharField(), required=False)
    taints = serializers.ListField(child=serializers.JSONField(), required=False)


class GroupReplaceBodySerializer(GroupPatchBodySerializer):
    """What is to be different of the group that takes the place of this one. `count`: as many nodes unless given."""

    instance_type = serializers.CharField(required=False)
    capacity = serializers.CharField(required=False)
    training_plan_arn = serializers.CharField(required=False)
    availability_zone = serializers.CharField(required=False)
    subnet = serializers.CharField(required=False, help_text="shared, dedicated, or subnet-….")
    new_name = serializers.CharField(required=False, help_text='Left out: the group\'s own with "-2" behind it.')
    confirm = serializers.CharField(help_text="The name of the group that goes, once more.")


class GroupDeleteBodySerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(help_text="The group's name once more.")
    disrupt = serializers.BooleanField(default=False, help_text="Go on although something runs on its nodes.")


def _of_group(request: Request, name: str, group: str) -> dict[str, Any]:
    """The body with the cluster and the group that the address gives. `name` in a body about a group is the group's."""
    given = mapping(request, group=group)
    if "name" in given:
        mapping(request, name=group)
    return {**given, "name": name}


class InstanceGroupViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """The instance groups as HyperPod describes them."""

    queryset = InstanceGroup.objects.all()
    filterset_class = filters.InstanceGroupFilterSet
    ordering = ("name",)
    lookup_field = "name"
    lookup_url_kwarg = "group"
    query_parameters = {
        "create": ACTION_PARAMETERS,
        "partial_update": ACTION_PARAMETERS,
        "destroy": (*ACTION_PARAMETERS, CONFIRM, DISRUPT),
        "replace": ACTION_PARAMETERS,
    }

    def get_serializer_class(self) -> Any:
        return InstanceGroupSerializer if self.action == "list" else InstanceGroupDetailSerializer

    @describe_action(GroupAddBodySerializer)
    def create(self, request: Request, name: str) -> Response:
        """Add one or several groups in one request."""
        reachable_cluster(request, name)
        return self.run_action(request, "group.add", mapping(request, name=name))

    @describe_action(GroupPatchBodySerializer)
    def partial_update(self, request: Request, name: str, group: str) -> Response:
        """Scale a group, or change its settings."""
        reachable_cluster(request, name)
        body = _of_group(request, name, group)
        kind = "group.scale" if set(body) - {"name", "group"} <= SCALING else "group.update"
        return self.run_action(request, kind, body)

    @describe_action(GroupReplaceBodySerializer)
    def replace(self, request: Request, name: str, group: str) -> Response:
        """Add a group like this one with changes that can't be made to it, then drain and delete this one."""
        reachable_cluster(request, name)
        return self.run_action(request, "group.replace", _of_group(request, name, group))

    @describe_action(GroupDeleteBodySerializer)
    def destroy(self, request: Request, name: str, group: str) -> Response:
        """Delete a group and its nodes. `confirm` holds its name once more."""
        reachable_cluster(request, name)
        given = queried(request, "confirm", "disrupt")
        return self.run_action(request, "group.delete", {**given, **_of_group(request, name, group)})
