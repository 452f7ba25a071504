"""AWS. The only importer of boto3 and botocore.

`connect(region)` gives an Aws: `.read`, `.pages`, `.write`, `.identity`, `.eks_token`. Credentials and AWS_ENDPOINT_URL are
taken from the environment at that moment. Everything that goes wrong is a CloudError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from instantstart.cloud.aws import Aws


def connect(region: str, account: str = "", *, background: bool = False) -> Aws:
    """AWS in that region. No call is made. `account` only names the rate limit's bucket when the caller knows it."""
    from instantstart.cloud.aws import Aws

    return Aws(region, account, background=background)


def forget() -> None:
    """Drops kept clients and identities, after the credentials were changed."""
    from instantstart.cloud import aws, sessions

    sessions.forget()
    aws.forget_identities()
