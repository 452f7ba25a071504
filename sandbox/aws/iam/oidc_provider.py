"""OpenID Connect providers: what lets service accounts of a cluster assume roles (IRSA)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sandbox.aws.errors import AWSError
from sandbox.aws.iam.entities import OIDC_PROVIDERS, Record, exists_already, limit_exceeded, merge_tags, without_tags
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context

_QUOTA = 100
"""Providers of an account. Source: IAM quotas."""
_THUMBPRINT = re.compile(r"[0-9a-fA-F]{40}")
_PLACEHOLDER = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280"
"""What IAM fills in itself when none is given: it takes the certificate from the address."""


@operation("iam", "CreateOpenIDConnectProvider")
def create_open_id_connect_provider(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    url = params["Url"].rstrip("/")
    if not url.startswith("https://"):
        raise AWSError("ValidationError", "Invalid Open ID Connect Provider URL: it must begin with https://")
    thumbprints = params.get("ThumbprintList") or [_PLACEHOLDER]
    for thumbprint in thumbprints:
        if not _THUMBPRINT.fullmatch(thumbprint):
            raise AWSError("InvalidInput", f"Thumbprint {thumbprint} must be 40 hexadecimal digits.")
    arn = context.arn("iam", f"oidc-provider/{url.removeprefix('https://')}")
    if OIDC_PROVIDERS.find(context, arn) is not None:
        raise exists_already(f"Provider with url {url} already exists.")
    if len(OIDC_PROVIDERS.all(context)) >= _QUOTA:
        raise limit_exceeded(f"Cannot exceed quota for OpenIdConnectProvidersPerAccount: {_QUOTA}")
    record: Record = {
        "Arn": arn,
        "Url": url.removeprefix("https://"),
        "ClientIDList": params.get("ClientIDList") or [],
        "ThumbprintList": thumbprints,
        "CreateDate": context.timestamp,
        "Tags": merge_tags([], params.get("Tags") or []),
    }
    OIDC_PROVIDERS.put(context, record)
    return {"OpenIDConnectProviderArn": arn, "Tags": record["Tags"]}


@operation("iam", "GetOpenIDConnectProvider")
def get_open_id_connect_provider(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    return {name: record[name] for name in ("Url", "ClientIDList", "ThumbprintList", "CreateDate", "Tags")}


@operation("iam", "ListOpenIDConnectProviders")
def list_open_id_connect_providers(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"OpenIDConnectProviderList": [{"Arn": record["Arn"]} for record in OIDC_PROVIDERS.all(context)]}


@operation("iam", "DeleteOpenIDConnectProvider")
def delete_open_id_connect_provider(context: Context, params: dict[str, Any]) -> None:
    """IAM answers with success when there is none (it is idempotent)."""
    OIDC_PROVIDERS.delete(context, params["OpenIDConnectProviderArn"])


@operation("iam", "AddClientIDToOpenIDConnectProvider")
def add_client_id(context: Context, params: dict[str, Any]) -> None:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    if params["ClientID"] not in record["ClientIDList"]:
        record["ClientIDList"].append(params["ClientID"])
    OIDC_PROVIDERS.put(context, record)


@operation("iam", "RemoveClientIDFromOpenIDConnectProvider")
def remove_client_id(context: Context, params: dict[str, Any]) -> None:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    record["ClientIDList"] = [one for one in record["ClientIDList"] if one != params["ClientID"]]
    OIDC_PROVIDERS.put(context, record)


@operation("iam", "UpdateOpenIDConnectProviderThumbprint")
def update_thumbprint(context: Context, params: dict[str, Any]) -> None:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    record["ThumbprintList"] = params["ThumbprintList"]
    OIDC_PROVIDERS.put(context, record)


@operation("iam", "TagOpenIDConnectProvider")
def tag_provider(context: Context, params: dict[str, Any]) -> None:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    record["Tags"] = merge_tags(record["Tags"], params["Tags"])
    OIDC_PROVIDERS.put(context, record)


@operation("iam", "UntagOpenIDConnectProvider")
def untag_provider(context: Context, params: dict[str, Any]) -> None:
    record = OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])
    record["Tags"] = without_tags(record["Tags"], params["TagKeys"])
    OIDC_PROVIDERS.put(context, record)


@operation("iam", "ListOpenIDConnectProviderTags")
def list_provider_tags(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    return {"Tags": OIDC_PROVIDERS.get(context, params["OpenIDConnectProviderArn"])["Tags"], "IsTruncated": False}
