"""What all pages share: the frame, errors as pages, the hint about AWS."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from instantstart import cloud
from instantstart.cloud import errors
from instantstart.cloud.errors import CloudError

pytestmark = pytest.mark.django_db
PAGES = [
    "clusters-web:list",
    "clusters-web:rules",
    "operations-web:list",
    "operations-web:notifications",
    "web:connection",
    "accounts-web:tokens",
]


@pytest.fixture
def client_of_viewer(viewer: User) -> Client:
    client = Client()
    client.force_login(viewer)
    return client


@pytest.mark.parametrize(
    "name", [*PAGES, "accounts-web:password", "accounts-web:users", "accounts-web:audit", "clusters-web:new", "clusters-web:from-config"]
)
def test_pages_are_for_signed_in_people(name: str) -> None:
    response = Client().get(reverse(name))
    assert (response.status_code, response.headers["Location"]) == (302, f"/sign-in/?next={reverse(name)}")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_forbids_inline_scripts_and_styles(client_of_viewer: Client, name: str) -> None:
    response = client_of_viewer.get(reverse(name))
    policy = response.headers["Content-Security-Policy"]
    assert response.status_code == 200
    sources = dict(directive.strip().split(" ", 1) for directive in policy.split(";"))  # in no particular order
    assert (sources["script-src"], sources["style-src"]) == ("'self'", "'self'")
    assert "unsafe" not in policy
    page = response.content.decode()
    assert "<script>" not in page and "<style" not in page and ' style="' not in page and " onclick" not in page


def test_an_address_that_is_not_there_is_a_page_for_people_and_a_problem_for_programs(client_of_viewer: Client) -> None:
    page, problem = client_of_viewer.get("/nowhere/"), client_of_viewer.get("/api/v1/nowhere/")
    assert (page.status_code, page.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing here" in page.content.decode()
    assert (problem.status_code, problem.headers["Content-Type"]) == (404, "application/problem+json")


def test_a_defect_is_a_page_that_tells_no_inner_life(client_of_viewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the inner life")

    monkeypatch.setattr("operations.web.views._chosen", fail)
    client_of_viewer.raise_request_exception = False
    response = client_of_viewer.get(reverse("operations-web:list"))
    page = response.content.decode()
    assert response.status_code == 500 and "Something went wrong on our side" in page and "inner life" not in page


def test_a_form_without_its_token_is_refused_with_a_page_that_says_what_to_do(viewer: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(viewer)
    response = client.post(reverse("accounts-web:tokens"), {"name": "forged"})
    assert response.status_code == 403 and "This page was open for too long" in response.content.decode()


class Unusable:
    """AWS as it looks with credentials that it does not know."""

    def __init__(self, method: str) -> None:
        self.method = method

    def credentials_method(self) -> str:
        return self.method

    def identity(self) -> None:
        raise CloudError("sts", "get_caller_identity", errors.EXPIRED_CREDENTIALS, "expired", status=403, sent=True)


@pytest.mark.parametrize(("method", "said"), [("", "There are no AWS credentials."), ("env", "AWS did not accept the credentials")])
def test_the_list_of_clusters_gets_a_hint_while_aws_can_not_be_used(
    client_of_viewer: Client, monkeypatch: pytest.MonkeyPatch, method: str, said: str
) -> None:
    monkeypatch.setattr(cloud, "connect", lambda region: Unusable(method))
    listed = client_of_viewer.get(reverse("clusters-web:list")).content.decode()
    assert f'hx-get="{reverse("web:trouble")}"' in listed and said not in listed, "the list itself asks nothing of AWS"
    hint = client_of_viewer.get(reverse("web:trouble")).content.decode()
    assert said in hint and reverse("web:connection") in hint
