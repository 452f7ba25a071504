"""The base of our forms: Tabler's looks, and problems shown field by field."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from instantstart.problem import Problem


class ProblemForm(forms.Form):
    """A form that only reads input; what it means is decided by actions, whose Problem it shows beside the fields.

    aliases: input path of the action → name of the form's field, where they differ.
    """

    aliases: dict[str, str] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.style()

    def style(self) -> None:
        """Tabler's classes on every field; again by a form that adds fields."""
        for field in self.fields.values():
            kind = "form-select" if isinstance(field.widget, forms.Select) else "form-control"
            field.widget.attrs.setdefault("class", kind)
            if isinstance(field, forms.CharField) and not isinstance(field.widget, forms.Textarea):
                field.widget.attrs.setdefault("autocomplete", "off")

    def add_problem(self, problem: Problem) -> None:
        """Put each field's sentence beside its field; what concerns no field of the form goes on top."""
        placed = False
        for error in problem.errors:
            path = re.sub(r"(\.\d+)+$", "", error.field)  # an item of a list is shown beside the list's field
            name = self.aliases.get(path, path.replace(".", "_"))
            detail = error.detail if error.detail.endswith((".", "!", "?", ":", ";")) else f"{error.detail}."  # pydantic's have none
            sentence = f"{detail} {error.hint}".strip()
            if error.code == "string_pattern_mismatch" and name in self.fields and self.fields[name].help_text:
                sentence = f"This does not fit. {self.fields[name].help_text}"  # rather than a regular expression
            self.add_error(
                name if name in self.fields else None, sentence if name in self.fields or not error.field else f"{error.field}: {sentence}"
            )
            placed = True
        if not placed:
            self.add_error(None, str(problem))
