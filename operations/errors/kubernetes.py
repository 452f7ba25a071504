"""Kubernetes API: the `reason` of a Status, and the gateway's own words. Source: apimachinery's meta/v1 StatusReason."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

T, R, X, U = Category.THROTTLED, Category.RECOVERABLE, Category.TERMINAL, Category.UNKNOWN

ENTRIES: tuple[Entry, ...] = (
    Entry("TooManyRequests", T, "The Kubernetes API limits the rate of calls, or a disruption budget forbids it now."),
    Entry("Unreachable", R, "The Kubernetes API can't be reached.", "Check the cluster's endpoint and its list of public CIDRs."),
    Entry("Timeout", R, "The Kubernetes API did not answer in time."),
    Entry("ConnectionReset", R, "The connection to the Kubernetes API broke off."),
    Entry("UnreadableReply", R, "The answer was not the Kubernetes API's.", "Check for a proxy between here and the cluster."),
    Entry("TlsFailed", R, "No trusted connection to the Kubernetes API came about.", "Check for a proxy between here and the cluster."),
    Entry("ServerTimeout", R, "The Kubernetes API asks to try again."),
    Entry("ServiceUnavailable", R, "The Kubernetes API, or a webhook of it, is not available now."),
    Entry("InternalError", R, "The Kubernetes API, or a webhook of it, had an error."),
    Entry("StoreReadError", R, "The Kubernetes API could not read its store."),
    Entry("Conflict", R, "The object has changed meanwhile."),
    Entry("AlreadyExists", R, "The object exists already; looking whether it is ours."),
    Entry("NotFound", R, "The object, its namespace or its kind is not there (yet)."),
    Entry("NoSuchKind", R, "The cluster does not know this kind (yet).", "Its operator may still be coming up."),
    Entry("Gone", R, "The listing has grown too old; it starts again."),
    Entry("Expired", R, "The listing has grown too old; it starts again."),
    Entry(
        "Unauthorized",
        R,
        "The cluster does not accept our token (yet).",
        "Make an access entry for the portal's role, or renew the credentials.",
    ),
    Entry("Forbidden", R, "The namespace is being deleted.", pattern=r"(?i)being terminated"),
    Entry(
        "Forbidden", X, "A quota of the namespace is reached.", "Raise the ResourceQuota, or ask for less.", pattern=r"(?i)exceeded quota"
    ),
    Entry("Forbidden", X, "Kubernetes refused the call for lack of permission.", "Grant it by RBAC or an EKS access policy."),
    Entry("Invalid", X, "Kubernetes rejects the object.", "Correct what the message names."),
    Entry("BadRequest", X, "Kubernetes rejects the request.", "Correct what the message names."),
    Entry("NotAcceptable", X, "Kubernetes does not offer this format."),
    Entry("UnsupportedMediaType", X, "Kubernetes does not take this format."),
    Entry(
        "MethodNotAllowed",
        R,
        "The kind is being deleted; it may come back.",
        pattern=r"(?i)while custom resource definition is terminating",
    ),
    Entry("MethodNotAllowed", X, "Kubernetes does not allow this on the object."),
    Entry("RequestEntityTooLarge", X, "The object is too large.", "Make it smaller than 1.5 MB."),
    Entry("Unknown", U, "Kubernetes gave no reason."),
)
