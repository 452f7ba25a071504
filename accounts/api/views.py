"""Me, tokens, users and the audit trail."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import filters
from accounts.actions import tokens, users
from accounts.api import serializers
from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from accounts.preferences import preferred_cluster
from accounts.principals import principal_of
from instantstart.api import parameters
from instantstart.api.etag import require_match
from instantstart.api.views import ApiView, ApiViewSet
from operations.choices import Channel


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
            "clusters": None if principal.clusters is None else sorted(principal.clusters),
            "read_only": principal.read_only,
            "agent": principal.agent,
            "preferred_cluster": preferred_cluster(principal),
        }
        return Response(serializers.MeSerializer(body).data)


class TokenViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ApiViewSet):
    """API tokens: one's own; with `?user=`, admins see those of others."""

    queryset = ApiToken.objects.select_related("user", "parent")
    serializer_class = serializers.TokenSerializer
    filterset_class = filters.TokenFilterSet
    lookup_field = "uid"
    lookup_url_kwarg = "id"
    lookup_value_converter = "uuid"
    ordering = ("-created", "-pk")
    # Everybody makes tokens for themselves; what a token may do is limited elsewhere.
    required_role = {"POST": Role.VIEWER, "DELETE": Role.VIEWER}
    idempotency_atomic = True

    def get_queryset(self) -> QuerySet[ApiToken]:
        principal = principal_of(self.request)
        visible = super().get_queryset()
        everyone = principal.role.covers(Role.ADMIN) and (self.action != "list" or "user" in self.request.query_params)
        return visible if everyone else visible.filter(user=principal.user)

    @extend_schema(request=serializers.NewTokenSerializer, responses={201: serializers.MadeTokenSerializer})
    def create(self, request: Request) -> Response:
        """Make a token. Its secret is in this answer only."""
        asked = serializers.NewTokenSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        wished: dict[str, Any] = dict(asked.validated_data)
        days = wished.pop("expires_in_days", None)
        role = wished.pop("role", None)
        token, secret = tokens.create(
            principal_of(request),
            **wished,
            role=Role(role) if role is not None else None,
            expires_in=dt.timedelta(days=days) if days is not None else None,
            channel=Channel.API,
        )
        token.token = secret  # type: ignore[attr-defined]  # for the serializer; not a field, never saved
        href = request.build_absolute_uri(f"{token.uid}/")
        body = serializers.MadeTokenSerializer(token).data
        return Response(body, status=status.HTTP_201_CREATED, headers={"Location": href})

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Revoke a token, and the tokens made with it, at once."""
        tokens.revoke(principal_of(request), self.get_object(), channel=Channel.API)
        return Response(status=status.HTTP_204_NO_CONTENT)


class UserViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ApiViewSet):
    """People and their roles. Admins only."""

    queryset = User.objects.all()
    serializer_class = serializers.UserSerializer
    filterset_class = filters.UserFilterSet
    lookup_field = "username"
    lookup_value_converter = "str"
    ordering = ("username",)
    required_role = dict.fromkeys(("GET", "HEAD", "POST", "PATCH"), Role.ADMIN)
    idempotency_atomic = True

    @extend_schema(request=serializers.NewUserSerializer, responses={201: serializers.UserSerializer})
    def create(self, request: Request) -> Response:
        """Make a user."""
        asked = serializers.NewUserSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        user = users.create(
            principal_of(request),
            username=given["username"],
            password=given["password"],
            role=Role(given["role"]),
            email=given["email"],
            channel=Channel.API,
        )
        href = request.build_absolute_uri(f"{user.username}/")
        return Response(serializers.UserSerializer(user).data, status=status.HTTP_201_CREATED, headers={"Location": href})

    @extend_schema(request=serializers.UserChangeSerializer, responses=serializers.UserSerializer, parameters=[parameters.IF_MATCH])
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change a user's role, address or password, or shut the user out. All of it or nothing."""
        user: User = self.get_object()
        require_match(request, serializers.UserSerializer(user).data)
        asked = serializers.UserChangeSerializer(data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        principal = principal_of(request)
        with transaction.atomic():
            if "role" in given:
                users.set_role(principal, user, Role(given["role"]), channel=Channel.API)
            if "is_active" in given:
                users.set_active(principal, user, given["is_active"], channel=Channel.API)
            if "email" in given:
                users.set_email(principal, user, given["email"], channel=Channel.API)
            if "password" in given:
                users.set_password(principal, user, given["password"], channel=Channel.API)
        return Response(serializers.UserSerializer(user).data)


class AuditEntryViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, ApiViewSet):
    """Who did what, through which door, and what was refused. Admins only."""

    queryset = AuditEntry.objects.all()
    serializer_class = serializers.AuditEntrySerializer
    filterset_class = filters.AuditEntryFilterSet
    ordering = ("-at", "-id")
    lookup_value_converter = "int"
    required_role = {"GET": Role.ADMIN, "HEAD": Role.ADMIN}

    def get_queryset(self) -> QuerySet[AuditEntry]:
        clusters = principal_of(self.request).clusters
        entries = super().get_queryset()
        return entries if clusters is None else entries.filter(subject__in=[f"cluster:{name}" for name in clusters])
