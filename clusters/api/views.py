"""Clusters and their parts through REST. What is read comes from observed rows; what changes is an action."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from accounts.principal import Principal
from accounts.principals import principal_of
from accounts.reach import within
from clusters import filters
from clusters.actions.phase import RetryPhase
from clusters.api import listing, serializers
from clusters.models import Cluster, ClusterDocument, ClusterEvent, Dependency, Phase, Resource
from clusters.spec import ClusterInput
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.fields import keep_fields
from instantstart.api.views import ApiView, ApiViewSet
from instantstart.problem import FieldError, Problem

CONFIRM = OpenApiParameter("confirm", OpenApiTypes.STR, description="The cluster's name once more; also accepted in the body.")
EMPTY_BUCKET = OpenApiParameter("empty_bucket", OpenApiTypes.BOOL, description="Delete people's files in its bucket; also in the body.")


def reachable(principal: Principal) -> QuerySet[Cluster]:
    """The clusters that the caller may know of."""
    return within(Cluster.objects.all(), principal, "name")


def reachable_cluster(request: Request, name: str) -> Cluster:
    """404 for one that is not there and for one that the caller may not know of, alike."""
    return get_object_or_404(reachable(principal_of(request)), name=name)


def mapping(request: Request, **path: Any) -> dict[str, Any]:
    """The body's members; none for an empty body. path: members that the address gives, which the body may repeat.

    Problem 422 `contradicts_address` when it gives another value: what the address says would quietly win.
    """
    body = dict(request.data)
    errors = [
        FieldError(
            name,
            "contradicts_address",
            f"The address says {value}, the body something else.",
            "Leave it out of the body: it can't be changed.",
        )
        for name, value in path.items()
        if name in body and body[name] != value
    ]
    if errors:
        named = ", ".join(error.field for error in errors)
        raise Problem(
            422, "contradicts_address", "Contradicts the address", f"{errors[0].detail} Fields: {named}.", errors[0].hint, errors=errors
        )
    return {**body, **path}


def queried(request: Request, *names: str) -> dict[str, Any]:
    """Those of these members that the query has, which a DELETE may send in place of a body."""
    return {name: request.query_params[name] for name in names if name in request.query_params}


class ClusterViewSet(mixins.RetrieveModelMixin, ActionMixin, ApiViewSet):
    """Clusters, by name."""

    queryset = Cluster.objects.all()
    serializer_class = serializers.ClusterDetailSerializer
    filterset_class = filters.ClusterFilterSet
    renderer_classes = (listing.ListingRenderer,)
    lookup_field = "name"
    lookup_value_converter = "slug"
    ordering = ("name",)
    query_parameters = {"create": ACTION_PARAMETERS, "destroy": (*ACTION_PARAMETERS, CONFIRM, EMPTY_BUCKET)}

    def visible(self, rows: QuerySet[Cluster], principal: Principal) -> QuerySet[Cluster]:
        rows = within(rows, principal, "name")
        return rows if self.action == "list" else rows.prefetch_related("phases", "groups")

    def get_serializer_class(self) -> Any:
        return serializers.ClusterSerializer if self.action == "list" else serializers.ClusterDetailSerializer

    @extend_schema(responses=serializers.ClusterSerializer(many=True))
    def list(self, request: Request) -> Response:
        """All clusters that the caller may know of, with their phases' states and their groups."""
        found = self.filter_queryset(self.get_queryset()).values(*listing.COLUMNS)
        bodies = listing.texts(self.paginate_queryset(found) or ())
        if "fields" in request.query_params:
            wanted = serializers.ClusterSerializer()
            keep_fields(wanted, request)
            kept: list[str] = [str(name) for name in wanted.fields]
            return self.get_paginated_response(listing.only(bodies, kept))
        paginator: Any = self.paginator
        return Response(listing.page(bodies, paginator.get_next_link(), paginator.get_previous_link()))

    @describe_action(ClusterInput)
    def create(self, request: Request) -> Response:
        """Create a cluster; under the name of a half-made one, go on with that."""
        return self.run_action(request, "cluster.create", mapping(request))

    @describe_action(serializers.DeleteBodySerializer)
    def destroy(self, request: Request, name: str) -> Response:
        """Delete a cluster and everything made for it. `confirm` holds its name once more."""
        reachable_cluster(request, name)
        given = queried(request, "confirm", "empty_bucket")
        return self.run_action(request, "cluster.delete", {**given, **mapping(request, name=name)})


class ClusterPartViewSet(mixins.ListModelMixin, ApiViewSet):
    """Rows of one cluster."""

    def visible(self, rows: QuerySet[Any], principal: Principal) -> QuerySet[Any]:
        cluster = get_object_or_404(reachable(principal).only("pk"), name=self.kwargs["name"])
        return rows.filter(cluster=cluster)


class PhaseViewSet(ClusterPartViewSet):
    """The phases of a cluster, in order."""

    queryset = Phase.objects.all()
    serializer_class = serializers.PhaseSerializer
    filterset_class = filters.PhaseFilterSet
    ordering = ("position",)


class ClusterEventViewSet(ClusterPartViewSet):
    """HyperPod's events, newest first."""

    queryset = ClusterEvent.objects.all()
    serializer_class = serializers.ClusterEventSerializer
    filterset_class = filters.ClusterEventFilterSet
    ordering = ("-at", "-id")


class DependencyViewSet(ClusterPartViewSet):
    """What the cluster needs inside, as observed."""

    queryset = Dependency.objects.all()
    serializer_class = serializers.DependencySerializer
    filterset_class = filters.DependencyFilterSet
    ordering = ("position",)


class ResourceViewSet(ClusterPartViewSet):
    """What was made for the cluster, as AWS and Kubernetes list it."""

    queryset = Resource.objects.all()
    serializer_class = serializers.ResourceSerializer
    filterset_class = filters.ResourceFilterSet
    ordering = ("id",)


class ClusterRawView(ApiView):
    """The JSON documents as AWS gave them."""

    @extend_schema(responses=serializers.DocumentSerializer(many=True))
    def get(self, request: Request, name: str) -> Response:
        """The EKS cluster, the HyperPod cluster and the stack, word for word."""
        documents = ClusterDocument.objects.filter(cluster=reachable_cluster(request, name))
        return Response(serializers.DocumentSerializer(documents, many=True).data)


class PhaseRetryView(ActionMixin, ApiView):
    """One phase again, and those after it."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(None)
    def post(self, request: Request, name: str, phase: str) -> Response:
        """Retry a phase; the pipeline goes on after it."""
        reachable_cluster(request, name)
        return self.run_action(request, RetryPhase.kind, mapping(request, name=name, phase=phase))


class ClusterPreferView(ActionMixin, ApiView):
    """The caller's preferred cluster: the token's own, or the user's."""

    required_role = {"POST": Role.VIEWER}
    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(None)
    def post(self, request: Request, name: str) -> Response:
        """Prefer this cluster where a call names none."""
        reachable_cluster(request, name)
        return self.run_action(request, "cluster.prefer", mapping(request, name=name))


class ClusterProtectionView(ActionMixin, ApiView):
    """Whether the cluster can be deleted at all."""

    query_parameters = {"PUT": ACTION_PARAMETERS}

    @extend_schema(responses=serializers.ProtectionSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Whether it is protected."""
        return Response({"enabled": reachable_cluster(request, name).deletion_protection})

    @describe_action(serializers.ProtectionSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Protect it, or stop protecting it."""
        reachable_cluster(request, name)
        return self.run_action(request, "cluster.protect", mapping(request, name=name))
