"""Orphans through REST: listed as last swept; deleted as an action."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from clusters import filters
from clusters.accounts.reach import visible_orphans
from clusters.api.account import with_account
from clusters.api.views import mapping, queried
from clusters.models import Orphan
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiViewSet

CONFIRM = OpenApiParameter("confirm", OpenApiTypes.STR, description="The resource's name once more; also accepted in the body.")


class OrphanSerializer(serializers.ModelSerializer[Orphan]):
    """A resource with our tags that belongs to nothing, or one that we know of and AWS does not list."""

    class Meta:
        model = Orphan
        fields: ClassVar[tuple[str, ...]] = (
            "id",
            "kind",
            "arn",
            "resource_type",
            "name",
            "account",
            "region",
            "cluster",
            "operation",
            "cost_per_hour",
            "first_seen",
            "last_seen",
        )
        read_only_fields = fields


class OrphanDeleteBodySerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(help_text="The resource's name once more.")


class OrphanSweepBodySerializer(serializers.Serializer[Any]):
    region = serializers.CharField(required=False, allow_null=True, help_text="Every region that we know something of when absent.")
    account = serializers.CharField(required=False, help_text="Name or digits; every one that we know of when absent.")


class OrphanViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ActionMixin, ApiViewSet):
    """What belongs to no cluster, by the last sweep."""

    queryset = Orphan.objects.all()
    serializer_class = OrphanSerializer
    filterset_class = filters.OrphanFilterSet
    ordering = ("id",)
    lookup_url_kwarg = "orphan"
    query_parameters: ClassVar = {"observe": ACTION_PARAMETERS, "destroy": (*ACTION_PARAMETERS, CONFIRM)}

    def visible(self, rows: QuerySet[Any], principal: Principal) -> QuerySet[Any]:
        return visible_orphans(rows, principal)

    @describe_action(OrphanSweepBodySerializer)
    @action(detail=False, methods=["post"])
    def observe(self, request: Request) -> Response:
        """Look now, as once an hour. Asked for again within half a minute, nothing is done."""
        return self.run_action(request, "orphan.observe", with_account(request, {}))

    @describe_action(OrphanDeleteBodySerializer)
    def destroy(self, request: Request, orphan: int) -> Response:
        """Delete it, once it was looked at again. `confirm` holds its name once more."""
        return self.run_action(request, "orphan.delete", {**queried(request, "confirm"), **mapping(request), "orphan": orphan})
