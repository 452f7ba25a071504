"""The error that handlers raise; the protocol layer serialises it as the service would."""

from __future__ import annotations

from typing import Any


class AWSError(Exception):
    """An error answer: `code` as the service spells it, `message` its sentence, further members in `extra`."""

    def __init__(self, code: str, message: str, status: int = 400, **extra: Any) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status
        self.extra = extra
