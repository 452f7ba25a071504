"""The specification travels in the template, so that a half-made attempt can be resumed even without our database."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from clusters.resolved import ResolvedSpec

_KEY, _SPECIFICATION = "InstantStart", "Specification"
LINT = {"cfn-lint": {"config": {"ignore_checks": ["W3010"]}}}
"""W3010 advises against zones by name, for templates that go to many regions; this one is made for one cluster in one place."""


def metadata(spec: ResolvedSpec) -> dict[str, Any]:
    """The template's Metadata section. CloudFormation's templates know no null: what is None is left out, and is None when read."""
    return {**LINT, _KEY: {_SPECIFICATION: spec.model_dump(mode="json", exclude_none=True)}}


def specification_in(template: str | Mapping[str, Any]) -> ResolvedSpec | None:
    """What a stack's template was made of; None when it doesn't say, or says it in a way that is not ours."""
    try:
        document = json.loads(template) if isinstance(template, str) else template
        return ResolvedSpec.model_validate(document["Metadata"][_KEY][_SPECIFICATION])
    except (ValueError, KeyError, TypeError, ValidationError):
        return None
