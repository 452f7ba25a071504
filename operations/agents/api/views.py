"""The rules for agents, and the switch that stops them all."""

from __future__ import annotations

from collections.abc import Callable

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.choices import Role
from accounts.principals import principal_of
from instantstart.api.describe import describe_local
from instantstart.api.local import LocalWrites, Written
from instantstart.api.views import ApiView
from operations.agents import rules, switch
from operations.agents.api import serializers
from operations.agents.standing import standing
from operations.choices import Channel
from operations.models import AgentRules
from operations.plan import Change, FieldChange

SHOWN = ("stopped", "stop_reason", "approval_cost_per_hour")


class _RulesView(LocalWrites, ApiView):
    """Everybody may look; only admins who are people decide."""

    required_role = dict.fromkeys(("POST", "PATCH"), Role.ADMIN)

    def decide(self, request: Request, kind: str, summary: str, work: Callable[[], AgentRules]) -> Response:
        def write() -> Written:
            before = rules.current()
            after = work()
            fields = tuple(
                FieldChange(field=name, before=getattr(before, name), after=getattr(after, name))
                for name in SHOWN
                if getattr(before, name) != getattr(after, name)
            )
            change = Change(resource_type="Agent rules", name="agents", action="update" if fields else "none", fields=fields)
            body = serializers.AgentRulesSerializer(standing(principal_of(request), after)).data
            return Written((change,), Response(body))

        return self.write(request, kind, summary, write)


class AgentRulesView(_RulesView):
    @extend_schema(operation_id="agents_retrieve", responses=serializers.AgentRulesSerializer)
    def get(self, request: Request) -> Response:
        """Whether agents may write, and what of theirs waits for a person."""
        return Response(serializers.AgentRulesSerializer(standing(principal_of(request))).data)

    @describe_local(serializers.AgentRulesChangeSerializer, 200, serializers.AgentRulesSerializer)
    def patch(self, request: Request) -> Response:
        """Set the cost an hour above which an agent's change waits for a person. Admins only."""
        asked = serializers.AgentRulesChangeSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        cost = asked.validated_data["approval_cost_per_hour"]
        return self.decide(
            request,
            switch.SET_APPROVAL_COST,
            "Set what agents may add to the cost by themselves",
            lambda: switch.set_approval_cost(principal_of(request), cost, channel=Channel.API),
        )


class StopAgentsView(_RulesView):
    @describe_local(serializers.StopSerializer, 200, serializers.AgentRulesSerializer)
    def post(self, request: Request) -> Response:
        """Stop all agents' writes at once. What runs goes on; what has not begun is held. Admins only."""
        asked = serializers.StopSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        reason = asked.validated_data["reason"]
        return self.decide(request, switch.STOP, "Stop all agents", lambda: switch.stop(principal_of(request), reason, channel=Channel.API))


class StartAgentsView(_RulesView):
    @describe_local(None, 200, serializers.AgentRulesSerializer)
    def post(self, request: Request) -> Response:
        """Let agents write again; what was held begins. Admins only."""
        return self.decide(request, switch.START, "Start agents again", lambda: switch.start(principal_of(request), channel=Channel.API))
