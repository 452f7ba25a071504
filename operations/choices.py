"""States and kinds of operations, steps, intents and checks."""

from django.db import models


class Risk(models.TextChoices):
    SAFE = "safe", "Safe"
    COSTS = "costs", "Costs money"
    DISRUPTIVE = "disruptive", "Disruptive"
    DESTRUCTIVE = "destructive", "Destructive"


class Channel(models.TextChoices):
    """The door that a call came through."""

    WEB = "web", "Web"
    API = "api", "API"
    MCP = "mcp", "MCP"
    ADMIN = "admin", "Admin"


class OperationState(models.TextChoices):
    AWAITING_APPROVAL = "awaiting_approval", "Awaiting approval"
    RECORDED = "recorded", "Recorded"
    RUNNING = "running", "Running"
    SUCCEEDED = "succeeded", "Succeeded"
    FAILED = "failed", "Failed"
    CANCELLING = "cancelling", "Cancelling"
    CANCELLED = "cancelled", "Cancelled"
    REFUSED = "refused", "Refused"
    EXPIRED = "expired", "Expired"
    UNKNOWN = "unknown", "Unknown"


ACTIVE_STATES = (
    OperationState.AWAITING_APPROVAL,
    OperationState.RECORDED,
    OperationState.RUNNING,
    OperationState.CANCELLING,
)
"""States in which an operation still holds its lock; `unknown` holds it too until a person decides."""

DUE_STATES = (OperationState.RECORDED, OperationState.RUNNING, OperationState.CANCELLING)
"""States that the dispatcher drives."""


class StepState(models.TextChoices):
    """What a step's observe() can say of the thing it looks after."""

    ABSENT = "absent", "Absent"
    PENDING = "pending", "Pending"
    READY = "ready", "Ready"
    DIFFERENT = "different", "Different"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Unknown"


class Category(models.TextChoices):
    """What an error means for who drives the operation; see operations/errors.py for the table."""

    THROTTLED = "throttled", "Throttled"
    RECOVERABLE = "recoverable", "Recoverable"
    TERMINAL = "terminal", "Terminal"
    UNKNOWN = "unknown", "Unknown"


class Severity(models.TextChoices):
    """How a check counts: an error stops the plan, a warning asks, an info tells, a pass is shown as passed."""

    ERROR = "error", "Error"
    WARNING = "warning", "Warning"
    INFO = "info", "Info"
    PASS = "pass", "Passed"
