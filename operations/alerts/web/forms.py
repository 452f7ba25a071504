"""The form of the webhooks' page. What it means is decided in operations.alerts.webhooks; it only reads input."""

from __future__ import annotations

from django import forms

from instantstart.web.forms import ProblemForm
from operations.alerts.webhooks import TOLD


class WebhookForm(ProblemForm):
    url = forms.CharField(max_length=500, label="Address", help_text="An https:// address on the internet.")
    kinds = forms.MultipleChoiceField(
        choices=TOLD,
        required=False,
        label="Only these kinds",
        help_text="None chosen: all.",
        widget=forms.SelectMultiple(attrs={"size": len(TOLD)}),
    )
