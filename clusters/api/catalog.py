"""What can be had in a region, read from AWS at most once in five minutes. The one place where a GET waits for AWS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, ClassVar, TypeVar

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principals import principal_of
from clusters.accounts.reach import asked_account
from clusters.api import catalog_bodies as bodies
from clusters.catalog import instance_types, reading, versions
from clusters.catalog.kept import Kept
from clusters.prices import Book, Quote
from clusters.region import asked_region
from instantstart import cloud
from instantstart.api.problem_schema import ProblemSerializer
from instantstart.api.views import ApiView
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import problem
from instantstart.problem import FieldError, Problem

T = TypeVar("T")
REGION = OpenApiParameter("region", OpenApiTypes.STR, description="AWS region; the control plane's own when absent.")
ACCOUNT = OpenApiParameter(
    "account",
    OpenApiTypes.STR,
    description="Name or digits of an added AWS account; that of the installation's own credentials when absent.",
)
NAME = OpenApiParameter("name", OpenApiTypes.STR, description="Only those whose name contains this, in any case.")
SERVICE = OpenApiParameter(
    "service", OpenApiTypes.STR, enum=["sagemaker", "vpc", "ec2", "eks"], description="Service; sagemaker when absent."
)
OFFERED = OpenApiParameter("zone", OpenApiTypes.STR, description="Only types that EC2 offers in this zone.")
_REFUSALS = {
    502: OpenApiResponse(ProblemSerializer, description="AWS answered with an error."),
    503: OpenApiResponse(ProblemSerializer, description="AWS could not be reached, or the credentials do not work."),
}


def _answers(body: Any) -> dict[int, Any]:
    return {200: body, **_REFUSALS}


def region_of(request: Request) -> str:
    """The region that the call names, or the control plane's own. Problem 400 for what is no region."""
    return asked_region(request.query_params.get("region") or settings.DEFAULT_REGION)


def account_of(request: Request) -> str:
    """The digits of the account that the call names, "" for the installation's own. Problem as `asked_account`."""
    return asked_account(request.query_params.get("account", ""), principal_of(request))


class CatalogView(ApiView):
    """Base: which region, and what AWS's errors become."""

    query_parameters: ClassVar[dict[str, Sequence[OpenApiParameter]]] = {"GET": (REGION, ACCOUNT)}

    def read(self, request: Request, load: Callable[[Aws], Kept[T]]) -> tuple[str, Kept[T]]:
        """Region and what was read. Problem 400 for what is no region, 502 or 503 for AWS's errors."""
        region = region_of(request)
        try:
            return region, load(cloud.connect(region, account_of(request)))
        except CloudError as error:
            raise problem(error) from error

    def contains(self, request: Request, name: str) -> bool:
        return request.query_params.get("name", "").lower() in name.lower()

    @staticmethod
    def answer(body: type[bodies.Read[Any]], region: str, kept: Kept[Any], results: list[Any]) -> Response:
        made = body(region=region, read_at=bodies.at(kept.read_at), age_seconds=round(kept.age, 1), results=results)
        return Response(made.model_dump(mode="json"))


def _priced(found: instance_types.InstanceType, price: Quote | None) -> dict[str, Any]:
    """The type's facts with the newest price that is known, and where and since when it holds."""
    region, date = (price.region, price.date) if price is not None else (instance_types.PRICE_REGION, instance_types.PRICE_DATE)
    priced = {"price_per_hour": price.per_hour if price is not None else None, "price_region": region, "price_date": date}
    return {**asdict(found), "family": found.family, **priced}


class RegionsView(CatalogView):
    query_parameters: ClassVar[dict[str, Sequence[OpenApiParameter]]] = {}

    @extend_schema(responses=_answers(bodies.RegionList))
    def get(self, request: Request) -> Response:
        """Regions that this account may use and where EKS and SageMaker are."""
        region, kept = self.read(request, reading.regions)
        results = [bodies.RegionBody(name=name, default=name == settings.DEFAULT_REGION) for name in kept.value]
        return self.answer(bodies.RegionList, region, kept, results)


class ZonesView(CatalogView):
    @extend_schema(responses=_answers(bodies.ZoneList))
    def get(self, request: Request) -> Response:
        """Availability zones, names beside ids."""
        region, kept = self.read(request, reading.zones)
        return self.answer(bodies.ZoneList, region, kept, [bodies.ZoneBody(name=zone.name, id=zone.id) for zone in kept.value])


class InstanceTypesView(CatalogView):
    query_parameters: ClassVar[dict[str, Sequence[OpenApiParameter]]] = {"GET": (REGION, ACCOUNT, NAME, OFFERED)}

    @extend_schema(responses=_answers(bodies.InstanceTypeList))
    def get(self, request: Request) -> Response:
        """HyperPod's instance types with their facts, prices and the zones that offer them; accelerated ones first."""
        region, kept = self.read(request, reading.all_offerings)
        zone = request.query_params.get("zone", "")
        book = Book([region])
        results = [
            bodies.InstanceTypeBody(**_priced(found, book.quote(found.name, region)), zones=kept.value.get(found.ec2_name, []))
            for found in instance_types.INSTANCE_TYPES.values()
            if self.contains(request, found.name) and (not zone or zone in kept.value.get(found.ec2_name, []))
        ]
        return self.answer(bodies.InstanceTypeList, region, kept, results)


class KubernetesVersionsView(CatalogView):
    @extend_schema(responses=_answers(bodies.KubernetesVersionList))
    def get(self, request: Request) -> Response:
        """Kubernetes versions that EKS offers, newest first, beside HyperPod's documented list."""
        region, kept = self.read(request, reading.kubernetes_versions)
        preferred = versions.preferred(kept.value)
        results = [bodies.KubernetesVersionBody(**asdict(found), preferred=found == preferred) for found in kept.value]
        return self.answer(bodies.KubernetesVersionList, region, kept, results)


class TrainingPlansView(CatalogView):
    @extend_schema(responses=_answers(bodies.TrainingPlanList))
    def get(self, request: Request) -> Response:
        """Training plans of the account, with what is left of them."""
        region, kept = self.read(request, reading.training_plans)
        return self.answer(bodies.TrainingPlanList, region, kept, [bodies.TrainingPlanBody(**asdict(plan)) for plan in kept.value])


class QuotasView(CatalogView):
    query_parameters: ClassVar[dict[str, Sequence[OpenApiParameter]]] = {"GET": (REGION, ACCOUNT, NAME, SERVICE)}

    @extend_schema(responses=_answers(bodies.QuotaList))
    def get(self, request: Request) -> Response:
        """Service quotas by name: applied values where there are any, else AWS's defaults."""
        service = request.query_params.get("service") or "sagemaker"
        if service not in ("sagemaker", "vpc", "ec2", "eks"):
            error = FieldError("service", "unknown_service", f"No quotas of {service} are read here.", "Send sagemaker, vpc, ec2 or eks.")
            raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
        region, kept = self.read(request, lambda aws: reading.quotas(aws, service))
        found = [quota for name, quota in sorted(kept.value.items()) if self.contains(request, name)]
        return self.answer(bodies.QuotaList, region, kept, [bodies.QuotaBody(**asdict(quota)) for quota in found])
