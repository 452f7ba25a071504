"""Signing in is throttled by user name and address, counted by all processes together, and audited."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest
import time_machine
from django.contrib.auth import authenticate
from django.db import connection
from django.test import RequestFactory
from django.utils import timezone

from accounts import sign_in
from accounts.choices import AuditOutcome
from accounts.models import AuditEntry, SignInAttempt
from conftest import PASSWORD


def try_to(username, password, address="192.0.2.1"):
    return authenticate(RequestFactory().post("/sign-in/", REMOTE_ADDR=address), username=username, password=password)


def test_the_right_password_signs_in_and_is_on_the_trail(operator):
    assert try_to("operator", PASSWORD) == operator
    entry = AuditEntry.objects.get()
    assert (entry.user, entry.action, entry.outcome) == (operator, "session.sign_in", AuditOutcome.ACCEPTED)
    assert SignInAttempt.objects.count() == 0


def test_after_five_wrong_passwords_the_right_one_is_not_looked_at_until_the_window_has_passed(operator):
    start = timezone.now()
    with time_machine.travel(start, tick=False):
        assert [try_to("operator", "wrong") for _ in range(5)] == [None] * 5
        assert try_to("Operator", PASSWORD) is None
        assert try_to("operator", PASSWORD) is None
        assert sign_in.retry_after("operator", "192.0.2.1") == 15 * 60 + 1
    codes = list(AuditEntry.objects.order_by("id").values_list("code", flat=True))
    assert codes == ["wrong_password"] * 5 + ["throttled"] * 2
    with time_machine.travel(start + sign_in.WINDOW + dt.timedelta(seconds=1), tick=False):
        assert sign_in.retry_after("operator", "192.0.2.1") == 0
        assert try_to("operator", PASSWORD) == operator


def test_others_are_not_shut_out_by_wrong_passwords_for_a_name_from_elsewhere(operator, viewer):
    for _ in range(6):
        try_to("operator", "wrong", "198.51.100.7")
    assert try_to("operator", PASSWORD, "192.0.2.1") == operator
    assert try_to("viewer", PASSWORD, "198.51.100.7") == viewer


def test_one_address_that_tries_many_names_is_stopped(operator):
    for number in range(30):
        try_to(f"user{number}", "wrong")
    assert try_to("operator", PASSWORD) is None
    assert try_to("operator", PASSWORD, "192.0.2.2") == operator


def test_many_addresses_that_try_one_name_are_stopped(operator):
    for number in range(100):
        try_to("operator", "wrong", f"192.0.2.{number}")
    assert try_to("operator", PASSWORD, "198.51.100.1") is None


def test_signing_in_forgets_the_slips_of_this_address(operator):
    for _ in range(4):
        try_to("operator", "wrong")
    assert try_to("operator", PASSWORD) == operator
    for _ in range(4):
        try_to("operator", "wrong")
    assert try_to("operator", PASSWORD) == operator


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_guesses_at_the_same_time_do_not_slip_through():
    """Each is counted before its password is looked at."""
    looked_at = []

    def guess(_):
        try:
            attempt = sign_in.begin("operator", "192.0.2.1")
            looked_at.append(attempt.allowed)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(guess, range(20)))
    assert looked_at.count(True) <= 5


def test_a_user_who_is_shut_out_does_not_get_in(operator):
    operator.is_active = False
    operator.save()
    assert try_to("operator", PASSWORD) is None


@pytest.mark.parametrize(("address", "door"), [("/sign-out/", "web"), ("/admin/logout/", "admin")])
def test_signing_out_is_on_the_trail_once_by_whichever_door(address, door, admin_person, client):
    client.force_login(admin_person)
    for _ in range(2):  # the second time nobody is signed in
        client.post(address, REMOTE_ADDR="192.0.2.7")
    entry = AuditEntry.objects.get(action="session.sign_out")
    assert (entry.user, entry.outcome, entry.channel, entry.remote_addr) == (admin_person, AuditOutcome.ACCEPTED, door, "192.0.2.7")
