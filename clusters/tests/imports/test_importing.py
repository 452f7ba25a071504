"""Searching and importing clusters that another hand made: read, named, and told as they are."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from accounts.principals import principal_for
from clusters.actions.importing import ImportClusters
from clusters.choices import SearchState, Seen, State
from clusters.imports.pairs import pairs
from clusters.models import Cluster, FoundCluster, FoundHyperPod, Node, Phase, SearchedRegion
from clusters.tests.driving import run
from clusters.tests.imports.conftest import observe
from clusters.tests.imports.foreign import ACCOUNT, EU, WEST, Foreign
from instantstart.problem import Problem
from operations.choices import OperationState
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ALL = [{"region": WEST, "eks_name": "prod"}, {"region": WEST, "eks_name": "Alone_1"}, {"region": EU, "eks_name": "prod"}]


def asked(operator: User, *chosen: dict[str, Any]) -> Any:
    return submit("cluster.import", {"clusters": list(chosen)}, principal_for(operator), channel="api", dry_run=True)


def looks(row: Cluster) -> dict[str, str]:
    return {phase.name: phase.state for phase in row.phases.all()}


def test_a_search_finds_what_is_there_by_listing_before_describing_and_by_reads_alone(foreign: Foreign, operator: User) -> None:
    run(foreign.sandbox, operator, "import.discover", regions=[WEST, EU])
    assert [
        (pair.eks.region, pair.eks.name, pair.hyperpod_name, pair.node_count, pair.doubt) for pair in pairs(FoundCluster.objects.all())
    ] == [
        (EU, "prod", "", None, ""),
        (WEST, "Alone_1", "", None, ""),
        (WEST, "prod", "prod-pods", 1, ""),
    ]
    rows = SearchedRegion.objects.order_by("region").values_list("region", "state", "clusters", "read", "account", "message")
    assert list(rows) == [(EU, SearchState.DONE, 1, 1, ACCOUNT, ""), (WEST, SearchState.DONE, 3, 3, ACCOUNT, "")]
    calls = foreign.calls()
    assert {name: calls.count(name) for name in set(calls) if not name.startswith("sts:")} == {
        "eks:ListClusters": 2,
        "eks:DescribeCluster": 3,
        "sagemaker:ListClusters": 2,
        "sagemaker:DescribeCluster": 1,
        "ec2:DescribeSubnets": 2,
        "ec2:DescribeVpcs": 2,
    }
    assert foreign.writes() == []


def test_names_that_are_taken_or_impossible_are_asked_for_and_nothing_is_imported_meanwhile(found: Foreign, operator: User) -> None:
    with pytest.raises(Problem) as caught:
        submit("cluster.import", {"clusters": ALL}, principal_for(operator), channel="api")
    assert (caught.value.status, caught.value.code) == (422, "plan_has_errors")
    assert [(error.field, error.code) for error in caught.value.errors] == [
        ("clusters.0.alias", "name_twice"),
        ("clusters.1.alias", "name_not_possible"),
        ("clusters.2.alias", "name_twice"),
    ]
    first, second, _ = caught.value.errors
    assert (first.detail, first.hint) == (
        "prod is the name of prod in eu-west-1 as well.",
        "Give prod in us-west-2 an alias, for example prod-us-west-2.",
    )
    assert second.hint == "Give Alone_1 in us-west-2 an alias, for example alone-1-us-west-2."
    unknown = asked(operator, {"region": WEST, "eks_name": "nowhere"}).plan.errors
    assert [(check.code, check.field) for check in unknown] == [("not_found", "clusters.0.eks_name")]
    observe(found, operator, ALL[0])
    taken = asked(operator, ALL[2]).plan.errors
    assert [(check.code, check.detail) for check in taken] == [("name_taken", "There is a cluster prod here already, in us-west-2.")]
    assert list(Cluster.objects.values_list("name", flat=True)) == ["prod"]


def test_a_cluster_is_not_imported_under_two_names(found: Foreign, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = {**ALL[0], "alias": "one"}, {**ALL[0], "alias": "other"}
    assert [(check.code, check.field) for check in asked(operator, one, other).plan.errors] == [("cluster_twice", "clusters.1.eks_name")]

    # Between the plan of one and its record the other comes.
    record, waiting = ImportClusters.record, [other]

    def late(self: ImportClusters, data: Any, operation: Operation) -> None:
        if waiting:
            submit("cluster.import", {"clusters": [waiting.pop()]}, principal_for(operator), channel="api")
        record(self, data, operation)

    monkeypatch.setattr(ImportClusters, "record", late)
    with pytest.raises(Problem) as caught:
        submit("cluster.import", {"clusters": [one]}, principal_for(operator), channel="api")
    assert (caught.value.status, caught.value.code, "under the name other" in caught.value.detail) == (409, "here_already", True)
    assert not Operation.objects.filter(subject="one").exists()


def test_an_import_whose_cluster_is_gone_again_is_no_success(found: Foreign, operator: User) -> None:
    made = submit("cluster.import", {"clusters": [ALL[0]]}, principal_for(operator), channel="api").operation
    assert made is not None
    Cluster.objects.all().delete()
    drive(made, max_ticks=50)
    made.refresh_from_db()
    assert (made.state, made.error_code) == (OperationState.FAILED, "cluster_gone")


def test_imported_clusters_are_observed_as_they_are_and_nothing_in_aws_changes(found: Foreign, operator: User) -> None:
    before = found.described()
    found.mark()
    observe(found, operator, ALL[0], {**ALL[1], "alias": "alone"}, {**ALL[2], "alias": "prod-eu"})
    drive(lambda: not Phase.objects.filter(name="select", seen="").exists(), max_ticks=200)
    drive(lambda: Cluster.objects.filter(state=State.READY).count() == 2, max_ticks=200)
    assert (found.writes(), found.described()) == ([], before)

    prod = Cluster.objects.get(name="prod")
    assert (prod.origin, prod.eks_name, prod.hyperpod_name, prod.account, prod.state) == (
        "imported",
        "prod",
        "prod-pods",
        ACCOUNT,
        State.READY,
    )
    assert looks(prod) == {"control_plane": "ready", "select": "ready", "dependencies": "ready", "hyperpod": "ready", "storage": "absent"}
    said = {phase.name: phase.message for phase in prod.phases.all()}
    assert said["control_plane"].endswith("is ACTIVE; made elsewhere, without a stack of InstantStart")
    assert said["storage"] == "No storage of InstantStart is mounted here"
    assert list(Node.objects.filter(cluster=prod).values_list("group_name", "status", "ready")) == [("cpu", "Running", True)]
    assert (prod.node_count, prod.ready_node_count, prod.instance_count) == (1, 1, 1)
    assert prod.documents.filter(name="stack").count() == 0

    alone = Cluster.objects.get(name="alone")
    assert (alone.eks_name, alone.hyperpod_name) == ("Alone_1", "")
    assert (looks(alone)["control_plane"], looks(alone)["hyperpod"]) == ("ready", "absent")
    assert (alone.phases.get(name="select").seen, alone.phases.get(name="select").unreadable) == (Seen.DEGRADED, "")
    assert alone.phases.get(name="select").faults[0]["code"] == "no_access_entry"
    assert alone.phases.get(name="dependencies").seen == ""  # what can't be read is not said to be absent

    eu = Cluster.objects.get(name="prod-eu")
    assert (eu.region, eu.eks_name, eu.state) == (EU, "prod", State.READY)
    assert {phase: state for phase, state in looks(eu).items() if state != "ready"} == {
        "dependencies": "absent",
        "hyperpod": "absent",
        "storage": "absent",
    }


def test_importing_twice_changes_nothing_and_a_hyperpod_cluster_that_came_since_is_taken_up(imported: Foreign, operator: User) -> None:
    before = Cluster.objects.values().get(name="prod")
    again = submit("cluster.import", {"clusters": ALL[:1]}, principal_for(operator), channel="api")
    assert (again.changed, again.operation) == (False, None)
    assert Cluster.objects.values().get(name="prod") == before
    assert Operation.objects.filter(kind="cluster.import").count() == 1
    Cluster.objects.filter(name="prod").update(hyperpod_name="")
    plan = asked(operator, ALL[0]).plan
    assert [field.model_dump() for field in plan.changes[0].fields] == [{"field": "hyperpod_name", "before": None, "after": "prod-pods"}]
    observe(imported, operator, ALL[0])
    assert Cluster.objects.get(name="prod").hyperpod_name == "prod-pods"


WRITES_ON_A_CLUSTER: dict[str, dict[str, Any]] = {
    "group.add": {"groups": [{"name": "more", "instance_type": "ml.m5.xlarge", "count": 1}]},
    "group.scale": {"group": "cpu", "count": 2},
    "group.update": {"group": "cpu", "minimum": 1},
    "group.delete": {"group": "cpu", "confirm": "cpu"},
    "node.reboot": {"nodes": ["i-1"]},
    "node.replace": {"nodes": ["i-1"]},
    "node.delete": {"nodes": ["i-1"]},
    "node.cordon": {"nodes": ["i-1"]},
    "node.drain": {"nodes": ["i-1"]},
    "feature.set": {"features": {"metrics_server": {"enabled": True}}},
    "cluster.protect": {"enabled": True},
}
NEVER = {"cluster.delete": {"confirm": "prod"}, "phase.retry": {"phase": "hyperpod"}}


def test_a_write_on_an_imported_cluster_is_refused_and_changes_nothing(imported: Foreign, operator: User) -> None:
    before = imported.described()
    imported.mark()
    count = Operation.objects.count()
    for code, kinds in (("adopt_first", WRITES_ON_A_CLUSTER), ("not_made_here", NEVER)):
        for kind, more in kinds.items():
            with pytest.raises(Problem) as caught:
                submit(kind, {"name": "prod", **more}, principal_for(operator), channel="api")
            assert (kind, caught.value.status, caught.value.code) == (kind, 409, code)
    assert (imported.writes(), imported.described(), Operation.objects.count()) == ([], before, count)
    with pytest.raises(Problem) as caught:
        submit("cluster.create", {"name": "prod"}, principal_for(operator), channel="api")
    assert caught.value.code == "name_taken"


def test_without_access_an_imported_cluster_is_unknown_and_comes_back_with_it(imported: Foreign, operator: User) -> None:
    imported.sandbox.fault(kind="access_denied", count=None)
    drive(lambda: Cluster.objects.get(name="prod").state == State.UNKNOWN, max_ticks=200)
    row = Cluster.objects.get(name="prod")
    assert (row.node_count, row.groups.count(), row.unreadable_since is not None) == (1, 1, True)
    failed = run(imported.sandbox, operator, "import.discover", regions=[WEST])
    assert (failed.state, failed.error_code) == (OperationState.FAILED, "no_region_read")
    assert WEST in failed.error_message
    region = SearchedRegion.objects.get(region=WEST)
    assert region.state == SearchState.UNREADABLE
    assert region.message.startswith("AWS refused the call for lack of permission.")
    assert (FoundCluster.objects.count(), FoundHyperPod.objects.count()) == (3, 1)  # what was found before stays
    imported.sandbox.no_faults()
    drive(lambda: Cluster.objects.get(name="prod").state == State.READY, max_ticks=200)
