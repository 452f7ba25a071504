"""Forms of the account pages. What they mean is decided in accounts.actions; they only read input."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from accounts.actions.token_limits import MOST_COST, MOST_OPERATIONS
from accounts.choices import Role
from instantstart import toolsets
from instantstart.web.forms import ProblemForm


def digits(typed: str) -> list[str] | None:
    """AWS accounts as they were typed, None for every account."""
    return typed.replace(",", " ").split() or None


class AccountsField(forms.CharField):
    """AWS accounts by their digits, None for every one."""

    def __init__(self) -> None:
        super().__init__(
            required=False, label="Limit to AWS accounts", help_text="Twelve digits each, separated by spaces; empty for every account."
        )

    def clean(self, value: Any) -> list[str] | None:
        found = digits(super().clean(value))
        for one in found or ():
            if re.fullmatch(r"[0-9]{12}", one) is None:
                raise forms.ValidationError(f"{one} is no AWS account: give its twelve digits.")
        return found


class ToolsetsField(forms.MultipleChoiceField):
    """Sets of tools, a box each. Whether there is such a set says the action."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            choices=lambda: [(name, f"{name}: {what}") for name, what in toolsets.known().items()],
            widget=forms.CheckboxSelectMultiple,
            label="Tools that an agent is shown",
            help_text="None chosen: all. It gives and takes no rights.",
        )

    def valid_value(self, value: Any) -> bool:
        return True


class TokenForm(ProblemForm):
    name = forms.CharField(max_length=64, help_text="What will use it, for example “nightly scaling job”.")
    role = forms.ChoiceField(choices=Role.choices, help_text="At most your own.")
    expires_in_days = forms.IntegerField(min_value=1, max_value=366, initial=90, label="Ends after (days)")
    clusters = forms.CharField(required=False, label="Limit to clusters", help_text="Names, separated by spaces; empty for every cluster.")
    accounts = AccountsField()
    operations_per_hour = forms.IntegerField(
        required=False, min_value=1, max_value=MOST_OPERATIONS, label="Operations an hour", help_text="Empty for any number."
    )
    cost_per_hour = forms.FloatField(
        required=False,
        min_value=0,
        max_value=MOST_COST,
        label="Cost an hour (US dollars)",
        help_text="What its operations may add to the running cost, within an hour; empty for any.",
    )
    read_only = forms.BooleanField(required=False, label="Read-only")
    agent = forms.BooleanField(required=False, label="For an AI agent", help_text="What it destroys then waits for a person's approval.")

    toolsets = ToolsetsField()

    def cluster_names(self) -> list[str] | None:
        names: list[str] = self.cleaned_data["clusters"].replace(",", " ").split()
        return names or None


class TokenLimitsForm(forms.Form):
    """Empty: no limit."""

    operations_per_hour = forms.IntegerField(required=False, min_value=1, max_value=MOST_OPERATIONS, label="Operations an hour")
    cost_per_hour = forms.FloatField(required=False, min_value=0, max_value=MOST_COST, label="Cost an hour")


class UserForm(ProblemForm):
    username = forms.CharField(label="User name", max_length=150)
    email = forms.EmailField(required=False)
    role = forms.ChoiceField(choices=Role.choices)
    accounts = AccountsField()
    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), help_text="At least 10 characters.")


class PasswordForm(ProblemForm):
    old_password = forms.CharField(label="Present password", widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))
    password = forms.CharField(
        label="New password", widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}), help_text="At least 10 characters."
    )
    again = forms.CharField(label="New password again", widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}))

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if data.get("password") and data.get("again") and data["password"] != data["again"]:
            self.add_error("again", "The two are not the same.")
        return data
