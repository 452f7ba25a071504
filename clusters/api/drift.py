"""Drift through REST: listed and shown as last compared; accepted, ignored and put back as actions."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import filters
from clusters.api.views import ClusterPartViewSet, mapping, reachable_cluster
from clusters.models import Drift
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action


class DriftSerializer(serializers.ModelSerializer[Drift]):
    """One field that another hand has changed: as we meant it, as it is, and who did it where CloudTrail says."""

    desired = serializers.JSONField(help_text="As we last left it.", allow_null=True)
    observed = serializers.JSONField(help_text="As it is.", allow_null=True)
    by_whom = serializers.CharField(help_text="User or session that CloudTrail names; empty while it says nothing.")

    class Meta:
        model = Drift
        fields: ClassVar[tuple[str, ...]] = (
            "id",
            "source",
            "resource",
            "field",
            "desired",
            "observed",
            "physical_id",
            "state",
            "first_seen",
            "last_seen",
            "by_whom",
            "by_arn",
            "changed_at",
            "event_id",
            "event_name",
            "asked_at",
            "decided_by",
            "decided_at",
        )
        read_only_fields = fields


class DriftIgnoreBodySerializer(serializers.Serializer[Any]):
    ignored = serializers.BooleanField(default=True, help_text="false shows it again.")


class DriftRevertBodySerializer(serializers.Serializer[Any]):
    disrupt = serializers.BooleanField(default=False, help_text="Let nodes go although something runs on them.")


class DriftViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """What is not as we left it, by the last comparison."""

    queryset = Drift.objects.all()
    serializer_class = DriftSerializer
    filterset_class = filters.DriftFilterSet
    ordering = ("-id",)
    lookup_url_kwarg = "drift"
    query_parameters: ClassVar = {
        "observe": ACTION_PARAMETERS,
        "accept": ACTION_PARAMETERS,
        "ignore": ACTION_PARAMETERS,
        "revert": ACTION_PARAMETERS,
    }

    @describe_action(None)
    @action(detail=False, methods=["post"])
    def observe(self, request: Request, name: str) -> Response:
        """Compare now what is compared once an hour. Asked for again within half a minute, nothing is done."""
        reachable_cluster(request, name)
        return self.run_action(request, "drift.observe", mapping(request, name=name))

    @describe_action(None)
    @action(detail=True, methods=["post"])
    def accept(self, request: Request, name: str, drift: int) -> Response:
        """Take it over: what is there is what is meant. AWS is not called."""
        return self._decide(request, "drift.accept", name, drift)

    @describe_action(DriftIgnoreBodySerializer)
    @action(detail=True, methods=["post"])
    def ignore(self, request: Request, name: str, drift: int) -> Response:
        """Point it out no longer, until it becomes another. AWS is not called."""
        return self._decide(request, "drift.ignore", name, drift)

    @describe_action(DriftRevertBodySerializer)
    @action(detail=True, methods=["post"])
    def revert(self, request: Request, name: str, drift: int) -> Response:
        """Put it back as it was meant."""
        return self._decide(request, "drift.revert", name, drift)

    def _decide(self, request: Request, kind: str, name: str, drift: int) -> Response:
        reachable_cluster(request, name)
        return self.run_action(request, kind, mapping(request, name=name, drift=drift))
