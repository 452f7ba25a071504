"""botocore's service models, read on first use."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import botocore.loaders
from botocore.exceptions import DataNotFoundError
from botocore.exceptions import UnknownServiceError as UnknownServiceError
from botocore.model import OperationModel, ServiceModel


@lru_cache(maxsize=1)
def _loader() -> Any:
    return botocore.loaders.Loader()


@cache
def service(name: str) -> ServiceModel:
    """The model of a service by botocore's name. Raises UnknownServiceError."""
    return ServiceModel(_loader().load_service_model(name, "service-2"), name)


def operation(service_name: str, operation_name: str) -> OperationModel:
    return service(service_name).operation_model(operation_name)


@cache
def paginator(service_name: str, operation_name: str) -> dict[str, Any] | None:
    """How the operation is paged (paginators-1.json), None if it is not."""
    try:
        pages = _loader().load_service_model(service_name, "paginators-1")["pagination"]
    except (DataNotFoundError, UnknownServiceError):
        return None
    entry: dict[str, Any] | None = pages.get(operation_name)
    return entry


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Every service that botocore knows."""
    return tuple(_loader().list_available_services("service-2"))
