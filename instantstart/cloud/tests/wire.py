"""AWS's answers without AWS: stands where botocore hands a request to the network, so that everything above is the real thing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from unittest.mock import patch

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from urllib3.response import HTTPResponse

Answer = Exception | tuple[int, dict[str, str], bytes]


@dataclass
class Wire:
    """Requests that were sent, and the answers in order; `always` answers when there are none left."""

    answers: list[Answer] = field(default_factory=list)
    requests: list[AWSPreparedRequest] = field(default_factory=list)
    always: Callable[[AWSPreparedRequest], Answer] | None = None

    def say(self, body: Any, status: int = 200, **headers: str) -> None:
        """One more answer: JSON for a mapping, else text or bytes."""
        raw = json.dumps(body).encode() if isinstance(body, dict) else body.encode() if isinstance(body, str) else body
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, raw))

    def fail(self, error: Exception) -> None:
        self.answers.append(error)

    def send(self, request: AWSPreparedRequest) -> AWSResponse:
        self.requests.append(request)
        if self.answers:
            answer = self.answers.pop(0)
        elif self.always is not None:
            answer = self.always(request)
        else:
            raise AssertionError(f"nobody expected {request.method} {request.url}")
        if isinstance(answer, Exception):
            raise answer
        status, headers, body = answer
        raw = HTTPResponse(BytesIO(body), headers=headers, status=status, preload_content=False)
        return AWSResponse(request.url, status, raw.headers, raw)


@contextmanager
def wired() -> Iterator[Wire]:
    wire = Wire()
    with patch("botocore.httpsession.URLLib3Session.send", lambda _session, request: wire.send(request)):
        yield wire
