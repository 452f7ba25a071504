"""Paging, sparse fields and entity tags."""

from __future__ import annotations

import datetime as dt

from django.utils import timezone

from operations.choices import Channel, OperationState
from operations.models import Operation

LIST = "/api/v1/operations/"


def make_operations(count, **values):
    at = timezone.now()
    return Operation.objects.bulk_create(
        Operation(
            kind="fake.make",
            title="Make",
            subject_type="cluster",
            subject=f"c{number}",
            cluster=f"c{number}",
            request_fingerprint="f",
            channel=Channel.API,
            state=OperationState.SUCCEEDED,
            created_at=at - dt.timedelta(seconds=number // 2),  # pairs at the same instant
            **values,
        )
        for number in range(count)
    )


def test_pages_hold_every_row_once_though_rows_are_added_meanwhile(operator, api):
    made = {str(row.pk) for row in make_operations(25)}
    client = api(operator)
    seen, url = [], f"{LIST}?limit=10"
    while url:
        page = client.get(url).json()
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
        make_operations(1, error_code="late")
    assert len(seen) == 25 + 0 and set(seen) == made


def test_filters_narrow_and_may_be_repeated(operator, api):
    make_operations(3)
    Operation.objects.filter(subject="c1").update(state=OperationState.FAILED)
    Operation.objects.filter(subject="c2").update(state=OperationState.RUNNING)
    client = api(operator)

    def subjects(query):
        return sorted(row["subject"] for row in client.get(f"{LIST}?{query}").json()["results"])

    assert subjects("state=failed&state=running") == ["c1", "c2"]
    assert subjects("active=true") == ["c2"]
    assert subjects("active=false&cluster=c0") == ["c0"]
    assert subjects("top=false") == []


def test_fields_are_the_only_ones_answered_in_lists_and_details(operator, api):
    (row,) = make_operations(1)
    client = api(operator)
    assert client.get(f"{LIST}?fields=id,state").json()["results"] == [{"id": str(row.pk), "state": "succeeded"}]
    assert client.get(f"{LIST}{row.pk}/?fields=subject").json() == {"subject": "c0"}


def test_what_has_not_changed_is_not_sent_again(operator, api):
    (row,) = make_operations(1)
    client = api(operator)
    for url in (LIST, f"{LIST}{row.pk}/"):
        first = client.get(url)
        again = client.get(url, HTTP_IF_NONE_MATCH=first["ETag"])
        assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
        assert client.get(url, HTTP_IF_NONE_MATCH=f'"other", W/{first["ETag"]}').status_code == 304
    Operation.objects.update(message="further")
    for url in (LIST, f"{LIST}{row.pk}/"):
        changed = client.get(url, HTTP_IF_NONE_MATCH=first["ETag"])
        assert changed.status_code == 200 and changed["ETag"] != first["ETag"]


def test_a_change_of_what_has_changed_meanwhile_is_refused(admin_person, viewer, api):
    client = api(admin_person)
    seen = client.get("/api/v1/users/viewer/")["ETag"]
    assert client.patch("/api/v1/users/viewer/", {"email": "a@example.org"}, HTTP_IF_MATCH=seen).status_code == 200
    answer = client.patch("/api/v1/users/viewer/", {"email": "b@example.org"}, HTTP_IF_MATCH=seen)
    assert (answer.status_code, answer.json()["code"]) == (412, "changed_meanwhile")
    viewer.refresh_from_db()
    assert viewer.email == "a@example.org"
