"""EKS bearer tokens, verified offline: `k8s-aws-v1.` and base64url of a presigned GetCallerIdentity URL.

The signature is computed again with the secret of the key that the URL names. Format and lifetimes: reference/aws.md §7.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlsplit

from sandbox.identity import AccessKey

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
LIFETIME_SECONDS = 15 * 60
_FUTURE_SECONDS = 5 * 60
_ALGORITHM = "AWS4-HMAC-SHA256"


class TokenRefused(Exception):
    """Why a token is not accepted, in one sentence."""


def verify(token: str, cluster_name: str, find_key: Callable[[str], AccessKey | None], now: float | None = None) -> AccessKey:
    """The key that signed the token for this cluster; TokenRefused otherwise. `now` is in epoch seconds."""
    now = time.time() if now is None else now
    url = urlsplit(_decode(token))
    pairs = parse_qsl(url.query, keep_blank_values=True)
    query = dict(pairs)
    if len(query) != len(pairs):
        raise TokenRefused("a query parameter of the signed URL is given twice")
    if query.get("Action") != "GetCallerIdentity" or query.get("X-Amz-Algorithm") != _ALGORITHM:
        raise TokenRefused("the token is not a presigned sts:GetCallerIdentity request")
    signed = query.get("X-Amz-SignedHeaders", "").split(";")
    if CLUSTER_HEADER not in signed or "host" not in signed:
        raise TokenRefused(f"the token does not sign the headers host and {CLUSTER_HEADER}")
    known = {"host": url.netloc, CLUSTER_HEADER: cluster_name}
    if not known.keys() >= set(signed):
        raise TokenRefused("the token signs headers that are not sent with it")
    scope = query.get("X-Amz-Credential", "").split("/")
    if len(scope) != 5 or scope[3:] != ["sts", "aws4_request"]:
        raise TokenRefused("the token's credential is not for sts")
    key = find_key(scope[0])
    if key is None:
        raise TokenRefused(f"there is no access key {scope[0]}")
    _check_times(query.get("X-Amz-Date", ""), key, now)
    if key.session_token and not hmac.compare_digest(key.session_token, query.get("X-Amz-Security-Token", "")):
        raise TokenRefused("the security token is not that of the access key")
    canonical_query = "&".join(sorted(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs if name != "X-Amz-Signature"))
    headers = "".join(f"{name}:{known[name]}\n" for name in signed)
    empty_body = hashlib.sha256(b"").hexdigest()
    canonical = "\n".join(("GET", url.path or "/", canonical_query, headers, ";".join(signed), empty_body))
    if not hmac.compare_digest(_signature(key.secret_key, query["X-Amz-Date"], scope, canonical), query.get("X-Amz-Signature", "")):
        raise TokenRefused(f"the signature does not match: another secret key, or a token for another cluster than {cluster_name}")
    return key


def _decode(token: str) -> str:
    if not token.startswith(PREFIX):
        raise TokenRefused(f"the token does not begin with {PREFIX}")
    encoded = token.removeprefix(PREFIX)
    try:
        return base64.b64decode(encoded + "=" * (-len(encoded) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise TokenRefused("the token is not base64url without padding") from error


def _check_times(date: str, key: AccessKey, now: float) -> None:
    try:
        signed_at = dt.datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=dt.UTC).timestamp()
    except ValueError as error:
        raise TokenRefused("the token has no X-Amz-Date") from error
    if now > signed_at + LIFETIME_SECONDS:
        raise TokenRefused(f"the token expired: it was signed {now - signed_at:.0f} s ago and is good for {LIFETIME_SECONDS} s")
    if signed_at > now + _FUTURE_SECONDS:
        raise TokenRefused("the token was signed in the future: check the clock")
    if key.expires_at is not None and now > key.expires_at:
        raise TokenRefused("the session's credentials have expired")


def _signature(secret: str, date: str, scope: list[str], canonical: str) -> str:
    _, day, region, service, ending = scope
    text = "\n".join((_ALGORITHM, date, "/".join(scope[1:]), hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, ending):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")
