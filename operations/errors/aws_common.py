"""Errors that any AWS service may answer with, and the gateway's own words for replies that never came.

Source: botocore's retry tables and AWS's "Common errors" pages; service modules stand before this one where they differ.
"""

from __future__ import annotations

from instantstart.command_line import manage
from operations.choices import Category
from operations.errors.entry import Entry

T, R, X = Category.THROTTLED, Category.RECOVERABLE, Category.TERMINAL

_GRANT = f"Give the portal's role or user this permission (`{manage('iam-policy')}` prints the whole policy), then try again."
_RENEW = "Renew the portal's AWS credentials; the operation goes on by itself."

ENTRIES: tuple[Entry, ...] = (
    # Too many calls
    Entry("Throttling", T, "AWS limits the rate of these calls."),
    Entry("ThrottlingException", T, "AWS limits the rate of these calls."),
    Entry("ThrottledException", T, "AWS limits the rate of these calls."),
    Entry("RequestThrottled", T, "AWS limits the rate of these calls."),
    Entry("RequestThrottledException", T, "AWS limits the rate of these calls."),
    Entry("RequestLimitExceeded", T, "AWS limits the rate of these calls."),
    Entry("TooManyRequestsException", T, "AWS limits the rate of these calls."),
    Entry("BandwidthLimitExceeded", T, "AWS limits the rate of these calls."),
    Entry("ProvisionedThroughputExceededException", T, "AWS limits the rate of these calls."),
    Entry("PriorRequestNotComplete", T, "AWS still works on the request before."),
    Entry("SlowDown", T, "AWS limits the rate of these calls."),
    Entry("EC2ThrottledException", T, "AWS limits the rate of these calls."),
    # AWS is in trouble, or did not answer
    Entry("InternalError", R, "AWS had an internal error."),
    Entry("InternalFailure", R, "AWS had an internal error."),
    Entry("InternalServerError", R, "AWS had an internal error."),
    Entry("InternalServerException", R, "AWS had an internal error."),
    Entry("InternalServiceException", R, "AWS had an internal error."),
    Entry("ServerException", R, "AWS had an internal error."),
    Entry("ServiceException", R, "AWS had an internal error."),
    Entry("ServiceFailure", R, "AWS had an internal error."),
    Entry("ServiceUnavailable", R, "The AWS service is not available now."),
    Entry("ServiceUnavailableException", R, "The AWS service is not available now."),
    Entry("Unavailable", R, "The AWS service is not available now."),
    Entry("RequestTimeout", R, "AWS did not get the request in time."),
    Entry("RequestTimeoutException", R, "AWS did not get the request in time."),
    Entry("500", R, "AWS had an internal error."),
    Entry("502", R, "AWS answered through a broken gateway."),
    Entry("503", R, "The AWS service is not available now."),
    Entry("504", R, "AWS did not answer in time."),
    Entry("Unreachable", R, "AWS can't be reached.", "Check the network and AWS_ENDPOINT_URL."),
    Entry("Timeout", R, "AWS did not answer in time."),
    Entry("ConnectionReset", R, "The connection to AWS broke off."),
    Entry("UnreadableReply", R, "The answer was not AWS's.", "Check for a proxy between here and AWS."),
    Entry("TlsFailed", R, "No trusted connection to AWS came about.", "Check the certificates and the proxy between here and AWS."),
    # Who we are
    Entry("NoCredentials", R, "The portal has no AWS credentials.", _RENEW),
    Entry("ExpiredCredentials", R, "The portal's AWS credentials have expired.", _RENEW),
    Entry("ExpiredToken", R, "The portal's AWS credentials have expired.", _RENEW),
    Entry("ExpiredTokenException", R, "The portal's AWS credentials have expired.", _RENEW),
    Entry("RequestExpired", R, "The request was too old when AWS got it.", "Set the clock of this machine; renew the credentials."),
    Entry("RequestTimeTooSkewed", R, "This machine's clock differs from AWS's.", "Set the clock of this machine."),
    Entry("InvalidClientTokenId", X, "AWS does not know the access key.", "Give the portal valid AWS credentials, then try again."),
    Entry("InvalidAccessKeyId", X, "AWS does not know the access key.", "Give the portal valid AWS credentials, then try again."),
    Entry("UnrecognizedClientException", X, "AWS does not know the access key.", "Give the portal valid AWS credentials, then try again."),
    Entry("AuthFailure", X, "AWS does not know the access key.", "Give the portal valid AWS credentials, then try again."),
    Entry(
        "SignatureDoesNotMatch", X, "The secret key does not fit the access key.", "Give the portal valid AWS credentials, then try again."
    ),
    Entry("InvalidSignatureException", X, "The secret key does not fit the access key.", "Give the portal valid AWS credentials."),
    Entry(
        "IncompleteSignature", X, "The request was not signed as AWS wants it.", "Give the portal valid AWS credentials, then try again."
    ),
    Entry("MissingAuthenticationToken", X, "The request was not signed.", "Give the portal valid AWS credentials, then try again."),
    Entry(
        "MissingAuthenticationTokenException", X, "The request was not signed.", "Give the portal valid AWS credentials, then try again."
    ),
    Entry("OptInRequired", X, "The account has not subscribed to this service.", "Subscribe in the AWS console, then try again."),
    Entry("SubscriptionRequiredException", X, "The account has not subscribed to this service.", "Subscribe in the AWS console."),
    Entry("RegionDisabledException", X, "The region is not enabled in this account.", "Enable it in the account's settings."),
    # What we may
    Entry("AccessDenied", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("AccessDeniedException", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("AuthorizationError", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("AuthorizationErrorException", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("UnauthorizedOperation", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("UnauthorizedAccess", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("NotAuthorized", X, "AWS refused the call for lack of permission.", _GRANT),
    Entry("403", X, "AWS refused the call for lack of permission.", _GRANT),
    # What we asked
    Entry("ValidationError", X, "AWS rejects the request.", "Correct what the message names."),
    Entry("ValidationException", X, "AWS rejects the request.", "Correct what the message names."),
    Entry("InvalidParameterValue", X, "AWS rejects a value.", "Correct what the message names."),
    Entry("InvalidParameterCombination", X, "AWS rejects the request.", "Correct what the message names."),
    Entry("MissingParameter", X, "AWS misses a value.", "Report it: the request was incomplete."),
    Entry("MalformedQueryString", X, "AWS can't read the request.", "Report it with the operation's id."),
    Entry("SerializationException", X, "AWS can't read the request.", "Report it with the operation's id."),
    Entry("InvalidAction", X, "The service does not know this call.", "Check AWS_ENDPOINT_URL and the region."),
    Entry("UnknownOperationException", X, "The service does not know this call.", "Check AWS_ENDPOINT_URL and the region."),
    Entry("NotImplemented", X, "The endpoint does not offer this call.", "On the sandbox: docs/sandbox.md says what it simulates."),
    Entry("InvalidRequest", X, "The request was wrong before it was sent.", "Report it with the operation's id."),
    Entry("InvalidConfiguration", X, "The AWS configuration is wrong.", "Check AWS_REGION and the profile."),
    Entry("IdempotencyParameterMismatch", X, "The token came before with another request.", "Submit the change anew."),
    Entry("IdempotentParameterMismatch", X, "The token came before with another request.", "Submit the change anew."),
)
