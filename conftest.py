"""Fixtures that tests of every app share: people of each role, and clients that call the API as them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.db import connections
from rest_framework.test import APIClient

from accounts.actions import tokens
from accounts.choices import Role
from accounts.models import ApiToken, User
from accounts.principal import Principal
from accounts.principals import principal_for

# one Kubernetes control plane for all tests of the session; a limit to every test; groups that stay together
pytest_plugins = ["sandbox.tests.kube.rig", "instantstart.tests.limits", "instantstart.tests.groups"]

PASSWORD = "correct horse battery"  # noqa: S105


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """SQLite in a file, as in production: in memory, connections share one cache, which locks whole tables and waits for nobody.
    On PostgreSQL each worker has a database of its own by its name's suffix."""
    database = connections["default"].settings_dict
    database["CONN_MAX_AGE"] = 0  # threads outlive a test; their connections must not, or the database can't be dropped
    if database["ENGINE"].endswith("sqlite3"):
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def _state_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests share neither rate limits nor anything else with a product that runs from this folder, nor with other workers."""
    settings.STATE_DIR = tmp_path_factory.mktemp("state")


@pytest.fixture(scope="session", autouse=True)
def _plain_password_hashes() -> None:
    """The real hasher takes a third of a second on purpose; tests make many users."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    """knox makes its own table of tokens although ours is swapped in; Django's flush does not know it, and PostgreSQL then
    refuses to truncate the users it refers to."""
    with django_db_blocker.unblock():
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE IF EXISTS knox_authtoken")


def make_user(role: Role, username: str = "") -> User:
    user = User(username=username or role.value, role=role)
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def viewer(db: None) -> User:
    return make_user(Role.VIEWER)


@pytest.fixture
def operator(db: None) -> User:
    return make_user(Role.OPERATOR)


@pytest.fixture
def admin_person(db: None) -> User:
    return make_user(Role.ADMIN)


@pytest.fixture
def make_token(db: None) -> Callable[..., tuple[ApiToken, str]]:
    """make_token(user, **limits): a token and its secret, by the same action that the doors call."""
    made = 0

    def make(user: User, **limits: Any) -> tuple[ApiToken, str]:
        nonlocal made
        made += 1
        return tokens.create(principal_for(user), channel="api", **{"name": f"token {made}", **limits})

    return make


@pytest.fixture
def api(make_token: Callable[..., tuple[ApiToken, str]]) -> Callable[..., APIClient]:
    """api(): anonymous. api(user): with a token of all the user's rights. api(user, read_only=True, …): with a token so limited."""

    def client(user: User | None = None, **limits: Any) -> APIClient:
        made = APIClient()
        if user is not None:
            _, secret = make_token(user, **limits)
            made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        return made

    return client


@pytest.fixture
def principal(operator: User) -> Principal:
    """An operator signed in by the pages."""
    return principal_for(operator)
