"""SageMaker's errors. The modelled ones have no "Exception" at their end, except ConflictException."""

from __future__ import annotations

from sandbox.aws.errors import AWSError


def invalid(message: str) -> AWSError:
    return AWSError("ValidationException", message)


def not_found(message: str) -> AWSError:
    return AWSError("ResourceNotFound", message)


def in_use(message: str) -> AWSError:
    return AWSError("ResourceInUse", message)


def limit_exceeded(message: str) -> AWSError:
    return AWSError("ResourceLimitExceeded", message)


def conflict(message: str) -> AWSError:
    return AWSError("ConflictException", message)
