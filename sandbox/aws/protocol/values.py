"""Scalars between the wire and handlers. Handlers see timestamps as epoch seconds (float) and blobs as bytes."""

from __future__ import annotations

import base64
import binascii
import datetime
import email.utils
import math
from typing import Any

from botocore.model import Shape
from botocore.utils import parse_timestamp

from sandbox.aws.errors import AWSError


def malformed(message: str) -> AWSError:
    """What cannot be read at all; the protocol layer knows each service's spelling of it."""
    return AWSError("SerializationException", message)


def scalar(shape: Shape, value: Any, where: str, *, text: bool) -> Any:
    """A value off the wire as its shape says. `text`: it came as text (query, header, XML) and not as JSON."""
    kind = shape.type_name
    if kind in ("integer", "long"):
        return _integer(value, where, text)
    if kind in ("float", "double"):
        return _float(value, where, text)
    if kind == "boolean":
        return _boolean(value, where, text)
    if kind == "timestamp":
        return _timestamp(value, where)
    if kind == "blob":
        return _blob(value, where)
    if not isinstance(value, str):
        raise malformed(f"{where}: {_name(value)} can not be converted to a String")
    return value


def iso8601(epoch: float) -> str:
    moment = datetime.datetime.fromtimestamp(epoch, datetime.UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def http_date(epoch: float) -> str:
    return email.utils.formatdate(epoch, usegmt=True)


def epoch_of(value: Any) -> float:
    """Epoch seconds of what a handler gave for a timestamp: datetime, number or ISO text."""
    if isinstance(value, datetime.datetime):
        return value.timestamp() if value.tzinfo else value.replace(tzinfo=datetime.UTC).timestamp()
    if isinstance(value, int | float):
        return float(value)
    parsed: datetime.datetime = parse_timestamp(value)
    return parsed.timestamp()


def timestamp_text(value: Any, style: str) -> str | float:
    epoch = epoch_of(value)
    if style == "iso8601":
        return iso8601(epoch)
    if style == "rfc822":
        return http_date(epoch)
    return round(epoch, 3)


def base64_text(value: bytes | str) -> str:
    return base64.b64encode(value if isinstance(value, bytes) else value.encode()).decode()


def _integer(value: Any, where: str, text: bool) -> int:
    try:
        if isinstance(value, bool) or (not text and not isinstance(value, int | float)):
            raise TypeError
        if isinstance(value, float) and not value.is_integer():
            raise TypeError
        if isinstance(value, str) and len(value) > 20:
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise malformed(f"{where}: {_name(value)} can not be converted to an Integer") from error


def _float(value: Any, where: str, text: bool) -> float:
    try:
        if isinstance(value, bool) or (not text and not isinstance(value, int | float)):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise malformed(f"{where}: {_name(value)} can not be converted to a Double") from error
    if not math.isfinite(number):
        raise malformed(f"{where}: {value} is not a number")
    return number


def _boolean(value: Any, where: str, text: bool) -> bool:
    if isinstance(value, bool):
        return value
    if text and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise malformed(f"{where}: {_name(value)} can not be converted to a Boolean")


def _timestamp(value: Any, where: str) -> float:
    try:
        if isinstance(value, bool):
            raise TypeError
        epoch = epoch_of(value)
        datetime.datetime.fromtimestamp(epoch, datetime.UTC)
        return epoch
    except (TypeError, ValueError, OverflowError, OSError, RuntimeError, AttributeError) as error:
        raise malformed(f"{where}: {_name(value)} can not be converted to a Timestamp") from error


def _blob(value: Any, where: str) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error) as error:
        raise malformed(f"{where}: the value is not base64") from error


def _name(value: Any) -> str:
    if value is None:
        return "NULL_VALUE"
    if isinstance(value, bool):
        return "TRUE_VALUE" if value else "FALSE_VALUE"
    if isinstance(value, int | float):
        return "NUMBER_VALUE"
    if isinstance(value, list):
        return "START_ARRAY"
    return "START_OBJECT" if isinstance(value, dict) else "STRING_VALUE"
