"""STS. Source: botocore's model of 2011-06-15."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL
_TRUST = "Check the trust policy of the role and its identity provider."

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "AccessDenied",
        X,
        "The role of this AWS account can't be taken on.",
        "Let its trust policy name this installation and the external id of the account, as the account's page shows them, "
        "and allow sts:AssumeRole on it here; what is read heals by itself then.",
        pattern=r"sts:AssumeRole\b",
    ),
    Entry("ExpiredTradeInTokenException", R, "The token to trade in has expired."),
    Entry("IDPCommunicationError", R, "AWS could not reach the identity provider."),
    Entry("IDPRejectedClaim", X, "The identity provider rejected the claim.", _TRUST),
    Entry("InsufficientSessionLifetime", X, "The session ends too soon for this call.", "Sign in anew."),
    Entry("InvalidAuthorizationMessageException", X, "The encoded message is not one of AWS's."),
    Entry("InvalidContextAssertion", X, "The context assertion is invalid.", _TRUST),
    Entry("InvalidIdentityToken", X, "The identity token is invalid.", _TRUST),
    Entry("InvalidSubjectCredentials", X, "The credentials of the subject are invalid.", _TRUST),
    Entry("JWTPayloadSizeExceededException", X, "The identity token is too large."),
    Entry("MalformedPolicyDocument", X, "The policy is malformed.", "Report it with the operation's id."),
    Entry("OutboundWebIdentityFederationDisabledException", X, "Outbound identity federation is off in this account.", "Enable it in IAM."),
    Entry("PackedPolicyTooLarge", X, "Session policy and tags are too large together."),
    Entry("SessionDurationEscalationException", X, "The session may not last that long."),
)
