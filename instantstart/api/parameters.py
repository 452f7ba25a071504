"""Query parameters and headers that many calls share, as the schema shows them."""

from __future__ import annotations

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

FIELDS = OpenApiParameter("fields", OpenApiTypes.STR, description="Only these members, separated by commas.")
DRY_RUN = OpenApiParameter("dry_run", OpenApiTypes.BOOL, description="Answer with the plan and change nothing.")
PLAN_FINGERPRINT = OpenApiParameter(
    "plan_fingerprint",
    OpenApiTypes.STR,
    description="Fingerprint of the plan that was agreed to: 409 `plan_changed` when it would be another by now.",
)
WAIT = OpenApiParameter(
    "wait", {"type": "number", "minimum": 0, "maximum": 25}, description="Seconds to wait for the operation to end before answering."
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255},
    OpenApiParameter.HEADER,
    description="A new UUID for each change: the same call under it is carried out once, and answered the same for 24 hours or more.",
)
REASON = OpenApiParameter(
    "Operation-Reason",
    {"type": "string", "minLength": 1, "maxLength": 500},
    OpenApiParameter.HEADER,
    description="Why, in one sentence (UTF-8): shown, quoted as yours, to whoever has to approve the change, and kept with the operation.",
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="ETag of what you have: 304 when it is still so."
)
IF_MATCH = OpenApiParameter(
    "If-Match", OpenApiTypes.STR, OpenApiParameter.HEADER, description="ETag of what you saw: 412 when it is another by now."
)
