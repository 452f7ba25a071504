"""Names of S3 buckets in what a person sends. Source: Amazon S3 User Guide, "General purpose bucket naming rules"."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_NAME = re.compile(r"(?!.*\.\.)(?![0-9]+(\.[0-9]+){3}$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIXES = ("xn--", "sthree-", "amzn-s3-demo-")
_SUFFIXES = ("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3")


def is_bucket_name(name: str) -> bool:
    """Whether a general purpose bucket can have this name."""
    return _NAME.fullmatch(name) is not None and not name.startswith(_PREFIXES) and not name.endswith(_SUFFIXES)


def _checked(name: str) -> str:
    if name and not is_bucket_name(name):
        raise PydanticCustomError(
            "not_a_bucket_name",
            "this is no name of an S3 bucket: it has 3 to 63 small letters, digits, hyphens and single dots, and is no address",
        )
    return name


BucketNameOrNone = Annotated[str, AfterValidator(_checked)]
"""Empty: none was named."""
