"""EKS bearer tokens: a presigned sts:GetCallerIdentity whose signature covers the cluster's name."""

from __future__ import annotations

import base64
from typing import Any

TOKEN_SECONDS = 14 * 60
"""The server accepts a token up to 15 minutes after it was signed; clients renew at 14."""
_PRESIGN_SECONDS = 60
_HEADER = "x-k8s-aws-id"


def eks_token(sts: Any, region: str, cluster_name: str) -> str:
    """`k8s-aws-v1.` and the presigned URL in unpadded base64url. `sts` is a boto3 client of STS."""
    signer = sts._request_signer
    endpoint = str(sts.meta.endpoint_url).rstrip("/")
    request = {
        "method": "GET",
        "url": f"{endpoint}/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {_HEADER: cluster_name},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name=region, expires_in=_PRESIGN_SECONDS, operation_name="", signing_name="sts")
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).rstrip(b"=").decode()
