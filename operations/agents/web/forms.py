"""The form of the agents' page. What it means is decided in operations.agents.switch; it only reads input."""

from __future__ import annotations

from django import forms

from instantstart.web.forms import ProblemForm
from operations.agents.switch import HIGHEST_COST


class ApprovalCostForm(ProblemForm):
    approval_cost_per_hour = forms.FloatField(
        required=False,
        min_value=0,
        max_value=HIGHEST_COST,
        label="Cost an hour that an agent may add by itself (US dollars)",
        help_text="Above it, or where it is not known, a person is asked. Empty: what the installation's setting says.",
    )
