"""EKS's errors, with the members its SDK shapes carry."""

from __future__ import annotations

from sandbox.aws.errors import AWSError


def not_found(message: str, **members: str) -> AWSError:
    return AWSError("ResourceNotFoundException", message, 404, **members)


def in_use(message: str, **members: str) -> AWSError:
    return AWSError("ResourceInUseException", message, 409, **members)


def invalid_parameter(message: str, **members: str) -> AWSError:
    return AWSError("InvalidParameterException", message, 400, **members)


def invalid_request(message: str, **members: str) -> AWSError:
    return AWSError("InvalidRequestException", message, 400, **members)


def limit_exceeded(message: str, **members: str) -> AWSError:
    return AWSError("ResourceLimitExceededException", message, 400, **members)
