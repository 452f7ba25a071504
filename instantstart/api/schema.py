"""How OpenAPI is generated from the views."""

from drf_spectacular.openapi import AutoSchema


class Schema(AutoSchema):
    """Filled below."""
