"""The list of AWS accounts; adding one by its trust policy and role; testing and removing one, each reviewed as a plan first."""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.choices import Role
from accounts.principals import principal_of
from clusters.accounts.reach import visible_accounts
from clusters.accounts.trust import external_id, trust_policy
from clusters.models import AwsAccount
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import advice, sentence
from instantstart.web.review import Review, reviewed
from instantstart.web.signed_in import page
from operations.submission import Submission

FIELDS = ("name", "account_id", "role_arn")


@page()
@require_safe
def account_list(request: HttpRequest) -> HttpResponse:
    principal = principal_of(request)
    context = {
        "accounts": visible_accounts(AwsAccount.objects.select_related("added_by"), principal),
        "may_add": principal.role.covers(Role.ADMIN),
        "may_test": principal.role.covers(Role.OPERATOR),
    }
    return render(request, "clusters/aws_accounts.html", context)


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def account_new(request: HttpRequest) -> HttpResponse:
    """First the account's digits, for which the trust policy is shown; then, with the role's ARN too, the plan."""
    given = {name: request.GET.get(name, "").strip() for name in FIELDS}
    if all(given.values()):
        begun = urlencode({name: given[name] for name in ("name", "account_id")})
        back = f"{reverse('clusters-web:aws-account-new')}?{begun}"
        return reviewed(request, Review("account.add", given, f"Add the AWS account {given['name']}", "Add the account", back), _done)
    known = re.fullmatch(r"[0-9]{12}", given["account_id"]) is not None
    context = {"given": given, "wrong": bool(given["account_id"]) and not known, **(_trust(given["account_id"]) if known else {})}
    return render(request, "clusters/aws_account_new.html", context)


def _trust(digits: str) -> dict[str, str]:
    external = external_id(digits)
    try:
        own = cloud.connect(settings.DEFAULT_REGION).identity().role_arn
    except CloudError as error:
        return {"trouble": f"{sentence(error)} {advice(error)}"}
    return {"external_id": external, "trust_policy": json.dumps(trust_policy(own, external), indent=2)}


@page(Role.OPERATOR)
@require_http_methods(["GET", "POST"])
def account_test(request: HttpRequest, name: str) -> HttpResponse:
    review = Review("account.test", {"name": name}, f"Test the AWS account {name}", "Test it now", reverse("clusters-web:aws-accounts"))
    return reviewed(request, review, _done)


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def account_remove(request: HttpRequest, name: str) -> HttpResponse:
    back = reverse("clusters-web:aws-accounts")
    review = Review("account.remove", {"name": name}, f"Remove the AWS account {name}", "Remove the account", back, danger=True)
    return reviewed(request, review, _done)


def _done(submission: Submission) -> str:
    operation = submission.operation
    if operation is not None and operation.kind == "account.test":
        return reverse("operations-web:detail", args=[operation.pk])
    return reverse("clusters-web:aws-accounts")
