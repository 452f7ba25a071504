"""Training plans through REST: what is offered, and buying it. Those that are there are in the catalogue."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.utils.dateparse import parse_datetime
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from clusters.actions.readable import readable
from clusters.api.account import with_account
from clusters.api.catalog import ACCOUNT, REGION, account_of, region_of
from clusters.training_plans.offers import LONGEST_DAYS, Wish, search
from instantstart import cloud
from instantstart.api.actions import ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.problem_schema import ProblemSerializer
from instantstart.api.views import ApiView
from instantstart.problem import FieldError, Problem

TYPE = OpenApiParameter("instance_type", OpenApiTypes.STR, required=True, description='Such as "ml.p5.48xlarge".')
COUNT = OpenApiParameter("count", OpenApiTypes.INT, required=True, description="Instances; plans come in 1, 2, 4, 8, 16, 32 and 64.")
HOURS = OpenApiParameter("hours", OpenApiTypes.INT, required=True, description=f"How long; whole days, {LONGEST_DAYS} at most.")
AFTER = OpenApiParameter("starts_after", OpenApiTypes.DATETIME, description="The earliest start.")
BEFORE = OpenApiParameter("ends_before", OpenApiTypes.DATETIME, description="The latest end.")
ZONE = OpenApiParameter("zone", OpenApiTypes.STR, description="Only offers in this availability zone.")


class OfferSerializer(serializers.Serializer[Any]):
    """One offer, as AWS makes it at this moment."""

    id = serializers.CharField(help_text="What `offering` is in a purchase.")
    instance_type = serializers.CharField()
    count = serializers.IntegerField()
    hours = serializers.IntegerField()
    zones = serializers.ListField(child=serializers.CharField())
    starts = serializers.DateTimeField(allow_null=True)
    ends = serializers.DateTimeField(allow_null=True)
    fee = serializers.CharField(help_text="The whole price, paid in advance.")
    currency = serializers.CharField()
    per_instance_hour = serializers.FloatField(allow_null=True)


class OfferListSerializer(serializers.Serializer[Any]):
    region = serializers.CharField()
    account = serializers.CharField(help_text="Digits of the AWS account; empty for that of the installation's own credentials.")
    results = OfferSerializer(many=True)


class PurchaseBodySerializer(serializers.Serializer[Any]):
    """The offer with the search that found it, and the price that was seen."""

    region = serializers.CharField(required=False, help_text="The control plane's own when absent.")
    account = serializers.CharField(required=False, help_text="Name or digits; that of the installation's own credentials when absent.")
    plan = serializers.CharField(help_text="The name that the plan gets.")
    offering = serializers.CharField()
    instance_type = serializers.CharField()
    count = serializers.IntegerField()
    hours = serializers.IntegerField()
    starts_after = serializers.DateTimeField(required=False, allow_null=True)
    ends_before = serializers.DateTimeField(required=False, allow_null=True)
    fee = serializers.CharField(help_text="The price that was seen: another one is refused.")
    confirm = serializers.CharField(help_text="The plan's name once more.")


class TrainingPlanOffersView(ApiView):
    query_parameters: ClassVar = {"GET": (REGION, ACCOUNT, TYPE, COUNT, HOURS, AFTER, BEFORE, ZONE)}

    @extend_schema(
        responses={
            200: OfferListSerializer,
            502: OpenApiResponse(ProblemSerializer, description="AWS answered with an error."),
            503: OpenApiResponse(ProblemSerializer, description="AWS could not be reached, or the credentials do not work."),
        }
    )
    def get(self, request: Request) -> Response:
        """What AWS offers as training plans for HyperPod, cheapest first; asked anew each time."""
        region = region_of(request)
        wish = wish_of({name: str(value) for name, value in request.query_params.items()})
        with readable():
            account = account_of(request)
            offers = search(cloud.connect(region, account), wish)
        zone = request.query_params.get("zone")
        kept = [offer for offer in offers if not zone or zone in offer.zones]
        return Response({"region": region, "account": account, "results": OfferSerializer(kept, many=True).data})


class TrainingPlansView(ActionMixin, ApiView):
    required_role: ClassVar = {"POST": Role.ADMIN}

    @describe_action(PurchaseBodySerializer)
    def post(self, request: Request) -> Response:
        """Buy a training plan. It is paid at once, and AWS takes nothing back; an agent's purchase waits for a person."""
        return self.run_action(request, "training_plan.purchase", with_account(request, {"region": settings.DEFAULT_REGION}))


def wish_of(given: dict[str, str]) -> Wish:
    """Problem 400 with a sentence for each parameter that is wrong."""
    errors = []
    if not given.get("instance_type", "").startswith("ml."):
        errors.append(FieldError("instance_type", "required", "Which instance type?", 'Send one such as "ml.p5.48xlarge".'))
    numbers = {}
    for name, most in (("count", 256), ("hours", LONGEST_DAYS * 24)):
        text = given.get(name, "")
        if text.isdecimal() and 1 <= int(text[:9]) <= most:
            numbers[name] = int(text)
        else:
            errors.append(FieldError(name, "not_a_number", f"{name} is a whole number from 1 to {most}.", f"Send {name}."))
    moments: dict[str, datetime | None] = {}
    for name in ("starts_after", "ends_before"):
        text = given.get(name, "")
        try:
            moments[name] = parse_datetime(text.replace(" ", "+")) if text else None
        except ValueError:
            moments[name] = None
        if text and (moments[name] is None or moments[name].tzinfo is None):  # type: ignore[union-attr]
            errors.append(FieldError(name, "not_a_moment", f"{name} is no moment.", "Send one such as 2026-12-24T00:00:00Z."))
    if errors:
        raise Problem(400, "invalid_parameter", "Invalid parameter", errors[0].detail, errors[0].hint, errors=errors)
    return Wish(given["instance_type"], numbers["count"], numbers["hours"], moments["starts_after"], moments["ends_before"])
