"""Which function answers which operation: `@operation("eks", "CreateAddon")`, one function an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Params = dict[str, Any]
Handler = Callable[["Context", Params], dict[str, Any] | None]

_handlers: dict[tuple[str, str], Handler] = {}


def operation(service: str, name: str) -> Callable[[Handler], Handler]:
    """Register a handler. `service` is botocore's service name ("service-quotas"), `name` the operation's as in its model.

    The handler gets params parsed and validated by the model and returns a value of the output shape (datetime, float or
    int epoch seconds for timestamps). It runs on the event loop's thread and must not block.
    """

    def decorate(handler: Handler) -> Handler:
        if (service, name) in _handlers:
            raise RuntimeError(f"two handlers for {service}:{name}")
        _handlers[service, name] = handler
        return handler

    return decorate


def find(service: str, name: str) -> Handler | None:
    return _handlers.get((service, name))


def registered() -> list[tuple[str, str]]:
    return sorted(_handlers)
