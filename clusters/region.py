"""Names of AWS regions in what a person sends."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from instantstart.problem import FieldError, Problem

CODE = "not_a_region"
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]")


def is_region(name: str) -> bool:
    """Whether it could be one: it becomes part of the host name that AWS is called at."""
    return _REGION.fullmatch(name) is not None


def asked_region(name: str) -> str:
    """The name, of a query. Problem 400 for what is no region."""
    if not is_region(name):
        error = FieldError("region", CODE, f"{name} is no name of a region.", "Send one of /api/v1/catalog/regions/.")
        raise Problem(400, "invalid_parameter", "Invalid parameter", error.detail, error.hint, errors=[error])
    return name


def _checked(name: str) -> str:
    if not is_region(name):
        raise PydanticCustomError(CODE, "this is no name of a region; send one of /api/v1/catalog/regions/")
    return name


Region = Annotated[str, AfterValidator(_checked)]
RegionOrDefault = Annotated[str, AfterValidator(lambda name: name and _checked(name))]
"""Empty: the control plane's own."""
