"""Helm: the codes that the gateway makes of its messages."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL

ENTRIES: tuple[Entry, ...] = (
    Entry("PendingOperation", R, "Another Helm operation on the release is under way, or was left half done."),
    Entry("Unreachable", R, "The Kubernetes API can't be reached.", "Check the cluster's endpoint and its list of public CIDRs."),
    Entry("Timeout", R, "Helm did not end in time."),
    Entry("Unauthorized", R, "The cluster does not accept our token (yet).", "Make an access entry for the portal's role."),
    Entry("NotFound", R, "The release is not there (yet)."),
    Entry("Forbidden", X, "Kubernetes refused what the chart does for lack of permission.", "Grant it by RBAC or an EKS access policy."),
    Entry("ChartNotFound", X, "The chart was not found.", "Check the path or OCI reference of the chart in the settings."),
    Entry("Invalid", X, "The chart or its values are invalid.", "Correct what the message names."),
    Entry("MissingTool", X, "The helm program is not installed.", "Run `make up`, or set INSTANTSTART_TOOLS."),
    Entry("HelmFailed", R, "Helm ended with an error."),
)
