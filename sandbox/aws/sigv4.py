"""Signature Version 4, checked: in the header, in the query (presigned), and S3's older presigned form."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from sandbox.aws.protocol.wire import Request

_HEADER = re.compile(
    r"AWS4-HMAC-SHA256\s+Credential=(?P<credential>[^,\s]+),\s*SignedHeaders=(?P<signed>[^,\s]+),\s*Signature=(?P<signature>[0-9a-f]+)"
)
_SKEW_SECONDS = 300  # 15 minutes on S3
_S3_SKEW_SECONDS = 900
_MAX_PRESIGNED_SECONDS = 604_800
_FORMAT = "%Y%m%dT%H%M%SZ"
# Sub-resources and overrides that are part of what an old S3 signature covers
_S3_SUBRESOURCES = {
    "acl", "cors", "delete", "encryption", "lifecycle", "location", "logging", "notification", "partNumber", "policy", "tagging",
    "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
    "response-cache-control", "response-content-disposition", "response-content-encoding", "response-content-language",
    "response-content-type", "response-expires",
}  # fmt: skip


@dataclass(frozen=True)
class Signature:
    """What a request claims."""

    access_key: str
    date: str  # yyyymmdd of the credential's scope
    region: str
    service: str  # signing name
    signed_headers: tuple[str, ...]
    signature: str
    at: str  # X-Amz-Date
    token: str  # security token, "" without
    expires: int | None  # seconds of a presigned request, None when signed in the header
    old: bool = False  # S3's query signature of version 2


class Refused(Exception):
    """`reason`: missing | malformed | mismatch | skew | expired | content"""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def claimed(request: Request) -> Signature | None:
    """The signature of a request, None when it has none. Raises Refused("malformed")."""
    header = request.header("authorization")
    if header:
        found = _HEADER.fullmatch(header.strip())
        if found is None:
            raise Refused("malformed", "The authorization header is not a valid AWS4-HMAC-SHA256 header.")
        return _signature(
            found["credential"],
            found["signed"],
            found["signature"],
            request.header("x-amz-date"),
            request.header("x-amz-security-token"),
            None,
        )
    query = dict(request.query)
    if "X-Amz-Signature" in query:
        try:
            expires = int(query.get("X-Amz-Expires", ""))
        except ValueError as error:
            raise Refused("malformed", "X-Amz-Expires must be a number of seconds.") from error
        return _signature(
            query.get("X-Amz-Credential", ""),
            query.get("X-Amz-SignedHeaders", ""),
            query["X-Amz-Signature"],
            query.get("X-Amz-Date", ""),
            query.get("X-Amz-Security-Token", ""),
            expires,
        )
    if "AWSAccessKeyId" in query and "Signature" in query and "Expires" in query:
        try:
            until = int(query["Expires"])
        except ValueError as error:
            raise Refused("malformed", "Expires must be epoch seconds.") from error
        return Signature(
            query["AWSAccessKeyId"], "", "", "s3", (), query["Signature"], "", query.get("x-amz-security-token", ""), until, old=True
        )
    return None


def verify(request: Request, claim: Signature, secret: str, now: Callable[[], float] = time.time) -> None:
    """Raise Refused unless `secret` made this signature, for this request, recently enough."""
    if claim.old:
        _verify_old(request, claim, secret, now())
        return
    _check_time(claim, now())
    if "host" not in claim.signed_headers:
        raise Refused("malformed", "The host header must be signed.")
    expected = signature_of(request, claim, secret)
    if not hmac.compare_digest(expected, claim.signature):
        raise Refused(
            "mismatch",
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
        )
    declared = request.header("x-amz-content-sha256")
    if claim.expires is None and re.fullmatch("[0-9a-f]{64}", declared) and declared != hashlib.sha256(request.body).hexdigest():
        raise Refused("content", "The provided 'x-amz-content-sha256' header does not match what was computed.")


def signature_of(request: Request, claim: Signature, secret: str) -> str:
    """The signature that `secret` gives for this request as it was signed."""
    scope = f"{claim.date}/{claim.region}/{claim.service}/aws4_request"
    canonical = hashlib.sha256(_canonical(request, claim).encode("utf-8", "surrogateescape")).hexdigest()
    to_sign = "\n".join(("AWS4-HMAC-SHA256", claim.at, scope, canonical))
    key = ("AWS4" + secret).encode()
    for part in (claim.date, claim.region, claim.service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, to_sign.encode(), hashlib.sha256).hexdigest()


def _signature(credential: str, signed: str, signature: str, at: str, token: str, expires: int | None) -> Signature:
    parts = credential.split("/")
    if len(parts) != 5 or parts[4] != "aws4_request" or not all(parts):
        raise Refused("malformed", "The credential must be <access key>/<date>/<region>/<service>/aws4_request.")
    return Signature(parts[0], parts[1], parts[2], parts[3], tuple(signed.split(";")), signature, at, token, expires)


def _check_time(claim: Signature, now: float) -> None:
    try:
        at = datetime.datetime.strptime(claim.at, _FORMAT).replace(tzinfo=datetime.UTC).timestamp()
    except ValueError as error:
        raise Refused("malformed", "X-Amz-Date must be in the form yyyymmddThhmmssZ.") from error
    if not claim.at.startswith(claim.date):
        raise Refused("mismatch", f"Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date: {claim.date}")
    skew = _S3_SKEW_SECONDS if claim.service == "s3" else _SKEW_SECONDS
    stamp = datetime.datetime.fromtimestamp(now, datetime.UTC).strftime(_FORMAT)
    if claim.expires is not None:
        if not 0 < claim.expires <= _MAX_PRESIGNED_SECONDS:
            raise Refused("malformed", "X-Amz-Expires must be between 1 and 604800 seconds.")
        if now > at + claim.expires:
            raise Refused("expired", "Request has expired.")
    elif at < now - skew:
        raise Refused("skew", f"Signature expired: {claim.at} is now earlier than {_minus(now, skew)} ({stamp} - {skew // 60} min.)")
    if at > now + skew:
        raise Refused(
            "skew", f"Signature not yet current: {claim.at} is still later than {_minus(now, -skew)} ({stamp} + {skew // 60} min.)"
        )


def _minus(now: float, seconds: float) -> str:
    return datetime.datetime.fromtimestamp(now - seconds, datetime.UTC).strftime(_FORMAT)


def _canonical(request: Request, claim: Signature) -> str:
    headers = "".join(f"{name}:{_trimmed(request.header(name))}\n" for name in claim.signed_headers)
    return "\n".join(
        (
            request.method,
            _canonical_path(request.raw_path, claim.service),
            _canonical_query(request.raw_query, claim.expires is not None),
            headers,
            ";".join(claim.signed_headers),
            _payload_hash(request, claim),
        )
    )


def _trimmed(value: str) -> str:
    return " ".join(value.split())


def _canonical_path(raw_path: str, service: str) -> str:
    path = raw_path or "/"
    if service == "s3":
        return (
            quote(unquote(path, errors="surrogateescape"), safe="/-_.~", errors="surrogateescape") if "%" in path or "+" in path else path
        )
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            if segments:
                segments.pop()
        elif segment not in ("", "."):
            segments.append(segment)
    normal = "/" + "/".join(segments) + ("/" if path.endswith("/") and segments else "")
    return quote(normal, safe="/-_.~")


def _canonical_query(raw_query: str, presigned: bool) -> str:
    pairs = []
    for part in raw_query.split("&"):
        if not part:
            continue
        name, _, value = part.partition("=")
        name, value = (quote(unquote(text.replace("+", " ")), safe="-_.~") for text in (name, value))
        if not (presigned and name == "X-Amz-Signature"):
            pairs.append((name, value))
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def _payload_hash(request: Request, claim: Signature) -> str:
    declared = request.header("x-amz-content-sha256")
    if claim.expires is not None and claim.service == "s3":
        return declared or "UNSIGNED-PAYLOAD"
    return declared or hashlib.sha256(request.body).hexdigest()


def _verify_old(request: Request, claim: Signature, secret: str, now: float) -> None:
    assert claim.expires is not None  # noqa: S101 - it is what makes the claim an old one
    if now > claim.expires:
        raise Refused("expired", "Request has expired")
    amz = sorted((name, value) for name, value in request.headers.items() if name.startswith("x-amz-"))
    amz += [(name, value) for name, value in request.query if name == "x-amz-security-token"]
    resource = request.raw_path
    kept = sorted((name, value) for name, value in request.query if name in _S3_SUBRESOURCES)
    if kept:
        resource += "?" + "&".join(f"{name}={value}" if value else name for name, value in kept)
    to_sign = "\n".join(
        (
            request.method,
            request.header("content-md5"),
            request.header("content-type"),
            str(claim.expires),
            "".join(f"{name}:{value}\n" for name, value in sorted(amz)) + resource,
        )
    )
    expected = base64.b64encode(hmac.new(secret.encode(), to_sign.encode(), hashlib.sha1).digest()).decode()
    if not hmac.compare_digest(expected, claim.signature):
        raise Refused("mismatch", "The request signature we calculated does not match the signature you provided.")
