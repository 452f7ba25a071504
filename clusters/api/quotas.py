"""Service quotas through REST: as they were observed, what a group would take of them, and asking for more."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.principals import principal_of
from clusters.accounts.reach import visible_quotas
from clusters.api.account import with_account
from clusters.api.views import mapping
from clusters.filters import QuotaFilterSet
from clusters.models.quota import Quota
from clusters.quotas.fit import fits
from clusters.spec import Capacity
from instantstart.api.actions import ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiView, ApiViewSet
from instantstart.problem import FieldError, Problem


class QuotaSerializer(serializers.ModelSerializer[Quota]):
    """One quota of one region."""

    left = serializers.FloatField(allow_null=True, help_text="null where it is not known how much is in use.")
    near = serializers.BooleanField(help_text="Whether most of it is in use.")
    pending = serializers.BooleanField(help_text="Whether AWS has not decided yet about a request for more.")

    class Meta:
        model = Quota
        fields = (
            "id",
            "account",
            "region",
            "service",
            "name",
            "code",
            "instance_type",
            "limit",
            "used",
            "left",
            "near",
            "adjustable",
            "requested",
            "request_status",
            "requested_at",
            "pending",
            "observed_at",
        )
        read_only_fields = fields


class RegionBodySerializer(serializers.Serializer[Any]):
    region = serializers.CharField(required=False, help_text="The control plane's own when absent.")
    account = serializers.CharField(required=False, help_text="Name or digits; that of the installation's own credentials when absent.")


class IncreaseBodySerializer(serializers.Serializer[Any]):
    value = serializers.FloatField(help_text="The limit to ask for.")


class QuotaViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ActionMixin, ApiViewSet):
    """The quotas that clusters meet, as they were last looked at: hourly, and when somebody asks."""

    queryset = Quota.objects.all()
    serializer_class = QuotaSerializer
    filterset_class = QuotaFilterSet
    lookup_value_converter = "int"
    ordering = ("region", "service", "name", "id")

    def visible(self, rows: QuerySet[Quota], principal: Principal) -> QuerySet[Quota]:
        return visible_quotas(rows, principal)

    @describe_action(RegionBodySerializer)
    @action(detail=False, methods=["post"])
    def observe(self, request: Request) -> Response:
        """Look at the quotas of a region now."""
        return self.run_action(request, "quota.observe", with_account(request, {"region": settings.DEFAULT_REGION}))

    @describe_action(IncreaseBodySerializer)
    @action(detail=True, methods=["post"])
    def increase(self, request: Request, pk: int) -> Response:
        """Ask AWS for more. An open request that asks for as much is told of, and not sent again."""
        row: Quota = self.get_object()
        asked = {"account": row.account, "region": row.region, "service": row.service, "quota": row.name}
        return self.run_action(request, "quota.request_increase", mapping(request, **asked))


class FitSerializer(serializers.Serializer[Any]):
    """What a group would take of one quota."""

    name = serializers.CharField()
    limit = serializers.FloatField(source="quota.limit", default=None, allow_null=True)
    used = serializers.FloatField(source="quota.used", default=None, allow_null=True)
    more = serializers.IntegerField(help_text="What the group would take.")
    fits = serializers.BooleanField(allow_null=True, help_text="null where it is not known.")
    observed_at = serializers.DateTimeField(source="quota.observed_at", default=None, allow_null=True)


class FitListSerializer(serializers.Serializer[Any]):
    results = FitSerializer(many=True)


REGION = OpenApiParameter("region", OpenApiTypes.STR, description="AWS region; the control plane's own when absent.")
TYPE = OpenApiParameter("instance_type", OpenApiTypes.STR, required=True, description='Such as "ml.p5.48xlarge".')
ACCOUNT = OpenApiParameter("account", OpenApiTypes.STR, description="AWS account; needed where quotas of several were looked at.")
COUNT = OpenApiParameter("count", OpenApiTypes.INT, description="How many; 1 when absent.")
CAPACITY = OpenApiParameter(
    "capacity", OpenApiTypes.STR, enum=[one.value for one in Capacity], description="How it is bought; on-demand when absent."
)


class QuotaFitView(ApiView):
    query_parameters: ClassVar = {"GET": (REGION, ACCOUNT, TYPE, COUNT, CAPACITY)}

    @extend_schema(responses=FitListSerializer)
    def get(self, request: Request) -> Response:
        """What a group of a new cluster would take of the quotas, and whether it fits; of what was last observed."""
        given = request.query_params
        count, capacity = given.get("count", "1"), given.get("capacity", Capacity.ON_DEMAND.value)
        errors = []
        if not given.get("instance_type"):
            errors.append(FieldError("instance_type", "required", "Which instance type?", 'Send instance_type, such as "ml.p5.48xlarge".'))
        if not (count.isdecimal() and len(count) < 7):
            errors.append(FieldError("count", "not_a_number", "count is no number of instances.", "Send a whole number."))
        if capacity not in [one.value for one in Capacity]:
            known = ", ".join(one.value for one in Capacity)
            errors.append(FieldError("capacity", "unknown_choice", f"There is no capacity {capacity}.", f"Send one of {known}."))
        if errors:
            raise Problem(400, "invalid_parameter", "Invalid parameter", errors[0].detail, errors[0].hint, errors=errors)
        rows = self._rows(request)
        found = fits(rows, given["instance_type"], int(count), Capacity(capacity))
        return Response({"results": FitSerializer(found, many=True).data})

    def _rows(self, request: Request) -> QuerySet[Quota]:
        """The quotas of one account and region that the caller may see. Problem 400 where it is not told of which account."""
        rows = Quota.objects.filter(region=request.query_params.get("region") or settings.DEFAULT_REGION)
        rows = visible_quotas(rows, principal_of(request))
        if account := request.query_params.get("account"):
            return rows.filter(account=account)
        accounts = list(rows.order_by("account").values_list("account", flat=True).distinct()[:2])
        if len(accounts) > 1:
            error = FieldError("account", "required", "Quotas of several accounts are known here.", "Send account.")
            raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
        return rows
