"""Me, tokens, users and the audit trail."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import audit, filters
from accounts.actions import token_limits, tokens, users
from accounts.api import serializers
from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from accounts.preferences import preferred_cluster
from accounts.principal import Principal
from accounts.principals import principal_of
from instantstart.api import parameters
from instantstart.api.describe import describe_local
from instantstart.api.etag import require_match
from instantstart.api.local import LocalWrites, Written
from instantstart.api.views import ApiView, ApiViewSet
from operations.choices import Channel
from operations.plan import Change, FieldChange, Irreversible

LIMITS = ("role", "clusters", "accounts", "read_only", "agent", "toolsets", *token_limits.FIELDS)
"""What a new token's plan shows of it."""


class MeView(ApiView):
    """The caller."""

    @extend_schema(responses=serializers.MeSerializer)
    def get(self, request: Request) -> Response:
        """Who is calling, with what rights, and which cluster is preferred."""
        principal = principal_of(request)
        body = {
            "username": principal.user.username,
            "email": principal.user.email,
            "role": principal.role,
            "user_role": principal.user.role,
            "token": principal.token.name if principal.token else None,
            "clusters": None if principal.named is None else sorted(principal.named),
            "accounts": None if principal.accounts is None else sorted(principal.accounts),
            "read_only": principal.read_only,
            "agent": principal.agent,
            "toolsets": principal.token.toolsets if principal.token else None,
            "operations_per_hour": principal.token.operations_per_hour if principal.token else None,
            "cost_per_hour": principal.token.cost_per_hour if principal.token else None,
            "preferred_cluster": preferred_cluster(principal),
        }
        return Response(serializers.MeSerializer(body).data)


class TokenViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, LocalWrites, ApiViewSet):
    """API tokens: one's own; with `?user=`, admins see those of others."""

    queryset = ApiToken.objects.select_related("user", "parent")
    serializer_class = serializers.TokenSerializer
    filterset_class = filters.TokenFilterSet
    lookup_field = "uid"
    lookup_url_kwarg = "id"
    lookup_value_converter = "uuid"
    ordering = ("-created", "-pk")
    # Everybody makes tokens for themselves; what a token may do is limited elsewhere.
    required_role = dict.fromkeys(("POST", "PATCH", "DELETE"), Role.VIEWER)

    def visible(self, rows: QuerySet[ApiToken], principal: Principal) -> QuerySet[ApiToken]:
        if principal.clusters is not None and principal.token is not None:
            # Other tokens would tell the names of other clusters.
            return rows.filter(Q(pk=principal.token.pk) | Q(parent=principal.token))
        everyone = (
            principal.role.covers(Role.ADMIN)
            and principal.clusters is None
            and (self.action != "list" or "user" in self.request.query_params)
        )
        return rows if everyone else rows.filter(user=principal.user)

    @describe_local(serializers.NewTokenSerializer, 201, serializers.MadeTokenSerializer)
    def create(self, request: Request) -> Response:
        """Make a token. Its secret is in this answer only."""
        asked = serializers.NewTokenSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wished: dict[str, Any] = dict(asked.validated_data)
        days = wished.pop("expires_in_days", None)
        role = wished.pop("role", None)

        def work() -> Written:
            token, secret = tokens.create(
                principal_of(request),
                **wished,
                role=Role(role) if role is not None else None,
                expires_in=dt.timedelta(days=days) if days is not None else None,
                channel=Channel.API,
            )
            shown = serializers.TokenSerializer(token).data
            fields = tuple(FieldChange(field=name, after=shown[name]) for name in LIMITS)
            href = request.build_absolute_uri(f"{request.path}{token.uid}/")
            response = Response({**shown, "token": secret}, status=status.HTTP_201_CREATED, headers={"Location": href})
            return Written((Change(resource_type="API token", name=token.name, action="create", fields=fields),), response)

        return self.write(request, "token.create", f"Make the token {wished['name']}", work)

    @describe_local(serializers.TokenLimitsSerializer, 200, serializers.TokenSerializer)
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Set how much a token may begin and spend within an hour: never more than the token that it was made from. Not for agents."""
        token: ApiToken = self.get_object()
        asked = serializers.TokenLimitsSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        before = {name: getattr(token, name) for name in token_limits.FIELDS}

        def work() -> Written:
            after = token_limits.change(principal_of(request), token, asked.validated_data, channel=Channel.API)
            fields = tuple(
                FieldChange(field=name, before=value, after=getattr(after, name))
                for name, value in before.items()
                if getattr(after, name) != value
            )
            change = Change(resource_type="API token", name=token.name, action="update" if fields else "none", fields=fields)
            return Written((change,), Response(serializers.TokenSerializer(after).data))

        return self.write(request, token_limits.KIND, f"Limit the token {token.name}", work)

    @describe_local(None, 204, None)
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Revoke a token, and the tokens made with it, at once."""
        token: ApiToken = self.get_object()

        def work() -> Written:
            revoked = tokens.revoke(principal_of(request), token, channel=Channel.API)
            changes = tuple(Change(resource_type="API token", name=name, action="delete") for name in revoked)
            never = Irreversible(what="The tokens", why="Only their hashes are kept, and those go.")
            return Written(changes, Response(status=status.HTTP_204_NO_CONTENT), (never,))

        return self.write(request, "token.revoke", f"Revoke the token {token.name}", work)


class UserViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, LocalWrites, ApiViewSet):
    """People and their roles. Admins only."""

    queryset = User.objects.all()
    serializer_class = serializers.UserSerializer
    filterset_class = filters.UserFilterSet
    lookup_field = "username"
    lookup_value_converter = "str"
    ordering = ("username",)
    required_role = dict.fromkeys(("GET", "HEAD", "POST", "PATCH"), Role.ADMIN)

    @describe_local(serializers.NewUserSerializer, 201, serializers.UserSerializer)
    def create(self, request: Request) -> Response:
        """Make a user."""
        asked = serializers.NewUserSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data

        def work() -> Written:
            user = users.create(
                principal_of(request),
                username=given["username"],
                password=given["password"],
                role=Role(given["role"]),
                email=given["email"],
                accounts=given["accounts"],
                channel=Channel.API,
            )
            href = request.build_absolute_uri(f"{request.path}{user.username}/")
            fields = tuple(FieldChange(field=name, after=given[name]) for name in ("role", "accounts", "email"))
            response = Response(serializers.UserSerializer(user).data, status=status.HTTP_201_CREATED, headers={"Location": href})
            return Written((Change(resource_type="User", name=user.username, action="create", fields=fields),), response)

        return self.write(request, "user.create", f"Make the user {given['username']}", work)

    @describe_local(serializers.UserChangeSerializer, 200, serializers.UserSerializer, parameters=[parameters.IF_MATCH])
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change a user's role, limit, address or password, or shut the user out. All of it or nothing."""
        user: User = self.get_object()
        require_match(request, serializers.UserSerializer(user).data)
        asked = serializers.UserChangeSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        return self.write(request, "user.change", f"Change the user {user.username}", lambda: self._change(request, user, given))

    def _change(self, request: Request, user: User, given: Mapping[str, Any]) -> Written:
        principal = principal_of(request)
        before = {name: getattr(user, name) for name in ("role", "accounts", "is_active", "email")}
        if "role" in given:
            users.set_role(principal, user, Role(given["role"]), channel=Channel.API)
        if "accounts" in given:
            users.set_accounts(principal, user, given["accounts"], channel=Channel.API)
        if "is_active" in given:
            users.set_active(principal, user, given["is_active"], channel=Channel.API)
        if "email" in given:
            users.set_email(principal, user, given["email"], channel=Channel.API)
        if "password" in given:
            users.set_password(principal, user, given["password"], channel=Channel.API)
        fields = [
            FieldChange(field=name, before=value, after=getattr(user, name))
            for name, value in before.items()
            if getattr(user, name) != value
        ]
        if "password" in given:
            fields.append(FieldChange(field="password"))
        change = Change(resource_type="User", name=user.username, action="update" if fields else "none", fields=tuple(fields))
        return Written((change,), Response(serializers.UserSerializer(user).data))


class AuditEntryViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ApiViewSet):
    """Who did what, through which door, and what was refused. Admins only."""

    queryset = AuditEntry.objects.all()
    serializer_class = serializers.AuditEntrySerializer
    filterset_class = filters.AuditEntryFilterSet
    ordering = ("-at", "-id")
    lookup_value_converter = "int"
    required_role = {"GET": Role.ADMIN, "HEAD": Role.ADMIN}

    def visible(self, rows: QuerySet[AuditEntry], principal: Principal) -> QuerySet[AuditEntry]:
        return audit.visible(rows, principal)
