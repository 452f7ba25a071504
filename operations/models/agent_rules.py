"""What the installation lets agents do: one row."""

from __future__ import annotations

from django.db import models


class AgentRules(models.Model):
    """Written by operations.agents alone; a row that is not there yet counts as one with the defaults.

    stopped: whether no agent may write at all; stopped_by, stop_reason: who said so (a name, copied) and why.
    approval_cost_per_hour: US dollars an hour above which an agent's change waits for a person; None: what the setting says.
    """

    ONE = 1

    stopped = models.BooleanField(default=False)
    stopped_at = models.DateTimeField(null=True, blank=True)
    stopped_by = models.CharField(max_length=150, default="", blank=True)
    stop_reason = models.CharField(max_length=500, default="", blank=True)
    approval_cost_per_hour = models.FloatField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "agent rules"

    def __str__(self) -> str:
        return "Agents are stopped" if self.stopped else "Agents may write"
