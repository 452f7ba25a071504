"""Managed features through REST: as last observed, and changed by the fields that are sent."""

from __future__ import annotations

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from pydantic import Field
from rest_framework import mixins, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from clusters import features, filters
from clusters.actions.feature import SetFeature
from clusters.api.serializers import FaultSerializer
from clusters.api.views import ClusterPartViewSet, mapping, reachable_cluster
from clusters.choices import PartState
from clusters.features.relations import required_by, rivals
from clusters.features.wish import FeatureChange
from clusters.models import ClusterFeature
from clusters.spec import Input
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.problem import Problem


class FeaturesChange(Input):
    """What changes, by feature; features and fields that are left out stay as they are.

    cascade: whether what must go along (needed by them when they come, needing them when they go) is in the plan too.
    """

    features: dict[str, FeatureChange] = Field(min_length=1)
    cascade: bool = False


class OneFeatureChange(FeatureChange):
    """What changes of this feature. cascade: whether what must go along is in the plan too."""

    cascade: bool = False


class PartSerializer(serializers.Serializer[Any]):
    """One thing outside that the feature consists of."""

    key = serializers.CharField()
    resource_type = serializers.CharField(help_text="In AWS's or Kubernetes' words.")
    name = serializers.CharField()
    state = serializers.ChoiceField(PartState.choices)
    message = serializers.CharField()
    version = serializers.CharField()


class FeatureSerializer(serializers.ModelSerializer[ClusterFeature]):
    """A managed feature: its state as AWS and Kubernetes had it at `observed_at`, and what can be chosen of it."""

    title = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()
    last_seen = serializers.CharField(source="seen", help_text="The state at the last reading; kept while it is unknown.")
    faults = FaultSerializer(many=True, help_text="Health issues, in the words of the service at fault.")
    parts = PartSerializer(many=True)
    stale = serializers.BooleanField(help_text="Whether the last look is older than twice the interval in force, and than five seconds.")
    requires = serializers.SerializerMethodField(help_text="Features that must be on first.")
    required_by = serializers.SerializerMethodField(help_text="Features that need this one.")
    excludes = serializers.SerializerMethodField(help_text="Features that can't be on at the same time.")
    needs = serializers.SerializerMethodField(help_text="EKS add-ons that must be installed first.")

    class Meta:
        model = ClusterFeature
        fields: ClassVar[tuple[str, ...]] = (
            "name",
            "title",
            "summary",
            "state",
            "message",
            "last_seen",
            "version",
            "source",
            "settings",
            "faults",
            "parts",
            "waits_for_nodes",
            "requires",
            "required_by",
            "excludes",
            "needs",
            "operation_id",
            "observed_at",
            "identities_observed_at",
            "stale",
            "unreadable_since",
            "unreadable",
        )
        read_only_fields = fields
        extra_kwargs: ClassVar[dict[str, dict[str, Any]]] = {
            "settings": {"help_text": "What can be chosen, as it is now."},
            "source": {"help_text": "Who keeps it: an EKS add-on, a Helm release, HyperPod; empty while it is absent."},
            "operation_id": {"help_text": "The last operation on it; null when there was none."},
            "identities_observed_at": {"help_text": "When its IAM roles were read, where that was earlier than observed_at; else null."},
            "unreadable_since": {"help_text": "Since when it could not be read; null while it can."},
        }

    def get_title(self, row: ClusterFeature) -> str:
        return features.find(row.name).title

    def get_summary(self, row: ClusterFeature) -> str:
        return features.find(row.name).summary

    def get_requires(self, row: ClusterFeature) -> list[str]:
        return list(features.find(row.name).requires)

    def get_required_by(self, row: ClusterFeature) -> list[str]:
        return list(required_by(row.name))

    def get_excludes(self, row: ClusterFeature) -> list[str]:
        return sorted(rivals(row.name))

    def get_needs(self, row: ClusterFeature) -> list[str]:
        return list(features.find(row.name).needs)


class FeatureDetailSerializer(FeatureSerializer):
    settings_schema = serializers.SerializerMethodField(help_text="JSON schema of what can be chosen.")

    class Meta(FeatureSerializer.Meta):
        fields = (*FeatureSerializer.Meta.fields, "settings_schema")
        read_only_fields = fields

    def get_settings_schema(self, row: ClusterFeature) -> dict[str, Any]:
        return features.find(row.name).Settings.model_json_schema()


class FeatureViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """The managed features of a cluster."""

    queryset = ClusterFeature.objects.filter(name__in=features.REGISTRY).select_related("cluster")
    serializer_class = FeatureSerializer
    filterset_class = filters.FeatureFilterSet
    ordering = ("position",)
    query_parameters = {"change": ACTION_PARAMETERS, "partial_update": ACTION_PARAMETERS}

    def get_serializer_class(self) -> Any:
        return FeatureDetailSerializer if self.action == "retrieve" else FeatureSerializer

    def get_object(self) -> ClusterFeature:
        row: ClusterFeature = get_object_or_404(self.get_queryset(), name=self.kwargs["feature"])
        return row

    @describe_action(FeaturesChange, operation_id="clusters_features_change")
    def change(self, request: Request, name: str) -> Response:
        """Turn features on or off, or change their settings; only what differs is sent to AWS. One after the other, in order."""
        reachable_cluster(request, name)
        return self.run_action(request, SetFeature.kind, mapping(request, name=name))

    @describe_action(OneFeatureChange)
    def partial_update(self, request: Request, name: str, feature: str) -> Response:
        """Turn one feature on or off, or change its settings."""
        reachable_cluster(request, name)
        if feature not in features.REGISTRY:
            known = ", ".join(features.REGISTRY)
            raise Problem(404, "feature_not_found", "Feature not found", f"There is no feature {feature}.", f"There are {known}.")
        change = mapping(request)
        cascade = change.pop("cascade", False)
        return self.run_action(request, SetFeature.kind, {"name": name, "features": {feature: change}, "cascade": cascade})
