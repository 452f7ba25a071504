"""The one exception of the AWS gateway, and the tables that say what an AWS error means about existence."""

from __future__ import annotations

import re
from dataclasses import dataclass

NOT_FOUND: frozenset[str] = frozenset(
    {
        # General and per service, as the service models of botocore name them.
        "ResourceNotFound",
        "ResourceNotFoundException",
        "NotFoundException",
        "NoSuchEntity",
        "NoSuchEntityException",
        "NoSuchResourceException",
        "StackNotFoundException",
        "ChangeSetNotFound",
        "NoSuchBucket",
        "NoSuchKey",
        "NoSuchUpload",
        "NoSuchTagSet",
        "NoSuchBucketPolicy",
        "NoSuchPublicAccessBlockConfiguration",
        "ServerSideEncryptionConfigurationNotFoundError",
        "404",  # a HEAD reply has no body, so botocore makes the code of the status
    }
)
"""Error codes that mean: the thing asked for is not there. EC2's `Invalid….NotFound` family is matched by its form."""

_EC2_NOT_FOUND = re.compile(r"^Invalid[A-Za-z.]+\.NotFound$|^Invalid[A-Za-z]+NotFound$|^NatGatewayNotFound$")

NOT_FOUND_BY_MESSAGE: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    # CloudFormation has no code of its own for a stack that is not there.
    ("cloudformation", "ValidationError", re.compile(r"^Stack .*does not exist$")),
    ("sagemaker", "ValidationException", re.compile(r"(?i)\bcould not find\b|\bdoes not exist\b|\bnot found\b")),
)
"""(service, code, message) for services that say it only in words."""

UNREACHABLE = "Unreachable"
TIMEOUT = "Timeout"
CONNECTION_RESET = "ConnectionReset"
TLS_FAILED = "TlsFailed"
UNREADABLE_REPLY = "UnreadableReply"
NO_CREDENTIALS = "NoCredentials"
EXPIRED_CREDENTIALS = "ExpiredCredentials"
INVALID_REQUEST = "InvalidRequest"
INVALID_CONFIGURATION = "InvalidConfiguration"
TRANSPORT_CODES: frozenset[str] = frozenset({UNREACHABLE, TIMEOUT, CONNECTION_RESET, TLS_FAILED, UNREADABLE_REPLY})
"""Codes of our own for failures below the service's answer: AWS said nothing that could be read."""

ACCESS_DENIED: frozenset[str] = frozenset(
    {"AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthorizationError", "UnauthorizedAccess", "403"}
)
BAD_CREDENTIALS: frozenset[str] = frozenset(
    {
        NO_CREDENTIALS,
        EXPIRED_CREDENTIALS,
        "ExpiredToken",
        "ExpiredTokenException",
        "RequestExpired",
        "InvalidClientTokenId",
        "UnrecognizedClientException",
        "SignatureDoesNotMatch",
        "InvalidSignatureException",
        "AuthFailure",
        "InvalidAccessKeyId",
        "IncompleteSignature",
        "MissingAuthenticationToken",
    }
)


@dataclass
class CloudError(Exception):
    """A call to AWS that failed.

    service, operation: as given to the gateway ("eks", "describe_cluster"). code: AWS's error code, or one of
    TRANSPORT_CODES and the other words above when the service gave none. status: HTTP status, None without an answer.
    sent: True when AWS has answered, False when the request certainly did not leave, None when it can't be told, i.e.
    a write may have had its effect. server_time: AWS's clock (seconds since the epoch) when it answered with a Date.
    """

    service: str
    operation: str
    code: str
    message: str
    status: int | None = None
    request_id: str = ""
    sent: bool | None = None
    server_time: float | None = None

    def __str__(self) -> str:
        return f"{self.service}:{self.operation}: {self.code}: {self.message}"

    @property
    def missing(self) -> bool:
        """Whether the answer says that the thing asked for does not exist."""
        if not self.sent:
            return False
        if self.code in NOT_FOUND or (self.service == "ec2" and _EC2_NOT_FOUND.match(self.code) is not None):
            return True
        return any(
            self.service == service and self.code == code and pattern.search(self.message) is not None
            for service, code, pattern in NOT_FOUND_BY_MESSAGE
        )

    @property
    def denied(self) -> bool:
        """Whether the caller is known but may not do this."""
        return self.code in ACCESS_DENIED

    @property
    def credentials(self) -> bool:
        """Whether the credentials are missing, expired or wrong, so that every other call fails as well."""
        return self.code in BAD_CREDENTIALS
