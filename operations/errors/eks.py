"""EKS. Source: botocore's model of 2017-11-01, and reference/aws.md §2."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL
_ROLE = (
    r"(?i)(cannot|can't|could not) be assumed|not authorized to (perform: )?sts:AssumeRole|role.*(does not exist|not exist|cannot be found)"
)

ENTRIES: tuple[Entry, ...] = (
    Entry("ResourceInUseException", R, "It exists already, or something works on it; looking again."),
    Entry("ResourceNotFoundException", R, "EKS does not know it (yet)."),
    Entry("NotFoundException", R, "EKS does not know it (yet)."),
    Entry("ResourcePropagationDelayException", R, "What it needs is not visible to EKS yet."),
    Entry("InvalidStateException", R, "It is in a state that does not allow this now."),
    Entry(
        "InvalidRequestException",
        R,
        "The cluster is busy with another update.",
        pattern=r"(?i)in progress|another update|is not in ACTIVE|currently",
    ),
    Entry(
        "InvalidRequestException",
        X,
        "EKS may not launch instances for us from the node group's launch template.",
        "Allow ec2:RunInstances on instances, launch templates and images, and let no policy of the organization forbid them.",
        pattern=r"(?i)not authorized to launch instances",
    ),
    Entry("InvalidRequestException", X, "EKS rejects the request in this state.", "The message says why."),
    Entry("InvalidParameterException", R, "The IAM role is not visible to EKS yet.", pattern=_ROLE),
    Entry("InvalidParameterException", R, "Another update of it is under way.", pattern=r"(?i)in progress"),
    Entry("InvalidParameterException", X, "EKS rejects a parameter.", "Correct what the message names."),
    Entry("BadRequestException", X, "EKS rejects the request.", "Correct what the message names."),
    Entry(
        "ClientException", X, "EKS rejects the request, or the caller may not do this.", "Check the permissions and what the message names."
    ),
    Entry(
        "ResourceLimitExceededException", X, "An EKS quota is reached.", "Ask for a higher quota in Service Quotas, or delete a cluster."
    ),
    Entry("UnsupportedAvailabilityZoneException", X, "EKS has no room in one of the Availability Zones.", "Choose other zones."),
)
