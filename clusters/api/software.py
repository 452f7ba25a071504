"""The software of a cluster's groups through REST."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from clusters.api.views import mapping, reachable_cluster
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action
from instantstart.api.views import ApiView


class SoftwareBodySerializer(serializers.Serializer[Any]):
    groups = serializers.ListField(child=serializers.CharField(), required=False, help_text="Which groups; empty: all.")
    release = serializers.CharField(required=False, help_text="MAJOR.MINOR.PATCH; empty: the newest.")
    image_id = serializers.CharField(required=False, help_text="An AMI of one's own in its place.")
    batch_percent = serializers.IntegerField(required=False, help_text="How much of a group is updated at a time.")
    wait_seconds = serializers.IntegerField(required=False, help_text="The pause between two batches.")
    alarms = serializers.ListField(child=serializers.CharField(), required=False, help_text="CloudWatch alarms that take it back.")
    disrupt = serializers.BooleanField(required=False, help_text="Go on although something runs on the nodes.")


class SoftwareUpdateView(ActionMixin, ApiView):
    """Updates of the software of groups."""

    query_parameters = {"POST": ACTION_PARAMETERS}

    @describe_action(SoftwareBodySerializer)
    def post(self, request: Request, name: str) -> Response:
        """Update the software of all groups, or of chosen ones."""
        reachable_cluster(request, name)
        return self.run_action(request, "cluster.update_software", mapping(request, name=name))
