"""Why a caller asks for a change, in its own words."""

from __future__ import annotations

from rest_framework.request import Request

from instantstart.api.parameters import REASON
from instantstart.problem import Problem

LONGEST = 500


def reason_of(request: Request) -> str:
    """The call's reason, "" without one. Problem 400 when it is longer than 500 characters, or not printable.

    Untrusted text: it is only ever quoted.
    """
    given: str = request.headers.get(REASON.name, "").strip()
    try:
        given = given.encode("latin-1").decode()  # HTTP hands bytes on as Latin-1; callers write UTF-8
    except (UnicodeEncodeError, UnicodeDecodeError):
        pass
    if len(given) > LONGEST or not given.isprintable():
        raise Problem(
            400,
            "invalid_reason",
            "Invalid reason",
            f"{REASON.name} is at most {LONGEST} printable characters.",
            "Say why in one sentence.",
        )
    return given
