"""S3's aws-chunked bodies: signed or unsigned chunks, with trailers. Chunk signatures are not checked, only the request's."""

from __future__ import annotations

from dataclasses import replace

from sandbox.aws.errors import AWSError
from sandbox.aws.protocol.wire import Request

_MAX_LINE = 16_384


def is_chunked(request: Request) -> bool:
    return request.header("x-amz-content-sha256").startswith("STREAMING-") or "aws-chunked" in request.header("content-encoding")


def unwrapped(request: Request) -> Request:
    """The request with its real body, the trailers as headers, and without "aws-chunked". Raises AWSError."""
    body, trailers = _decode(request.body)
    declared = request.header("x-amz-decoded-content-length")
    if declared.isdigit() and int(declared) != len(body):
        raise AWSError("IncompleteBody", "The request body terminated unexpectedly")
    headers = {**request.headers, **trailers}
    coding = [part.strip() for part in request.header("content-encoding").split(",") if part.strip() not in ("", "aws-chunked")]
    headers.pop("content-encoding", None)
    if coding:
        headers["content-encoding"] = ",".join(coding)
    return replace(request, body=body, headers=headers)


def _decode(body: bytes) -> tuple[bytes, dict[str, str]]:
    parts: list[bytes] = []
    position = 0
    while True:
        end = body.find(b"\r\n", position, position + _MAX_LINE)
        if end < 0:
            raise AWSError("IncompleteBody", "The request body terminated unexpectedly")
        try:
            size = int(body[position:end].split(b";")[0], 16)
        except ValueError as error:
            raise AWSError("InvalidChunkSizeError", "A chunk's size is not a hexadecimal number.", 403) from error
        position = end + 2
        if size == 0:
            break
        if size < 0 or position + size > len(body):
            raise AWSError("IncompleteBody", "The request body terminated unexpectedly")
        parts.append(body[position : position + size])
        position += size + 2
    trailers = {}
    for line in body[position : position + _MAX_LINE].split(b"\r\n"):
        name, separator, value = line.decode("latin-1").partition(":")
        if separator:
            trailers[name.strip().lower()] = value.strip()
    return b"".join(parts), trailers
