"""How many queries each read takes: committed, and the same for few rows as for many.

Changed on purpose? Remake with `INSTANTSTART_REMAKE_SNAPSHOTS=1 pytest instantstart/tests/test_query_counts.py`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, User
from clusters.models import Cluster
from clusters.tests.aws_accounts.rows import make_account
from clusters.tests.rows import AT, make_cluster, make_drift, make_node_group, make_orphan, make_quota, make_stack
from instantstart.tests.authorization_matrix import ROWS
from instantstart.tests.test_reading import make_operations
from operations.alerts.tests.rows import make_alert, make_deliveries, make_webhook
from operations.models import Event, Operation

SNAPSHOT = Path(__file__).with_name("query_counts.json")
READS = [row for row in ROWS if row.method == "get" and not row.route.startswith(("accounts/trust/", "catalog/", "schema/"))]


def add_rows(count: int, owner: User, make_token: Any) -> dict[str, str]:
    """`count` more of everything that lists show; answers ids for the rows' urls."""
    serial = Operation.objects.count()
    operations = make_operations(count, actor=owner)
    Event.objects.bulk_create(Event(operation=operations[0], at=AT, code="seen", message="Seen.") for _ in range(count))
    entry = AuditEntry.objects.create(action="cluster.create", subject="cluster:demo", outcome="accepted", user=owner)
    for number in range(count):
        User.objects.create(username=f"user-{serial}-{number}")
        make_cluster(f"c{serial}-{number}", nodes=2)
        token, _ = make_token(owner, name=f"token-{serial}-{number}")
        AuditEntry.objects.create(action="cluster.create", subject="cluster:demo", outcome="accepted", user=owner)
    for number in range(count):
        quota = make_quota(f"quota {serial}-{number}")
        make_alert(f"cluster:c{serial}-{number}")
        webhook = make_webhook(f"https://example.com/{serial}-{number}")
        digits = f"{serial + number:012d}"
        make_account("second" if serial + number == 0 else f"second-{digits}", digits)
    make_deliveries(webhook, count)
    if serial == 0:
        make_node_group(make_cluster("demo", nodes=count))
    demo = Cluster.objects.get(name="demo")
    for number in range(count):
        make_stack(demo, "control-plane" if serial + number == 0 else f"group-{serial}-{number}")
    drift, *_ = [make_drift(demo, field=f"field {serial}-{number}") for number in range(count)]
    orphan, *_ = [make_orphan(arn=f"arn:aws:ec2:us-west-2:123456789012:vpc/vpc-{serial}-{number}") for number in range(count)]
    return {
        "drift": str(drift.pk),
        "orphan": str(orphan.pk),
        "token": str(token.uid),
        "entry": str(entry.pk),
        "running": str(operations[0].pk),
        "quota": str(quota.pk),
        "webhook": str(webhook.pk),
        "alert": str(make_alert("one", open=False).pk),
    }


def count_queries(client: Any, url: str) -> int:
    client.get(url)  # the first call of a token notes its use
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)


def test_every_read_takes_the_committed_number_of_queries_however_many_rows_there_are(admin_person, viewer, api, make_token, db):
    client = api(admin_person)
    ids = add_rows(2, admin_person, make_token)
    few = {row.route: count_queries(client, "/api/v1/" + row.url.format(**ids)) for row in READS}
    add_rows(20, admin_person, make_token)
    many = {row.route: count_queries(client, "/api/v1/" + row.url.format(**ids)) for row in READS}
    assert many == few
    if os.environ.get("INSTANTSTART_REMAKE_SNAPSHOTS"):
        SNAPSHOT.write_text(json.dumps(few, indent=2, sort_keys=True) + "\n")
    assert few == json.loads(SNAPSHOT.read_text())
