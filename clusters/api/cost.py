"""The run rate through REST."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principals import principal_of
from clusters.prices.rate import rate
from instantstart.api.views import ApiView

UNKNOWN = "null as soon as a part is not known; `known_per_hour` is then the sum of the others."
CLUSTER = OpenApiParameter("cluster", OpenApiTypes.STR, description="Only this cluster.")
OWNER = OpenApiParameter("owner", OpenApiTypes.STR, description="Only clusters that this user made.")


class CostPartSerializer(serializers.Serializer[Any]):
    """A group, or another thing that is billed by the hour."""

    name = serializers.CharField()
    what = serializers.CharField()
    capacity = serializers.CharField()
    per_hour = serializers.FloatField(allow_null=True, help_text="US dollars; null when unknown.")
    note = serializers.CharField(help_text="Where and when the price holds, or why there is none.")


class SumSerializer(serializers.Serializer[Any]):
    per_hour = serializers.FloatField(allow_null=True, help_text=UNKNOWN)
    known_per_hour = serializers.FloatField(source="known")
    unknown = serializers.ListField(child=serializers.CharField(), help_text="What has no known price.")


class ClusterCostSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    region = serializers.CharField()
    account = serializers.CharField(help_text="Digits of its AWS account.")
    owner = serializers.CharField(help_text="Who made it; empty when that is not known.")
    observed_at = serializers.DateTimeField(allow_null=True)
    total = SumSerializer()
    parts = CostPartSerializer(many=True)


class OwnerCostSerializer(serializers.Serializer[Any]):
    owner = serializers.CharField()
    total = SumSerializer()


class CostSerializer(serializers.Serializer[Any]):
    """US dollars an hour, now."""

    total = SumSerializer()
    owners = OwnerCostSerializer(many=True)
    clusters = ClusterCostSerializer(many=True)


class CostView(ApiView):
    query_parameters: ClassVar = {"GET": (CLUSTER, OWNER)}

    @extend_schema(responses=CostSerializer)
    def get(self, request: Request) -> Response:
        """What runs costs an hour, by cluster, group and owner: of what was last seen, by dated prices."""
        found = rate(principal_of(request), cluster=request.query_params.get("cluster", ""), owner=request.query_params.get("owner", ""))
        owners = [{"owner": name, "total": total} for name, total in sorted(found.owners.items())]
        return Response(CostSerializer({"total": found.total, "owners": owners, "clusters": found.clusters}).data)
