"""The form of a feature's settings, made from their model: adding a feature adds no form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django import forms

from clusters.features import Feature
from instantstart.web.forms import ProblemForm

YES_NO = {"": "As it is", "true": "Yes", "false": "No"}


class LinesField(forms.CharField):
    """A list of texts, one a line."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.widget.attrs.update(rows=3, spellcheck="false")

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [line.strip() for line in (super().to_python(value) or "").splitlines() if line.strip()]


class FeatureForm(ProblemForm):
    """The settings as they are, to be changed. What is left as it is, or left empty, is not sent."""

    def __init__(self, feature: Feature, current: Mapping[str, Any], data: Any = None) -> None:
        self.current = current
        self.aliases = {f"features.{feature.name}.settings.{name}": name for name in feature.Settings.model_fields}
        super().__init__(data, initial={name: value for name, value in current.items() if value is not None})
        schema = feature.Settings.model_json_schema()
        for name, described in schema.get("properties", {}).items():
            self.fields[name] = field_of(name, described, schema.get("$defs", {}))
        self.style()

    def changed_settings(self) -> dict[str, Any]:
        """Those that a person chose otherwise than they are."""
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None, []) and value != self.current.get(name)}


def field_of(name: str, described: Mapping[str, Any], definitions: Mapping[str, Any]) -> forms.Field:
    """The form's field for one property of a JSON schema; what is no plain value or list of texts is typed as JSON."""
    common: dict[str, Any] = {
        "required": False,
        "label": described.get("title", name).capitalize(),
        "help_text": described.get("description", ""),
    }
    kind = _plain(described, definitions)
    match kind.get("type"):
        case "integer":
            return forms.IntegerField(min_value=kind.get("minimum"), max_value=kind.get("maximum"), **common)
        case "boolean":
            return forms.TypedChoiceField(choices=list(YES_NO.items()), coerce=json.loads, empty_value=None, **common)
        case "string" if "enum" in kind:
            return forms.ChoiceField(choices=[("", "As it is"), *((one, one) for one in kind["enum"])], **common)
        case "string":
            return forms.CharField(**common)
        case "array" if _plain(kind.get("items", {}), definitions).get("type") == "string":
            return LinesField(**{**common, "help_text": f"{common['help_text']} One a line.".strip()})
        case _:
            return forms.JSONField(**common, widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "form-control mono"}))


def _plain(described: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one kind of value that a property takes besides null."""
    kinds = [one for one in described.get("anyOf", ()) if one.get("type") != "null"]
    kind = kinds[0] if len(kinds) == 1 else described
    return definitions.get(kind["$ref"].rpartition("/")[2], {}) if "$ref" in kind else kind
