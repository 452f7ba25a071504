"""Stacks through REST: listed as last compared; change sets worked out, carried out and thrown away as actions."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from clusters.api.views import ClusterPartViewSet, mapping, reachable_cluster
from clusters.models import ClusterStack
from instantstart.api.actions import ACTION_PARAMETERS, ActionMixin
from instantstart.api.describe import describe_action


class ChangedFieldSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    before = serializers.CharField(allow_null=True)
    after = serializers.CharField(allow_null=True)


class StackChangeSerializer(serializers.Serializer[Any]):
    """What the change set would do to one resource."""

    action = serializers.CharField(help_text="Add, Modify, Remove …, as CloudFormation says.")
    resource_type = serializers.CharField()
    logical_id = serializers.CharField()
    physical_id = serializers.CharField(allow_blank=True)
    replacement = serializers.CharField(allow_blank=True, help_text="True, False or Conditional; empty where nothing is modified.")
    properties = ChangedFieldSerializer(many=True)


class StackSerializer(serializers.ModelSerializer[ClusterStack]):
    """A stack, and the change set that waits for it."""

    stack = serializers.CharField(source="part", help_text="Its name without what all of the cluster's have in common.")
    behind = serializers.ListField(
        child=serializers.CharField(), help_text="Resources that this release would make otherwise than they are deployed."
    )
    change_set = serializers.CharField(help_text="ARN of the change set that waits; empty for none.")
    reverts = serializers.BooleanField(help_text="Whether it puts back what another hand has changed.")
    changes = StackChangeSerializer(many=True)

    class Meta:
        model = ClusterStack
        fields: ClassVar[tuple[str, ...]] = (
            "stack",
            "stack_id",
            "status",
            "behind",
            "change_set",
            "reverts",
            "changes",
            "proposed_at",
            "observed_at",
        )
        read_only_fields = fields


class CompareBodySerializer(serializers.Serializer[Any]):
    revert_drift = serializers.BooleanField(default=False, help_text="Put back what another hand has changed, too.")


class StackUpdateBodySerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(required=False, help_text="The stack's name, where something of it is deleted or replaced.")


class StackViewSet(mixins.RetrieveModelMixin, ActionMixin, ClusterPartViewSet):
    """The CloudFormation stacks of a cluster, by the last comparison."""

    queryset = ClusterStack.objects.all()
    serializer_class = StackSerializer
    ordering = ("part",)
    lookup_field = "part"
    lookup_url_kwarg = "stack"
    query_parameters: ClassVar = {"compare": ACTION_PARAMETERS, "update_stack": ACTION_PARAMETERS, "discard": ACTION_PARAMETERS}

    @describe_action(CompareBodySerializer)
    @action(detail=True, methods=["post"])
    def compare(self, request: Request, name: str, stack: str) -> Response:
        """Have CloudFormation work out, as a change set, what would bring the stack to what this release makes. Nothing is changed yet."""
        return self._run(request, "stack.compare", name, stack)

    @describe_action(StackUpdateBodySerializer)
    @action(detail=True, methods=["post"])
    def update_stack(self, request: Request, name: str, stack: str) -> Response:
        """Carry out the change set that waits. The plan shows each of its changes."""
        return self._run(request, "stack.update", name, stack)

    @describe_action(None)
    @action(detail=True, methods=["post"])
    def discard(self, request: Request, name: str, stack: str) -> Response:
        """Throw the change set away that waits; the stack stays as it is."""
        return self._run(request, "stack.discard", name, stack)

    def _run(self, request: Request, kind: str, name: str, stack: str) -> Response:
        reachable_cluster(request, name)
        return self.run_action(request, kind, mapping(request, name=name, stack=stack))
