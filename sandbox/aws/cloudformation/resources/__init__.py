"""The resource types that stacks can hold, one family a module."""

from sandbox.aws.cloudformation.resources import eks, gateways, iam, logs, network, routing, s3, security_groups  # noqa: F401
