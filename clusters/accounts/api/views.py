"""AWS accounts: those that were added, and what one has to trust before it is."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from accounts.principal import Principal
from clusters.accounts.api import serializers
from clusters.accounts.reach import visible_accounts
from clusters.accounts.trust import external_id
from clusters.actions.account import AddInput
from clusters.actions.readable import readable
from clusters.api.views import mapping
from clusters.models import AwsAccount
from instantstart import cloud
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiView, ApiViewSet
from instantstart.problem import FieldError, Problem

ACCOUNT_ID = OpenApiParameter("account_id", OpenApiTypes.STR, required=True, description="The account's twelve digits.")


class AwsAccountViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ActionMixin, ApiViewSet):
    """AWS accounts besides that of the installation's own credentials, by name."""

    queryset = AwsAccount.objects.select_related("added_by")
    serializer_class = serializers.AwsAccountSerializer
    lookup_field = "name"
    lookup_value_converter = "slug"
    ordering = ("name",)
    required_role = {"DELETE": Role.ADMIN}
    query_parameters = {"create": ACTION_PARAMETERS, "destroy": ACTION_PARAMETERS, "test": ACTION_PARAMETERS}

    def visible(self, rows: QuerySet[AwsAccount], principal: Principal) -> QuerySet[AwsAccount]:
        return visible_accounts(rows, principal)

    @describe_action(AddInput)
    def create(self, request: Request) -> Response:
        """Add an account by a role there that trusts this installation; it is tested first. Admins only."""
        return self.run_action(request, "account.add", mapping(request))

    @describe_action(None)
    def destroy(self, request: Request, name: str) -> Response:
        """Forget an account; refused while a cluster is in it. Admins only."""
        self.get_object()
        return self.run_action(request, "account.remove", mapping(request, name=name))

    @describe_action(None)
    @action(detail=True, methods=["post"])
    def test(self, request: Request, name: str) -> Response:
        """Take on its role now, and keep what came of it."""
        self.get_object()
        return self.run_action(request, "account.test", mapping(request, name=name))


class TrustView(ApiView):
    """What the role in another account must trust."""

    required_role = {"GET": Role.ADMIN, "HEAD": Role.ADMIN}
    query_parameters = {"GET": (ACCOUNT_ID,)}

    @extend_schema(responses=serializers.TrustSerializer)
    def get(self, request: Request) -> Response:
        """The external id made for that account, and the trust policy of the role to be made there. Admins only."""
        digits = request.query_params.get("account_id", "")
        if re.fullmatch(r"[0-9]{12}", digits) is None:
            error = FieldError(
                "account_id", "not_an_account", f"{digits!r} is no account: it has twelve digits.", "Send its twelve digits."
            )
            raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
        with readable():
            own = cloud.connect(settings.DEFAULT_REGION).identity()
        body: dict[str, Any] = serializers.trust_body(digits, own.role_arn, external_id(digits))
        return Response(serializers.TrustSerializer(body).data)
