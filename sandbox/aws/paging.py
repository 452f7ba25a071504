"""Cuts a handler's whole list into the page that was asked for, as paginators-1.json says for the operation.

A handler returns everything and knows nothing of pages; one that pages by itself returns its own token member (None at the end).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any

from sandbox.aws import models
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.protocol import codes

# Page size when the caller names none, where AWS documents one; otherwise everything up to 1,000 comes at once.
_DEFAULTS = {
    "cloudformation": 100,
    "cloudtrail": 50,
    "eks": 100,
    "iam": 100,
    "logs": 50,
    "pricing": 100,
    "resourcegroupstaggingapi": 50,
    "sagemaker": 10,
    "service-quotas": 100,
}
_OWN = {"s3"}  # pages by keys, itself


def cut(context: Context, params: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """The page of `result` that `params` ask for, with the token of the next one."""
    config = models.paginator(context.service, context.operation)
    if config is None or context.service in _OWN:
        return result
    key, token_in, token_out = config.get("result_key"), config.get("input_token"), config.get("output_token")
    if isinstance(key, list):
        key = key[0]
    if not isinstance(key, str) or not isinstance(token_in, str) or not isinstance(token_out, str) or token_out in result:
        return result
    items = result.get(key)
    if not isinstance(items, list):
        return result
    start = _start(context, params, token_in)
    size = params.get(config.get("limit_key", "")) or _default(context)
    end = start + int(size)
    page = {**result, key: items[start:end]}
    if config.get("more_results"):
        page[config["more_results"]] = end < len(items)
    if end < len(items):
        page[token_out] = _token(context, params, token_in, config.get("limit_key", ""), end)
    return page


def _default(context: Context) -> int:
    return _DEFAULTS.get(context.service, 1000)


def _question(context: Context, params: dict[str, Any], token_in: str, limit_key: str) -> str:
    asked = {name: value for name, value in params.items() if name not in (token_in, limit_key)}
    text = json.dumps([context.scope, context.service, context.operation, asked], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _token(context: Context, params: dict[str, Any], token_in: str, limit_key: str, end: int) -> str:
    payload = json.dumps({"from": end, "of": _question(context, params, token_in, limit_key)})
    return base64.urlsafe_b64encode(payload.encode()).decode()


def _start(context: Context, params: dict[str, Any], token_in: str) -> int:
    token = params.get(token_in)
    if not token:
        return 0
    limit_key = (models.paginator(context.service, context.operation) or {}).get("limit_key", "")
    try:
        payload = json.loads(base64.urlsafe_b64decode(str(token).encode()))
        if payload["of"] != _question(context, params, token_in, limit_key):
            raise ValueError("the token of another question")
        return int(payload["from"])
    except (ValueError, KeyError, TypeError, binascii.Error) as error:
        raise AWSError(
            codes.invalid_token(context.service), f"Invalid value for {token_in}: the token is not valid for this request."
        ) from error
