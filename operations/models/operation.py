"""The write-ahead row of a change."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from operations.choices import ACTIVE_STATES, DUE_STATES, Category, Channel, OperationState
from operations.models.leased import Leased

LOCKING_STATES = (*ACTIVE_STATES, OperationState.UNKNOWN)
"""States in which an operation keeps others from its lock."""


class Operation(Leased):
    """One change: what was asked and by whom, how far it is, what it waits for, how it ended.

    input: the Action's typed input as JSON. plan: the Plan accepted, as JSON. facts: {step name: facts seen}.
    steps: [{name, title, typical_seconds, state, started_at, ended_at, message}], in order; times are ISO 8601.
    attempts: failures in a row since the last progress. message: how far it is; waiting_for: on what it waits, one
    sentence; link: where that can be seen outside. error_*: why it failed, or the trouble it is in while it retries.
    agent: whether a token marked agent asked. reason: why, in the caller's own words: untrusted text, only ever quoted.
    asks_because: why a person must say yes first, one sentence; "" where nobody must. added_cost_per_hour: US dollars by which the plan
    raises the running cost, None when unknown.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=80)
    title = models.CharField(max_length=200)
    subject_type = models.CharField(max_length=40)
    subject = models.CharField(max_length=200)
    cluster = models.CharField(max_length=100, default="", blank=True)
    input = models.JSONField(default=dict)
    request_fingerprint = models.CharField(max_length=64)
    idempotency_key = models.CharField(max_length=255, null=True, blank=True)  # noqa: DJ001  (unique where given, so not "")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="operations")
    token_name = models.CharField(max_length=120, default="", blank=True)
    channel = models.CharField(max_length=10, choices=Channel.choices)
    agent = models.BooleanField(default=False)
    reason = models.CharField(max_length=500, default="", blank=True)
    asks_because = models.CharField(max_length=300, default="", blank=True)
    added_cost_per_hour = models.FloatField(null=True, blank=True)
    plan = models.JSONField(default=dict)
    plan_fingerprint = models.CharField(max_length=64, default="", blank=True)
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="children")
    parent_step = models.CharField(max_length=80, default="", blank=True)
    state = models.CharField(max_length=20, choices=OperationState.choices, default=OperationState.RECORDED)
    lock_key = models.CharField(max_length=255, default="", blank=True)

    step = models.CharField(max_length=80, default="", blank=True)
    message = models.TextField(default="", blank=True)
    waiting_for = models.TextField(default="", blank=True)
    link = models.CharField(max_length=1000, default="", blank=True)
    error_code = models.CharField(max_length=120, default="", blank=True)
    error_message = models.TextField(default="", blank=True)
    error_hint = models.TextField(default="", blank=True)
    error_category = models.CharField(max_length=20, choices=Category.choices, default="", blank=True)
    facts = models.JSONField(default=dict)
    steps = models.JSONField(default=list)

    next_attempt_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    cancel_requested_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="decided_operations"
    )
    decision_reason = models.TextField(default="", blank=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["lock_key"],
                condition=Q(state__in=LOCKING_STATES) & ~Q(lock_key=""),
                name="operation_one_active_per_lock",
            ),
            models.UniqueConstraint(
                fields=["actor", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="operation_one_per_idempotency_key",
            ),
            models.UniqueConstraint(
                fields=["parent", "parent_step"], condition=Q(parent__isnull=False), name="operation_one_child_per_step"
            ),
        ]
        indexes = [
            # Not partial: SQLite can't tell that a query with parameters fits a condition. What is not to be driven has
            # no next_attempt_at, so the range that the dispatcher reads holds nothing else.
            models.Index(fields=["lease_owner", "next_attempt_at"], name="operation_due"),
            models.Index(fields=["lease_expires_at"], name="operation_leased"),
            models.Index(fields=["-created_at", "id"], name="operation_newest"),
            models.Index(fields=["cluster", "-created_at"], name="operation_of_cluster"),
            models.Index(fields=["subject_type", "subject", "-created_at"], name="operation_of_subject"),
            models.Index(fields=["state", "created_at"], name="operation_in_state"),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.state})"

    @property
    def ended(self) -> bool:
        return self.state not in LOCKING_STATES

    @classmethod
    def drivable(cls) -> Q:
        return Q(state__in=DUE_STATES)
