"""From botocore's exceptions to CloudError: one place that knows them all."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import Any

import urllib3
from botocore import exceptions as botocore
from botocore.parsers import ResponseParserError

from instantstart.cloud import errors
from instantstart.cloud.errors import CloudError

RAISED = (botocore.BotoCoreError, botocore.ClientError, ResponseParserError, urllib3.exceptions.HTTPError)
"""What a call through boto3 raises when it says so."""
UNPARSED = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What botocore's parsers raise for an answer of another shape, such as a proxy's page."""

# Order counts: the first class that matches wins (ConnectTimeoutError is a ConnectionError of botocore as well).
_BELOW_THE_ANSWER: tuple[tuple[type[Exception], str, bool | None], ...] = (
    (botocore.ConnectTimeoutError, errors.UNREACHABLE, False),
    (botocore.EndpointConnectionError, errors.UNREACHABLE, False),
    (botocore.ProxyConnectionError, errors.UNREACHABLE, False),
    (botocore.ReadTimeoutError, errors.TIMEOUT, None),
    (botocore.ConnectionClosedError, errors.CONNECTION_RESET, None),
    (botocore.SSLError, errors.TLS_FAILED, None),
    (botocore.ResponseStreamingError, errors.CONNECTION_RESET, None),
    (botocore.IncompleteReadError, errors.CONNECTION_RESET, None),
    (botocore.HTTPClientError, errors.CONNECTION_RESET, None),
    (botocore.NoCredentialsError, errors.NO_CREDENTIALS, False),
    (botocore.PartialCredentialsError, errors.NO_CREDENTIALS, False),
    (botocore.ProfileNotFound, errors.NO_CREDENTIALS, False),
    (botocore.TokenRetrievalError, errors.EXPIRED_CREDENTIALS, False),
    (botocore.UnauthorizedSSOTokenError, errors.EXPIRED_CREDENTIALS, False),
    (botocore.SSOTokenLoadError, errors.EXPIRED_CREDENTIALS, False),
    (botocore.CredentialRetrievalError, errors.NO_CREDENTIALS, False),
    (botocore.ParamValidationError, errors.INVALID_REQUEST, False),
    (botocore.NoRegionError, errors.INVALID_CONFIGURATION, False),
    (botocore.UnknownServiceError, errors.INVALID_CONFIGURATION, False),
    (botocore.InvalidRegionError, errors.INVALID_CONFIGURATION, False),
)


def server_time(headers: dict[str, Any]) -> float | None:
    """Seconds since the epoch of a reply's Date header, None when there is none that can be read."""
    value = headers.get("date")
    if not value:
        return None
    try:
        return parsedate_to_datetime(str(value)).timestamp()
    except ValueError:
        return None


def cloud_error(service: str, operation: str, error: Exception) -> CloudError:
    """The CloudError that says what `error`, raised by botocore, means."""
    if isinstance(error, botocore.ClientError):
        answer: Any = error.response
        said = answer.get("Error", {})
        metadata = answer.get("ResponseMetadata", {})
        headers = metadata.get("HTTPHeaders", {})
        return CloudError(
            service=service,
            operation=operation,
            code=str(said.get("Code") or "Unknown"),
            message=str(said.get("Message") or said.get("Code") or "AWS gave no message"),
            status=metadata.get("HTTPStatusCode"),
            request_id=str(metadata.get("RequestId") or headers.get("x-amzn-requestid") or headers.get("x-amz-request-id") or ""),
            sent=True,
            server_time=server_time(headers),
        )
    for kind, code, sent in _BELOW_THE_ANSWER:
        if isinstance(error, kind):
            return CloudError(service, operation, code, str(error), sent=sent)
    # botocore's parsers raise a class of their own when a proxy or a broken server answers something else.
    return CloudError(service, operation, errors.UNREADABLE_REPLY, f"{type(error).__name__}: {error}", sent=None)
