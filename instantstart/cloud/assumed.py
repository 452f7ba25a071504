"""Credentials of a role, which botocore renews by assuming it again before they end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from botocore.credentials import CredentialProvider, CredentialResolver, Credentials, DeferredRefreshableCredentials
from django.conf import settings

from instantstart.cloud.roles import OPERATION, Role
from instantstart.cloud.translate import RAISED, cloud_error


def resolver(role: Role, sts: Callable[[], Any]) -> CredentialResolver:
    """Credentials of the role for a botocore session, renewed before they end. sts: makes the client that assumes it."""

    def renew() -> dict[str, Any]:
        asked = {"RoleArn": role.arn, "RoleSessionName": settings.ROLE_SESSION_NAME}
        if role.external_id:
            asked["ExternalId"] = role.external_id
        try:
            said = sts().assume_role(**asked)["Credentials"]
        except RAISED as error:
            failed = cloud_error("sts", OPERATION, error)
            failed.sent = False  # of the call that needed the credentials, nothing has left
            raise failed from error
        ends: datetime = said["Expiration"]
        return {
            "access_key": said["AccessKeyId"],
            "secret_key": said["SecretAccessKey"],
            "token": said["SessionToken"],
            "expiry_time": ends.isoformat(),
        }

    return CredentialResolver([_AssumedRole(renew)])


class _AssumedRole(CredentialProvider):
    METHOD = "assume-role"

    def __init__(self, renew: Callable[[], dict[str, Any]]) -> None:
        super().__init__()
        self._renew = renew

    def load(self) -> Credentials:
        return DeferredRefreshableCredentials(refresh_using=self._renew, method=self.METHOD)
