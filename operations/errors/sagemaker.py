"""SageMaker: HyperPod. Source: botocore's model of 2017-07-24, and reference/aws.md §1 and §16."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL
_ROLE = r"(?i)(cannot|can't|could not|unable to) (be )?assume|could not assume|not authorized to perform: sts:AssumeRole"

ENTRIES: tuple[Entry, ...] = (
    Entry("ConflictException", R, "The cluster is busy with another change."),
    Entry("ResourceInUse", R, "It exists already, or something works on it; looking again."),
    Entry("ResourceAlreadyExists", R, "It exists already; looking whether it is ours."),
    Entry("ResourceNotFound", R, "SageMaker does not know it (yet)."),
    Entry(
        "ResourceLimitExceeded",
        X,
        "A SageMaker quota does not allow that many instances.",
        'Ask for a higher quota "<instance type> for cluster usage" (and the cluster-wide ones) in Service Quotas, then try again.',
    ),
    Entry("InvalidInstanceGroupStatus", R, "The instance group is busy with another change."),
    Entry("ValidationException", R, "The execution role is not visible to SageMaker yet.", pattern=_ROLE),
    Entry(
        "ValidationException",
        R,
        "The cluster is busy with another change.",
        pattern=r"(?i)in progress|is (being )?(creating|updating|deleting)|InvalidInstanceGroupStatus",
    ),
    Entry("ValidationException", R, "SageMaker does not know it (yet).", pattern=r"(?i)could not find|does not exist|not found"),
    Entry("ValidationException", X, "SageMaker rejects the request.", "Correct what the message names."),
)
