"""EC2. Its model has no error shapes: codes as in AWS's "Error codes for the Amazon EC2 API"."""

from __future__ import annotations

from operations.choices import Category
from operations.errors.entry import Entry

R, X = Category.RECOVERABLE, Category.TERMINAL
_LATER = "It may not be visible yet."
_QUOTA = "Ask for a higher quota in Service Quotas, or delete what is not needed."
_CAPACITY = "Choose another Availability Zone or type, Spot, or a training plan."


def _not_found(*codes: str) -> tuple[Entry, ...]:
    """EC2 is eventually consistent: what a call has just made may be unknown to the next."""
    return tuple(Entry(code, R, "EC2 does not know it (yet).", _LATER) for code in codes)


def _limits(*codes: str) -> tuple[Entry, ...]:
    return tuple(Entry(code, X, "An EC2 quota is reached.", _QUOTA) for code in codes)


ENTRIES: tuple[Entry, ...] = (
    *_not_found(
        "InvalidVpcID.NotFound",
        "InvalidSubnetID.NotFound",
        "InvalidGroup.NotFound",
        "InvalidRouteTableID.NotFound",
        "InvalidInternetGatewayID.NotFound",
        "InvalidAllocationID.NotFound",
        "InvalidAssociationID.NotFound",
        "InvalidNetworkInterfaceID.NotFound",
        "InvalidVpcEndpointId.NotFound",
        "InvalidRoute.NotFound",
        "InvalidPermission.NotFound",
        "InvalidInstanceID.NotFound",
        "InvalidAttachmentID.NotFound",
        "NatGatewayNotFound",
    ),
    *_limits(
        "VpcLimitExceeded",
        "SubnetLimitExceeded",
        "AddressLimitExceeded",
        "NatGatewayLimitExceeded",
        "InternetGatewayLimitExceeded",
        "RouteTableLimitExceeded",
        "RouteLimitExceeded",
        "SecurityGroupLimitExceeded",
        "RulesPerSecurityGroupLimitExceeded",
        "VpcEndpointLimitExceeded",
        "NetworkInterfaceLimitExceeded",
        "InstanceLimitExceeded",
        "VcpuLimitExceeded",
        "TagLimitExceeded",
        "ResourceLimitExceeded",
    ),
    Entry("DependencyViolation", R, "Something still uses it.", "It goes on once what uses it is gone; the message names it."),
    Entry("IncorrectState", R, "It is in a state that does not allow this now."),
    Entry("InvalidState", R, "It is in a state that does not allow this now."),
    Entry("IncorrectInstanceState", R, "The instance is in a state that does not allow this now."),
    Entry("InvalidNetworkInterface.InUse", R, "The network interface is in use."),
    Entry("InvalidIPAddress.InUse", R, "The address is in use."),
    Entry("Resource.AlreadyAssociated", R, "It is associated already; looking whether that is ours."),
    Entry("RouteAlreadyExists", R, "The route exists already; looking whether it is ours."),
    Entry("InvalidPermission.Duplicate", R, "The rule exists already."),
    Entry("InvalidGroup.Duplicate", R, "A security group of this name exists already; looking whether it is ours."),
    Entry("InvalidGroup.InUse", R, "The security group is in use."),
    Entry("CannotDelete", X, "It can't be deleted.", "The message says why."),
    Entry("InsufficientFreeAddressesInSubnet", X, "The subnet has no free addresses left.", "Use a larger subnet or fewer nodes."),
    Entry("InsufficientInstanceCapacity", X, "AWS has no free instances of this type in the Availability Zone.", _CAPACITY),
    Entry("InsufficientHostCapacity", X, "AWS has no free hosts of this type in the Availability Zone.", _CAPACITY),
    Entry("InsufficientAddressCapacity", R, "AWS has no free public addresses now."),
    Entry("InsufficientCapacity", X, "AWS has no capacity for this in the Availability Zone.", _CAPACITY),
    Entry("InvalidVpcRange", X, "The CIDR of the VPC is not allowed.", "Choose one between /16 and /28."),
    Entry("InvalidSubnet.Range", X, "The CIDR of the subnet lies outside of the VPC's.", "Choose one inside."),
    Entry("InvalidSubnet.Conflict", X, "The CIDR of the subnet overlaps with another's.", "Choose another CIDR."),
    Entry("InvalidSubnet", X, "The subnet is invalid.", "Correct what the message names."),
    Entry("InvalidAvailabilityZone", X, "There is no such Availability Zone in this region.", "Choose one that the catalog lists."),
    Entry("InvalidInstanceType", X, "There is no such instance type.", "Choose one that the catalog lists."),
    Entry("InvalidParameter", X, "EC2 rejects a parameter.", "Correct what the message names."),
    Entry("InvalidGroupId.Malformed", X, "This is no security group id.", "Correct the id."),
    Entry("InvalidVpcID.Malformed", X, "This is no VPC id.", "Correct the id."),
    Entry("InvalidSubnetID.Malformed", X, "This is no subnet id.", "Correct the id."),
    Entry("InvalidID", X, "This is no id that EC2 knows.", "Correct the id."),
    Entry("Unsupported", X, "EC2 does not support this here.", "Choose another zone or type, as the message says."),
    Entry("UnsupportedOperation", X, "EC2 does not support this.", "Correct what the message names."),
    Entry("OperationNotPermitted", X, "EC2 does not permit this.", "The message says why (deletion protection, a managed resource)."),
    Entry("DryRunOperation", R, "The dry run would have succeeded."),
    Entry("Blocked", X, "The account is blocked.", "Contact AWS Support."),
    Entry("PendingVerification", R, "AWS still verifies the account for this region."),
)
