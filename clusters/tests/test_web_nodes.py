"""The pages of nodes: a window of them however many there are, those that are not well found by the server."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from clusters.groups import advice
from clusters.models import Cluster, Node
from clusters.tests.rows import AT, make_cluster

ALL = reverse("clusters-web:nodes", args=["demo"])
HERE = reverse("clusters-web:detail", args=["demo"])


@pytest.fixture
def client(viewer: User) -> Client:
    client = Client()
    client.force_login(viewer)
    return client


def shown(client: Client, url: str) -> list[str]:
    """The keys of the nodes that the page has rows of, in its order."""
    return re.findall(r'href="/clusters/demo/nodes/(i-[0-9a-f]+)/"', client.get(url).content.decode())


def add_node(row: Cluster, key: str, **fields: Any) -> Node:
    values = {"instance_id": key, "group_name": "workers", "instance_type": "ml.g5.8xlarge", "status": "Running", "ready": True, **fields}
    return Node.objects.create(cluster=row, key=key, observed_at=AT, **values)


def test_a_page_holds_a_window_of_the_nodes_and_says_which(client: Client) -> None:
    make_cluster(nodes=120)
    assert shown(client, ALL) == [f"i-{number:017x}" for number in range(50)]
    assert shown(client, f"{ALL}?page=3") == [f"i-{number:017x}" for number in range(100, 120)]
    assert "51 to 100 of 120 nodes" in client.get(f"{ALL}?page=2").content.decode()


def test_it_takes_as_many_queries_for_many_nodes_as_for_few(client: Client) -> None:
    def queries(url: str) -> int:
        with CaptureQueriesContext(connection) as counted:
            assert client.get(url).status_code == 200
        return len(counted)

    make_cluster(nodes=2)
    few = queries(ALL), queries(HERE)
    Cluster.objects.all().delete()
    make_cluster(nodes=300)
    assert (queries(ALL), queries(HERE)) == few


def test_nodes_are_found_by_group_by_a_part_of_their_name_and_by_what_is_the_matter(client: Client) -> None:
    row = make_cluster(nodes=2)
    add_node(row, "i-aaaa", group_name="trainers", kubernetes_name="hyperpod-i-aaaa", gpus=8, gpus_used=0)
    add_node(row, "i-bbbb", group_name="trainers", ready=False, gpus=8, gpus_used=8)
    add_node(row, "i-cccc", health="UnschedulablePendingReboot", schedulable=False)
    assert shown(client, f"{ALL}?group=trainers") == ["i-aaaa", "i-bbbb"]
    assert shown(client, f"{ALL}?q=POD-I-AA") == ["i-aaaa"]
    assert shown(client, f"{ALL}?show=unwell") == ["i-bbbb", "i-cccc"]
    assert shown(client, f"{ALL}?show=unwell&group=workers") == ["i-cccc"]
    assert shown(client, f"{ALL}?show=idle") == ["i-aaaa"]
    assert shown(client, f"{ALL}?show=cordoned") == ["i-cccc"]


def test_where_none_matches_the_page_leads_back_to_all(client: Client) -> None:
    make_cluster()
    page = client.get(f"{ALL}?q=nobody").content.decode()
    assert "No node matches" in page and f'href="{ALL}"' in page


def test_a_change_of_the_cluster_renews_only_the_window(client: Client) -> None:
    make_cluster(nodes=60)
    fragment = client.get(f"{ALL}?page=2", headers={"HX-Request": "true"}).content.decode()
    assert fragment.count("<tr>") == 11 and "<html" not in fragment


def test_the_clusters_page_has_the_first_few_those_that_are_not_well_before_the_others(client: Client) -> None:
    row = make_cluster(nodes=30)
    add_node(row, "i-ffff", ready=False)
    Cluster.objects.update(node_count=31)
    assert shown(client, HERE) == ["i-ffff", *(f"i-{number:017x}" for number in range(19))]
    assert "All 31 nodes" in client.get(HERE).content.decode()


def test_the_server_finds_just_those_nodes_that_are_said_not_to_be_well(db: None) -> None:
    row = make_cluster(nodes=0)
    statuses = ("Running", "Pending", "Failure", "ShuttingDown")
    healths = ("", "Schedulable", "Unschedulable", "UnschedulablePendingReboot", "UnschedulablePendingReplacement")
    for number, (status, health, ready) in enumerate(product(statuses, healths, (None, True, False))):
        add_node(row, f"i-{number:04x}", status=status, health=health, ready=ready)
    said = {node.key for node in Node.objects.all() if advice.trouble(node)}
    assert set(Node.objects.filter(advice.troubled()).values_list("key", flat=True)) == said
    assert 0 < len(said) < 60
