"""The pages of AWS accounts, and the wizard's choice of one."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from clusters.accounts.trust import external_id
from clusters.models import AwsAccount
from clusters.tests.aws_accounts.second import ROLE_ARN, SECOND, US, SecondAccount
from operations.models import Operation

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_account_is_added_by_its_trust_policy_and_chosen_in_the_wizard(
    client: Client, second: SecondAccount, admin_person: User
) -> None:
    client.force_login(admin_person)
    new = reverse("clusters-web:aws-account-new")
    shown = client.get(new, {"name": "second", "account_id": SECOND})
    assert external_id(SECOND) in shown.content.decode()
    assert US in shown.content.decode()
    asked = {"name": "second", "account_id": SECOND, "role_arn": ROLE_ARN}
    refused = client.get(new, asked)
    assert "check failed" in refused.content.decode()

    second.make_role()
    review = client.get(new, asked)
    seen = {"plan_fingerprint": review.context["plan"].fingerprint, "key": "one"}
    assert client.post(f"{new}?{review.request['QUERY_STRING']}", seen).status_code == 302
    assert AwsAccount.objects.get().identity.startswith(f"arn:aws:sts::{SECOND}:assumed-role/")
    assert ROLE_ARN in client.get(reverse("clusters-web:aws-accounts")).content.decode()

    wizard = client.get(reverse("clusters-web:new"))
    assert f"second ({SECOND})" in wizard.content.decode()
    typed = {**{name: field.initial or "" for name, field in wizard.context["form"].fields.items()}, "name": "demo", "account": "second"}
    plan = client.post(reverse("clusters-web:new"), {**typed, "region": "us-west-2", "stage": "review", "deep_health_checks": []})
    assert plan.context["plan"].summary == f"Create the cluster demo in us-west-2 of the account second ({SECOND})"
    assert Operation.objects.count() == 1
