"""Entity tags: what has not changed is not sent again, and is not changed by who saw something older."""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from instantstart.problem import Problem


def etag_of(content: bytes) -> str:
    """Strong tag of these bytes."""
    return f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'


def etag_of_data(data: Any) -> str:
    """Tag of what a GET without `fields` answers with this data."""
    return etag_of(JSONRenderer().render(data))


def add_etag(request: Request, response: Response) -> None:
    """Tag a GET's answer once it is rendered; 304 without a body when the caller has it already."""
    if request.method not in ("GET", "HEAD") or response.status_code != 200:
        return

    def tag(rendered: Response) -> HttpResponse | None:
        etag = etag_of(rendered.content)
        rendered["ETag"] = etag
        rendered["Cache-Control"] = "private, no-cache"
        if not _matches(etag, request.headers.get("If-None-Match", "")):
            return None
        fresh = HttpResponseNotModified()
        for name in ("ETag", "Cache-Control", "Vary"):
            if name in rendered:
                fresh[name] = rendered[name]
        return fresh

    response.add_post_render_callback(tag)


def require_match(request: Request, data: Any) -> None:
    """Problem 412 when the call carries an If-Match that is not the tag of `data`, the thing as a GET would show it now."""
    wanted = request.headers.get("If-Match")
    if wanted is None or wanted.strip() == "*":
        return
    if etag_of_data(data) not in parse_etags(wanted):
        raise Problem(
            412, "changed_meanwhile", "Changed meanwhile", "It is not any more what you saw.", "Read it again and decide on what it is now."
        )


def _matches(etag: str, header: str) -> bool:
    """If-None-Match compares weakly (RFC 9110 §13.1.2)."""
    if header.strip() == "*":
        return True
    return any(seen.removeprefix("W/") == etag for seen in parse_etags(header))
