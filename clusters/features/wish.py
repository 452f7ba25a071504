"""From what a person asks for to what each feature is to be: settings filled in, and what must go along drawn in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import Field, ValidationError

from clusters.features import REGISTRY, FeatureSeen
from clusters.features.relations import required_by, requirements_first
from clusters.resolved import ResolvedSpec
from clusters.spec import Input
from instantstart.input_errors import field_errors
from instantstart.problem import FieldError, Problem


class FeatureChange(Input):
    """What changes of one feature; what is left out stays as it is. settings: see the feature's own fields."""

    enabled: bool | None = None
    settings: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True)
class Wish:
    """What a feature is to be. settings: all of them, chosen, as they are, or by default. asked: by name, not drawn in."""

    name: str
    enabled: bool
    settings: Mapping[str, Any] = field(default_factory=dict)
    asked: bool = True

    def as_json(self) -> dict[str, Any]:
        return {"enabled": self.enabled, "settings": dict(self.settings)}


def wishes(asked: Mapping[str, FeatureChange], seen: Mapping[str, FeatureSeen], spec: ResolvedSpec, *, cascade: bool) -> list[Wish]:
    """In the order to carry them out: first what goes, dependents before what they need; then what comes, the other way round.

    cascade: draws in what must be turned on, or off, along with what was asked for. Problem 422 names each wrong field.
    """
    on = {name: one for name, change in asked.items() if (one := _wish(name, change, seen[name], spec)).enabled}
    off = {name: Wish(name, False, seen[name].settings) for name in asked if name not in on}
    if cascade:
        _draw_in(on, off, seen, spec)
    return [
        *(off[name] for name in reversed(requirements_first(off))),
        *(on[name] for name in requirements_first(on)),
    ]


def _draw_in(on: dict[str, Wish], off: dict[str, Wish], seen: Mapping[str, FeatureSeen], spec: ResolvedSpec) -> None:
    to_come = [*off]
    while to_come:
        for other in required_by(to_come.pop()):
            if other not in off and other not in on and seen[other].state != "absent":
                off[other] = Wish(other, False, seen[other].settings, asked=False)
                to_come.append(other)
    to_come = [*on]
    while to_come:
        for other in REGISTRY[to_come.pop()].requires:
            if other not in on and other not in off and not seen[other].on:
                on[other] = Wish(other, True, {**REGISTRY[other].defaults(spec), **_told(seen[other])}, asked=False)
                to_come.append(other)


def _wish(name: str, change: FeatureChange, seen: FeatureSeen, spec: ResolvedSpec) -> Wish:
    feature = REGISTRY[name]
    enabled = seen.on if change.enabled is None else change.enabled
    given = chosen(name, change.settings)
    if given and not enabled:
        raise Problem(
            422,
            "feature_off",
            "Feature is off",
            f"{feature.title} is off, so its settings can't be changed.",
            f"Send enabled: true for {name} along with them.",
            errors=[FieldError(f"features.{name}.enabled", "feature_off", f"{feature.title} is off.", "Send enabled: true.")],
        )
    return Wish(name, enabled, {**feature.defaults(spec), **_told(seen), **given})


def _told(seen: FeatureSeen) -> dict[str, Any]:
    """What the world tells of the settings."""
    return {name: value for name, value in seen.settings.items() if value is not None}


def chosen(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were given, typed. Problem 422 with each field that is wrong, the reason and the fix."""
    feature = REGISTRY[name]
    try:
        return feature.Settings.model_validate(dict(settings)).model_dump(mode="json", exclude_unset=True, exclude_none=True)
    except ValidationError as error:
        known = ", ".join(feature.Settings.model_fields) or "none"
        raise Problem(
            422,
            "invalid_input",
            "Invalid input",
            f"{feature.title}: the settings have {error.error_count()} {'error' if error.error_count() == 1 else 'errors'}.",
            "Correct the fields named under errors.",
            errors=[
                replace(one, hint=f"Its settings are: {known}.") if one.code == "extra_forbidden" else one
                for one in field_errors(error, feature.Settings, f"features.{name}.settings.")
            ],
        ) from None
