"""Whatever goes wrong, the API answers with problem details that say what to do."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from accounts.choices import AuditOutcome, Role
from accounts.models import AuditEntry
from conftest import PASSWORD
from instantstart.tests.doors import BrokenView, MakeView, call

MEMBERS = {"type", "title", "status", "code", "detail", "hint", "errors", "request_id"}


def check(answer, status, code):
    body = json.loads(answer.content)
    assert (answer.status_code, body["code"], body["status"]) == (status, code, status)
    assert answer["Content-Type"] == "application/problem+json"
    assert set(body) >= MEMBERS
    assert body["type"] == f"/problems/{code}" and body["title"] and body["detail"] and body["hint"]
    return body


def test_an_unknown_address_is_a_problem(api):
    answer = api().get("/api/v1/nothing/")
    assert check(answer, 404, "not_found")["request_id"] == answer["X-Request-ID"]


def test_a_row_that_is_not_there_is_a_problem(operator, api):
    check(api(operator).get("/api/v1/operations/00000000-0000-0000-0000-000000000000/"), 404, "not_found")


def test_a_method_that_is_not_there_is_a_problem_and_the_others_are_named(operator, api):
    answer = api(operator).put("/api/v1/me/", {})
    check(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_a_body_that_is_no_json_is_a_problem(operator, api):
    check(api(operator).post("/api/v1/tokens/", data="{", content_type="application/json"), 400, "malformed_body")


def test_a_body_in_another_format_is_a_problem(operator, api):
    check(api(operator).post("/api/v1/tokens/", data="<a/>", content_type="text/xml"), 415, "unsupported_media_type")


def test_a_format_that_we_do_not_speak_is_a_problem(operator, api):
    check(api(operator).get("/api/v1/me/", HTTP_ACCEPT="text/csv"), 406, "not_acceptable")


def test_invalid_input_names_each_field(operator, api):
    answer = api(operator).post("/api/v1/tokens/", {"name": "", "role": "king", "clusters": [], "expires_in_days": 0})
    errors = check(answer, 422, "invalid_input")["errors"]
    assert [(error["field"], error["code"]) for error in errors] == [
        ("name", "blank"),
        ("role", "invalid_choice"),
        ("clusters", "empty"),
        ("expires_in_days", "min_value"),
    ]


def test_input_of_an_action_names_each_field(operator, make_token):
    _, secret = make_token(operator)
    answer = call(MakeView, "post", "/", secret, {"name": "", "colour": "red"})
    errors = check(answer, 422, "invalid_input")["errors"]
    assert [(error["field"], error["code"]) for error in errors] == [("name", "string_too_short"), ("colour", "extra_forbidden")]


def test_what_nobody_expected_is_logged_and_not_told(operator, make_token):
    _, secret = make_token(operator)
    answer = call(BrokenView, "get", "/", secret)
    check(answer, 500, "internal_error")
    assert b"hunter2" not in answer.content


@pytest.mark.parametrize(
    ("query", "field", "code"),
    [
        ("stat=failed", "stat", "unknown_parameter"),
        ("state=borken", "state", "invalid_choice"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=201", "limit", "out_of_range"),
        ("limit=many", "limit", "out_of_range"),
        ("cursor=x", "cursor", "invalid_cursor"),
        ("fields=id,colour", "fields", "unknown_field"),
        ("since=yesterday", "since", "invalid"),
        ("dry_run=true", "dry_run", "unknown_parameter"),
    ],
)
def test_a_query_parameter_that_is_wrong_is_named(operator, api, query, field, code):
    answer = api(operator).get(f"/api/v1/operations/?{query}")
    body = json.loads(answer.content)
    assert answer.status_code == 400
    assert [(error["field"], error["code"]) for error in body["errors"]] == [(field, code)]


def test_without_credentials_the_way_in_is_told(api, db):
    answer = api().get("/api/v1/me/")
    check(answer, 401, "not_signed_in")
    assert answer["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "Bearer a b", "Token \xff"])
def test_a_token_that_is_none_is_refused(db, header):
    check(Client(HTTP_AUTHORIZATION=header).get("/api/v1/me/"), 401, "authentication_failed")


def test_a_session_needs_the_csrf_token_for_changes(operator):
    browser = Client(enforce_csrf_checks=True)
    assert browser.login(username="operator", password=PASSWORD)
    assert browser.get("/api/v1/me/").status_code == 200
    answer = browser.post("/api/v1/tokens/", {"name": "laptop"}, content_type="application/json")
    check(answer, 403, "csrf_failed")
    browser.cookies["csrftoken"] = "a" * 32
    answer = browser.post("/api/v1/tokens/", {"name": "laptop"}, content_type="application/json", headers={"X-CSRFToken": "a" * 32})
    assert answer.status_code == 201


def test_a_refused_change_is_in_the_audit_trail_with_its_request(viewer, make_token):
    token, secret = make_token(viewer, role=Role.VIEWER)
    answer = call(MakeView, "post", "/things/", secret, {"name": "demo"})
    check(answer, 403, "role_too_low")
    entry = AuditEntry.objects.get(outcome=AuditOutcome.REFUSED)
    assert (entry.user, entry.token_name, entry.code, entry.subject) == (viewer, token.name, "role_too_low", "/things/")


def test_the_callers_request_id_is_kept_when_it_is_well_formed(operator, api):
    client = api(operator)
    assert client.get("/api/v1/me/", HTTP_X_REQUEST_ID="abc-1")["X-Request-ID"] == "abc-1"
    made = client.get("/api/v1/me/", HTTP_X_REQUEST_ID="no spaces\tplease")["X-Request-ID"]
    assert len(made) == 32


NO_DOCUMENT = {
    "deep": "[" * 100_000,
    "deep and whole": '{"name":' * 65 + "1" + "}" * 65,
    "a key twice": '{"name": "one", "name": "two"}',
    "no number": '{"name": NaN}',
    "no text": b"\xff\xfe{",
}


@pytest.mark.parametrize("headers", [{}, {"HTTP_IDEMPOTENCY_KEY": "key-1"}])
@pytest.mark.parametrize("body", NO_DOCUMENT.values(), ids=NO_DOCUMENT.keys())
def test_a_body_that_cannot_be_read_in_one_way_only_is_a_problem(operator, api, body, headers):
    answer = api(operator).post("/api/v1/tokens/", data=body, content_type="application/json", **headers)
    check(answer, 400, "malformed_body")


def test_a_key_given_twice_is_named(operator, api):
    answer = api(operator).post("/api/v1/tokens/", data='{"name": "one", "name": "two"}', content_type="application/json")
    assert 'The key "name" is in one object twice.' in check(answer, 400, "malformed_body")["detail"]


@pytest.mark.parametrize("body", ["null", "[]", "1", '"name"'])
def test_a_body_that_is_no_object_is_a_problem(operator, api, body):
    answer = api(operator).post("/api/v1/tokens/", data=body, content_type="application/json")
    body = check(answer, 400, "not_an_object")
    assert (body["detail"], body["errors"]) == ("The body must be a JSON object.", [])


def test_a_body_too_large_to_be_read_is_a_problem(operator, api, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = api(operator).post("/api/v1/tokens/", data='{"name": "' + "x" * 1000 + '"}', content_type="application/json")
    assert check(answer, 413, "body_too_large")["detail"] == "A body has at most 1000 bytes."
