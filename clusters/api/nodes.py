"""Nodes through REST: listed and shown as observed; rebooted, replaced, cordoned, drained and deleted as actions, one or several."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import filters
from clusters.api.serializers import ClusterEventSerializer, NodeSerializer
from clusters.api.views import ClusterPartViewSet, mapping, queried, reachable_cluster
from clusters.groups import advice
from clusters.models import ClusterEvent, Node
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiView
from instantstart.problem import Problem
from operations.models import Operation
from operations.models.operation import LOCKING_STATES

EVENTS_SHOWN = 30
VERBS: dict[str, tuple[str, dict[str, Any]]] = {
    "reboot": ("node.reboot", {}),
    "replace": ("node.replace", {}),
    "delete": ("node.delete", {}),
    "drain": ("node.drain", {}),
    "cordon": ("node.cordon", {"enabled": True}),
    "uncordon": ("node.cordon", {"enabled": False}),
}
"""Verb in the path → action, and what it means of its input."""
VERB = OpenApiParameter("verb", OpenApiTypes.STR, OpenApiParameter.PATH, enum=list(VERBS))
DISRUPT = OpenApiParameter("disrupt", OpenApiTypes.BOOL, description="Go on although something runs on it; also in the body.")


class NextStepSerializer(serializers.Serializer[Any]):
    action = serializers.ChoiceField(["analyse", "reboot", "replace"])
    reason = serializers.CharField()


class NodeDetailSerializer(NodeSerializer):
    """One node with its labels and events, and for one that is not well what to do next, in order."""

    events = serializers.SerializerMethodField()
    last_reboot = serializers.SerializerMethodField(help_text="As far as the events kept here go back.")
    last_replacement = serializers.SerializerMethodField(help_text="As far as the events kept here go back.")
    next_steps = serializers.SerializerMethodField()

    class Meta(NodeSerializer.Meta):
        fields: ClassVar[tuple[str, ...]] = (
            *NodeSerializer.Meta.fields,
            "labels",
            "boot_id",
            "events",
            "last_reboot",
            "last_replacement",
            "next_steps",
        )
        read_only_fields = fields

    def _events(self, node: Node) -> list[ClusterEvent]:
        """Read once for the fields that show something of them."""
        if not hasattr(self, "_read"):
            self._read = events_of(node)
        return self._read

    @extend_schema_field(ClusterEventSerializer(many=True))
    def get_events(self, node: Node) -> list[dict[str, Any]]:
        return list(ClusterEventSerializer(self._events(node), many=True).data)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_last_reboot(self, node: Node) -> Any:
        return advice.last(self._events(node), replacement=False)

    @extend_schema_field(serializers.DateTimeField(allow_null=True))
    def get_last_replacement(self, node: Node) -> Any:
        return advice.last(self._events(node), replacement=True)

    @extend_schema_field(NextStepSerializer(many=True))
    def get_next_steps(self, node: Node) -> list[dict[str, Any]]:
        return [asdict(step) for step in advice.next_steps(node, self._events(node))]


def events_of(node: Node) -> list[ClusterEvent]:
    """HyperPod's events of the node's present instance, newest first."""
    if not node.instance_id:
        return []
    found = ClusterEvent.objects.filter(cluster_id=node.cluster_id, instance_id=node.instance_id).order_by("-at", "-id")
    return list(found[:EVENTS_SHOWN])


def operations_on_nodes(cluster: str) -> dict[str, dict[str, str]]:
    """Key of a node → the operation on it that has not ended."""
    found: dict[str, dict[str, str]] = {}
    active = Operation.objects.filter(cluster=cluster, state__in=LOCKING_STATES, kind__regex=r"^(node|group)\.").only(
        "id", "kind", "state", "plan"
    )
    for operation in active:
        for key in operation.plan.get("basis", {}).get("nodes", ()):
            found[key] = {"id": str(operation.pk), "kind": operation.kind, "state": operation.state}
    return found


class NodeBodySerializer(serializers.Serializer[Any]):
    disrupt = serializers.BooleanField(required=False, help_text="Go on although something runs on it (not for cordon and uncordon).")


class NodesBodySerializer(NodeBodySerializer):
    nodes = serializers.ListField(child=serializers.CharField(), help_text="Instance ids.")


class NodeViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """The nodes: HyperPod's instances and the Kubernetes nodes they became. A node is known by its instance id."""

    queryset = Node.objects.all()
    filterset_class = filters.NodeFilterSet
    ordering = ("key",)
    lookup_field = "key"
    lookup_url_kwarg = "node"
    query_parameters = {"destroy": (*ACTION_PARAMETERS, DISRUPT)}

    def get_serializer_class(self) -> Any:
        return NodeSerializer if self.action == "list" else NodeDetailSerializer

    def get_serializer_context(self) -> dict[str, Any]:
        context = dict(super().get_serializer_context())
        name = self.kwargs.get("name")
        return {**context, "operations": operations_on_nodes(name)} if name else context

    @describe_action(NodeBodySerializer)
    def destroy(self, request: Request, name: str, node: str) -> Response:
        """Delete a node, and lower its group's count by one."""
        reachable_cluster(request, name)
        return self.run_action(request, "node.delete", {**queried(request, "disrupt"), **mapping(request, name=name, nodes=[node])})


def action_of(verb: str) -> tuple[str, dict[str, Any]]:
    """Problem 404 for a verb that there is not."""
    if verb not in VERBS:
        raise Problem(404, "unknown_verb", "Unknown verb", f"Nodes know no {verb}.", f"There are {', '.join(VERBS)}.")
    return VERBS[verb]


class NodeVerbView(ActionMixin, ApiView):
    """One node rebooted, replaced, deleted, drained, cordoned or uncordoned."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(NodeBodySerializer, parameters=[VERB])
    def post(self, request: Request, name: str, node: str, verb: str) -> Response:
        """Do it to one node."""
        reachable_cluster(request, name)
        kind, meant = action_of(verb)
        return self.run_action(request, kind, mapping(request, **meant, name=name, nodes=[node]))


class NodeBatchView(ActionMixin, ApiView):
    """Several nodes at once; each succeeds or fails by itself, and the operation says which did not."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(NodesBodySerializer, parameters=[VERB])
    def post(self, request: Request, name: str, verb: str) -> Response:
        """Do it to several nodes."""
        reachable_cluster(request, name)
        kind, meant = action_of(verb)
        return self.run_action(request, kind, mapping(request, **meant, name=name))
