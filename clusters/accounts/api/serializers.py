"""What the API shows of AWS accounts."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from clusters.accounts.trust import trust_policy
from clusters.models import AwsAccount


class AwsAccountSerializer(serializers.ModelSerializer[AwsAccount]):
    """One account that was added. How its clusters are read now is told by their phases; this tells of the last test."""

    added_by = serializers.CharField(source="added_by.username", default="", read_only=True)
    missing = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="IAM actions missing at the last test; null when IAM did not say."
    )
    unreadable = serializers.CharField(help_text='Why the role could not be taken on at the last test; "" when it could.')

    class Meta:
        model = AwsAccount
        fields: ClassVar[tuple[str, ...]] = (
            "name",
            "account_id",
            "role_arn",
            "external_id",
            "partition",
            "added_by",
            "added_at",
            "tested_at",
            "identity",
            "missing",
            "unreadable",
            "unreadable_since",
        )
        read_only_fields = fields


class TrustSerializer(serializers.Serializer[Any]):
    """What to put into the role before the account is added."""

    account_id = serializers.CharField()
    principal = serializers.CharField(help_text="Whom this installation is to AWS.")
    external_id = serializers.CharField()
    trust_policy = serializers.JSONField()


def trust_body(account_id: str, principal: str, external: str) -> dict[str, Any]:
    policy = trust_policy(principal, external)
    return {"account_id": account_id, "principal": principal, "external_id": external, "trust_policy": policy}
