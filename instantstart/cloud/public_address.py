"""The address that this control plane's calls come from, as AWS sees it: who may reach the Kubernetes API by default."""

from __future__ import annotations

import ipaddress
import os

import urllib3
from django.conf import settings

_URL = "https://checkip.amazonaws.com/"


def own_public_address() -> str | None:
    """The public IPv4 address, None when it can't be told.

    From INSTANTSTART_PUBLIC_ADDRESS; with its default "auto" AWS is asked, unless AWS_ENDPOINT_URL says that the AWS in use
    is not the public one. "none": not to be told.
    """
    given = settings.PUBLIC_ADDRESS.strip()
    if given == "none":
        return None
    if given != "auto":
        return str(ipaddress.IPv4Address(given))
    if os.environ.get("AWS_ENDPOINT_URL"):
        return None
    try:
        answer = urllib3.PoolManager(retries=False).request("GET", _URL, timeout=urllib3.Timeout(connect=2.0, read=2.0))
        return str(ipaddress.IPv4Address(answer.data.decode().strip()))
    except (urllib3.exceptions.HTTPError, ValueError):
        return None
