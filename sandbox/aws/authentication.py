"""Who made a request: the access key's principal, or the refusal in the service's own words."""

from __future__ import annotations

import hmac
import time

from sandbox.aws import sigv4
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol.wire import Request
from sandbox.identity import Principal
from sandbox.world import World

_QUERY = {"sts", "iam", "cloudformation"}
_INVALID_TOKEN = "The security token included in the request is invalid."  # noqa: S105
_EXPIRED_TOKEN = "The security token included in the request is expired"  # noqa: S105


def principal_of(world: World, service: str, request: Request, claim: sigv4.Signature | None) -> Principal:
    """Raises AWSError: missing, unknown, expired or wrong credentials, or a clock that is off."""
    if claim is None:
        raise _missing(service)
    key = world.identity.key(claim.access_key)
    if key is None:
        raise _unknown(service, claim.access_key)
    if not hmac.compare_digest(key.session_token.encode(), claim.token.encode("utf-8", "surrogateescape")):
        raise _unknown(service, claim.access_key)
    try:
        sigv4.verify(request, claim, key.secret_key)
    except sigv4.Refused as refused:
        raise refusal(service, refused) from refused
    expired = key.expires_at is not None and key.expires_at <= time.time()
    if expired or world.faults.scenario("expired_credentials", access_key=key.access_key) is not None:
        raise _expired(service)
    return key.principal


def refusal(service: str, refused: sigv4.Refused) -> AWSError:
    reason, message = refused.reason, refused.message
    if service == "s3":
        code, status = {
            "malformed": ("AuthorizationHeaderMalformed", 400),
            "skew": ("RequestTimeTooSkewed", 403),
            "expired": ("AccessDenied", 403),
            "content": ("XAmzContentSHA256Mismatch", 400),
        }.get(reason, ("SignatureDoesNotMatch", 403))
        if reason == "skew":
            message = "The difference between the request time and the current time is too large."
        return AWSError(code, message, status)
    if service == "ec2":
        if reason in ("skew", "expired"):
            return AWSError("RequestExpired", message)
        return AWSError("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    if service in _QUERY:
        if reason == "malformed":
            return AWSError("IncompleteSignature", message)
        return AWSError("SignatureDoesNotMatch", message, 403)
    if reason == "malformed":
        return AWSError("IncompleteSignatureException", message, 403 if service == "eks" else 400)
    return AWSError("InvalidSignatureException", message, 403 if service == "eks" else 400)


def _missing(service: str) -> AWSError:
    if service == "s3":
        return AWSError("AccessDenied", "Access Denied", 403)
    if service == "ec2" or service in _QUERY:
        return AWSError("MissingAuthenticationToken", "Request is missing Authentication Token", 403)
    return AWSError("MissingAuthenticationTokenException", "Missing Authentication Token", 403 if service == "eks" else 400)


def _unknown(service: str, access_key: str) -> AWSError:
    if service == "s3":
        return AWSError(
            "InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", 403, AWSAccessKeyId=access_key
        )
    if service == "ec2":
        return AWSError("AuthFailure", "AWS was not able to validate the provided access credentials", 401)
    if service in _QUERY:
        return AWSError("InvalidClientTokenId", _INVALID_TOKEN, 403)
    return AWSError("UnrecognizedClientException", _INVALID_TOKEN, 403 if service == "eks" else 400)


def _expired(service: str) -> AWSError:
    if service == "s3":
        return AWSError("ExpiredToken", "The provided token has expired.")
    if service == "ec2":
        return AWSError("RequestExpired", "Request has expired.")
    if service in _QUERY:
        return AWSError("ExpiredToken", _EXPIRED_TOKEN, 403)
    return AWSError("ExpiredTokenException", _EXPIRED_TOKEN, 403 if service == "eks" else 400)
