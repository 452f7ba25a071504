"""Searching for clusters and importing them through REST: what was found comes from rows, never from a call to AWS."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.principals import principal_of
from clusters.accounts.reach import visible_found
from clusters.actions.importing import DiscoverInput, ImportInput
from clusters.api.account import with_account
from clusters.api.views import mapping, reachable_cluster
from clusters.choices import SearchState
from clusters.imports.pairs import Pair, pairs
from clusters.models import FoundCluster, SearchedRegion
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiView, ApiViewSet


class SearchedRegionSerializer(serializers.ModelSerializer[SearchedRegion]):
    """How far the search is in one region."""

    state = serializers.ChoiceField(SearchState.choices)

    class Meta:
        model = SearchedRegion
        fields = ("region", "account", "state", "message", "clusters", "read", "asked_at", "ended_at")
        read_only_fields = fields


class SearchSerializer(serializers.Serializer[Any]):
    regions = SearchedRegionSerializer(many=True)


class FoundClusterSerializer(serializers.Serializer[Any]):
    """An EKS cluster that was found, with the HyperPod cluster on it."""

    region = serializers.CharField(source="eks.region")
    account = serializers.CharField(source="eks.account")
    eks_name = serializers.CharField(source="eks.name")
    status = serializers.CharField(source="eks.status", help_text="In EKS' words; empty while it is only listed.")
    kubernetes_version = serializers.CharField(source="eks.kubernetes_version")
    vpc_id = serializers.CharField(source="eks.vpc_id")
    owner = serializers.CharField(source="eks.owner", help_text="Value of its tag instantstart:cluster; empty without.")
    hyperpod_name = serializers.CharField(help_text="The HyperPod cluster on it; empty when there is none.")
    hyperpod_status = serializers.CharField(source="hyperpod.status", default="")
    node_count = serializers.IntegerField(allow_null=True, help_text="How many nodes HyperPod is to have; null without HyperPod.")
    imported_as = serializers.CharField(source="here.name", default="", help_text="Its name here; empty while it is not here.")
    doubt = serializers.CharField(help_text="Why it can't be imported as it was read; empty when it can.")
    read_at = serializers.DateTimeField(source="eks.read_at", allow_null=True)


class SearchView(ActionMixin, ApiView):
    """The search for clusters, region by region."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @extend_schema(responses=SearchSerializer)
    def get(self, request: Request) -> Response:
        """How far the search is. A token that is limited to clusters sees none."""
        rows = visible_found(SearchedRegion.objects.all(), principal_of(request))
        return Response({"regions": SearchedRegionSerializer(rows, many=True).data})

    @describe_action(DiscoverInput)
    def post(self, request: Request) -> Response:
        """Search regions of an account, by reads alone; without `regions` all that it has switched on. `account`: name or digits."""
        return self.run_action(request, "import.discover", with_account(request, {}))


class FoundClusterViewSet(mixins.ListModelMixin, ActionMixin, ApiViewSet):
    """What was found."""

    queryset = FoundCluster.objects.all()
    serializer_class = FoundClusterSerializer
    filterset_fields = ("region", "account", "status", "owner")
    ordering = ("region", "name", "id")
    query_parameters = {"create": ACTION_PARAMETERS}

    def visible(self, rows: QuerySet[FoundCluster], principal: Principal) -> QuerySet[FoundCluster]:
        return visible_found(rows, principal)

    def paginate_queryset(self, queryset: QuerySet[FoundCluster]) -> list[Pair] | None:  # type: ignore[override]
        return pairs(super().paginate_queryset(queryset) or ())

    @describe_action(ImportInput)
    def create(self, request: Request) -> Response:
        """Import what is chosen: it is observed from then on, and nothing in AWS changes. Names that are taken need an alias."""
        return self.run_action(request, "cluster.import", mapping(request))


class AdoptView(ActionMixin, ApiView):
    """From observing to changing."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(None)
    def post(self, request: Request, name: str) -> Response:
        """Adopt an imported cluster: our tags are written, and its groups, nodes and features can be changed from here."""
        reachable_cluster(request, name)
        return self.run_action(request, "cluster.adopt", {**mapping(request), "name": name})


class ForgetBodySerializer(serializers.Serializer[Any]):
    keep_tags = serializers.BooleanField(default=False, help_text="Whether our tags stay in AWS, where it can't be read.")


class ForgetView(ActionMixin, ApiView):
    """Off the list."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(ForgetBodySerializer)
    def post(self, request: Request, name: str) -> Response:
        """Forget an imported cluster: the rows here and our tags there go, and nothing else of it."""
        reachable_cluster(request, name)
        return self.run_action(request, "cluster.forget", {**mapping(request), "name": name})
