"""EKS node groups through REST: shown as observed; created, scaled and deleted as actions."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import mixins
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import filters
from clusters.api.views import ClusterPartViewSet, mapping, queried, reachable_cluster
from clusters.models import NodeGroup
from clusters.node_groups.api.serializers import (
    NodeGroupCreateBodySerializer,
    NodeGroupDeleteBodySerializer,
    NodeGroupPatchBodySerializer,
    NodeGroupSerializer,
)
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action

CONFIRM = OpenApiParameter("confirm", OpenApiTypes.STR, description="The node group's name once more; also accepted in the body.")
DISRUPT = OpenApiParameter("disrupt", OpenApiTypes.BOOL, description="Go on although something runs on its nodes; also in the body.")


class NodeGroupViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """The EKS node groups of a cluster, of whatever hand."""

    queryset = NodeGroup.objects.all()
    serializer_class = NodeGroupSerializer
    filterset_class = filters.NodeGroupFilterSet
    ordering = ("name",)
    lookup_field = "name"
    lookup_url_kwarg = "node_group"
    query_parameters = {
        "create": ACTION_PARAMETERS,
        "partial_update": ACTION_PARAMETERS,
        "destroy": (*ACTION_PARAMETERS, CONFIRM, DISRUPT),
    }

    @describe_action(NodeGroupCreateBodySerializer)
    def create(self, request: Request, name: str) -> Response:
        """Create an EKS node group."""
        reachable_cluster(request, name)
        return self.run_action(request, "node_group.create", mapping(request, name=name))

    @describe_action(NodeGroupPatchBodySerializer)
    def partial_update(self, request: Request, name: str, node_group: str) -> Response:
        """Scale a node group: its minimum, desired and maximum."""
        reachable_cluster(request, name)
        return self.run_action(request, "node_group.scale", mapping(request, name=name, node_group=node_group))

    @describe_action(NodeGroupDeleteBodySerializer)
    def destroy(self, request: Request, name: str, node_group: str) -> Response:
        """Delete a node group and its nodes. `confirm` holds its name once more."""
        reachable_cluster(request, name)
        given = queried(request, "confirm", "disrupt")
        return self.run_action(request, "node_group.delete", {**given, **mapping(request, name=name, node_group=node_group)})
