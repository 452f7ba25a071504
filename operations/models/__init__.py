"""Rows of operations: what was asked, what was sent, what was seen."""

from operations.models.agent_rules import AgentRules
from operations.models.alert import Alert
from operations.models.event import Event
from operations.models.heartbeat import Heartbeat
from operations.models.intent import Intent
from operations.models.notification import Notification
from operations.models.observed_source import ObservedSource
from operations.models.operation import Operation
from operations.models.shown_plan import ShownPlan
from operations.models.status_event import StatusEvent
from operations.models.webhook import Delivery, Webhook

__all__ = [
    "AgentRules",
    "Alert",
    "Delivery",
    "Event",
    "Heartbeat",
    "Intent",
    "Notification",
    "ObservedSource",
    "Operation",
    "ShownPlan",
    "StatusEvent",
    "Webhook",
]
