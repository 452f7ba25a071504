"""EKS bearer tokens, without a control plane."""

from __future__ import annotations

import time

import pytest

from sandbox.identity import AccessKey, Principal
from sandbox.kube.token import TokenRefused, verify
from sandbox.tests.kube.rig import token

ARN = "arn:aws:iam::123456789012:user/ann"
KEY = AccessKey("AKIAEXAMPLE000000001", "a secret", Principal(arn=ARN, account="123456789012", kind="user"))
SESSION = AccessKey(
    # Made when the tests are collected; the last of them may run an hour later.
    "ASIAEXAMPLE000000001",
    "another secret",
    KEY.principal,
    session_token="a session's token",
    expires_at=time.time() + 12 * 3600,
)
KEYS = {key.access_key: key for key in (KEY, SESSION)}


@pytest.mark.parametrize("key", [KEY, SESSION], ids=["user", "session"])
@pytest.mark.parametrize("host", ["http://127.0.0.1:4599", "https://sts.us-west-2.amazonaws.com"])
def test_a_token_for_the_cluster_tells_its_key(key: AccessKey, host: str) -> None:
    assert verify(token("demo", key, host=host), "demo", KEYS.get) == key


def test_a_token_for_another_cluster_is_refused() -> None:
    with pytest.raises(TokenRefused, match="a token for another cluster than demo"):
        verify(token("other", KEY), "demo", KEYS.get)


def test_a_token_signed_with_another_secret_is_refused() -> None:
    with pytest.raises(TokenRefused, match="signature does not match"):
        verify(token("demo", access_key=KEY.access_key, secret_key="wrong"), "demo", KEYS.get)


def test_a_token_of_an_unknown_key_is_refused() -> None:
    with pytest.raises(TokenRefused, match="there is no access key AKIAEXAMPLE000000002"):
        verify(token("demo", access_key="AKIAEXAMPLE000000002", secret_key="x"), "demo", KEYS.get)


def test_a_token_is_good_for_a_quarter_of_an_hour() -> None:
    made = token("demo", KEY)
    assert verify(made, "demo", KEYS.get, now=time.time() + 14 * 60) == KEY
    with pytest.raises(TokenRefused, match="the token expired: it was signed"):
        verify(made, "demo", KEYS.get, now=time.time() + 15 * 60 + 2)


def test_a_token_from_the_future_is_refused() -> None:
    with pytest.raises(TokenRefused, match="signed in the future"):
        verify(token("demo", KEY), "demo", KEYS.get, now=time.time() - 400)


def test_a_token_of_a_session_that_has_ended_is_refused() -> None:
    ended = AccessKey(SESSION.access_key, SESSION.secret_key, SESSION.principal, SESSION.session_token, expires_at=time.time() - 1)
    with pytest.raises(TokenRefused, match="credentials have expired"):
        verify(token("demo", SESSION), "demo", lambda _: ended)


def test_a_token_with_another_session_token_is_refused() -> None:
    stolen = AccessKey(SESSION.access_key, SESSION.secret_key, SESSION.principal, "made up", SESSION.expires_at)
    with pytest.raises(TokenRefused, match="security token is not that of the access key"):
        verify(token("demo", stolen), "demo", KEYS.get)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "does not begin with k8s-aws-v1."),
        ("eyJhbGciOi", "does not begin with k8s-aws-v1."),
        ("k8s-aws-v1.!!!", "not base64url"),
        ("k8s-aws-v1.aHR0cDovL3gvP0FjdGlvbj1EZWxldGVVc2Vy", "not a presigned sts:GetCallerIdentity"),
    ],
)
def test_what_is_no_token_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(TokenRefused, match=reason):
        verify(text, "demo", KEYS.get)
