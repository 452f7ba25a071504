"""What a look writes of features: facts with their age, unknown where nothing can be read, and no other feature dragged along."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clusters.choices import FeatureState
from clusters.features import REGISTRY
from clusters.features.entry import FeatureSeen
from clusters.models import Cluster, ClusterFeature
from clusters.observing.look import Look, keeper_of
from clusters.observing.write import mark_unreadable, write
from clusters.reading.kept import IDENTITIES
from clusters.tests.rows import make_cluster
from clusters.tests.test_observing import seen as look
from operations import clock
from operations.choices import OperationState
from operations.models import Operation, StatusEvent
from operations.models.observed_source import Pace
from operations.step import Fault

pytestmark = pytest.mark.django_db

FAULT = Fault("Unreachable", "IAM could not be reached.", "Check the network.")
HALF = Fault("half_made", "It is half made.", "Turn it on to complete it.")


def seen(state: FeatureState = FeatureState.ABSENT, **others: FeatureSeen | Fault) -> Look:
    """A look at which every feature was in that state; others: those that were otherwise, or could not be read."""
    made = look()
    for name in REGISTRY:
        one = others.get(name, FeatureSeen(state))
        if isinstance(one, Fault):
            made.feature_troubles[name] = one
        else:
            made.features[name] = one
    return made


def states() -> dict[str, str]:
    return dict(ClusterFeature.objects.values_list("name", "state"))


def test_a_feature_that_cannot_be_read_twice_is_unknown_and_the_others_are_not() -> None:
    make_cluster()
    write("demo", seen(FeatureState.ACTIVE))
    write("demo", seen(FeatureState.ACTIVE, kuberay=FAULT))
    assert set(states().values()) == {FeatureState.ACTIVE}
    write("demo", seen(FeatureState.ACTIVE, kuberay=FAULT))
    assert states() == {**dict.fromkeys(REGISTRY, FeatureState.ACTIVE), "kuberay": FeatureState.UNKNOWN}
    row = ClusterFeature.objects.get(name="kuberay")
    assert (row.seen, row.unreadable, row.failures) == (FeatureState.ACTIVE, "IAM could not be reached. Check the network.", 2)
    write("demo", seen(FeatureState.ACTIVE))
    row.refresh_from_db()
    assert (row.state, row.unreadable, row.unreadable_since, row.failures) == (FeatureState.ACTIVE, "", None, 0)


def test_what_was_never_read_is_unknown_and_not_absent() -> None:
    make_cluster()
    ClusterFeature.objects.all().delete()
    write("demo", seen(kuberay=FAULT))
    row = ClusterFeature.objects.get(name="kuberay")
    assert (row.state, row.observed_at, row.stale) == (FeatureState.UNKNOWN, None, True)


def test_when_nothing_of_the_cluster_can_be_read_every_feature_becomes_unknown() -> None:
    make_cluster()
    write("demo", seen(FeatureState.ACTIVE))
    for failures in (1, 2):
        mark_unreadable("demo", FAULT, clock.now(), failures)
    assert set(states().values()) == {FeatureState.UNKNOWN}


def test_health_issues_are_kept_as_told() -> None:
    make_cluster()
    issue = Fault("addon_degraded", "InsufficientNumberOfReplicas", "Add nodes.")
    write("demo", seen(kuberay=FeatureSeen(FeatureState.DEGRADED, "It is ill", faults=(issue,))))
    row = ClusterFeature.objects.get(name="kuberay")
    assert (row.state, row.message) == (FeatureState.DEGRADED, "It is ill")
    assert row.faults == [{"code": "addon_degraded", "message": "InsufficientNumberOfReplicas", "hint": "Add nodes."}]


def working(enabled: bool) -> Operation:
    return Operation.objects.create(
        kind="feature.set",
        title="Set managed features",
        cluster="demo",
        subject="demo/kuberay",
        channel="api",
        created_at=clock.now(),
        state=OperationState.RUNNING,
        plan={"basis": {"features": ["kuberay"], "order": ["kuberay"], "wishes": {"kuberay": {"enabled": enabled, "settings": {}}}}},
    )


@pytest.mark.parametrize(("enabled", "shown"), [(True, FeatureState.INSTALLING), (False, FeatureState.REMOVING)])
def test_half_a_chain_is_on_its_way_while_an_operation_is_at_it_and_degraded_after(enabled: bool, shown: FeatureState) -> None:
    make_cluster()
    half = FeatureSeen(FeatureState.DEGRADED, HALF.message, faults=(HALF,))
    operation = working(enabled)
    write("demo", seen(kuberay=half, fsx_csi=half))
    assert (states()["kuberay"], states()["fsx_csi"]) == (shown, FeatureState.DEGRADED)
    operation.state = OperationState.FAILED
    operation.save()
    write("demo", seen(kuberay=half))
    assert states()["kuberay"] == FeatureState.DEGRADED


def test_an_illness_is_not_explained_away_by_an_operation() -> None:
    make_cluster()
    working(True)
    ill = FeatureSeen(FeatureState.DEGRADED, "ill", faults=(Fault("addon_degraded", "ill", ""), HALF))
    write("demo", seen(kuberay=ill))
    assert states()["kuberay"] == FeatureState.DEGRADED


def test_a_look_does_not_forget_the_last_operation() -> None:
    make_cluster()
    operation = working(True)
    ClusterFeature.objects.filter(name="kuberay").update(operation_id=operation.pk)
    write("demo", seen(FeatureState.ACTIVE))
    assert ClusterFeature.objects.get(name="kuberay").operation_id == operation.pk


@pytest.mark.parametrize(("ended_after_the_reading", "stands"), [(-5, True), (5, False)])
def test_roles_read_while_an_operation_took_them_away_do_not_stand_for_what_it_left(ended_after_the_reading: int, stands: bool) -> None:
    row = make_cluster()
    now = clock.now()
    read_at = now - timedelta(seconds=10)
    row.kept_readings.create(source=IDENTITIES, body={}, read_at=read_at)
    operation = working(False)
    operation.state, operation.ended_at = OperationState.SUCCEEDED, read_at + timedelta(seconds=ended_after_the_reading)
    operation.save()
    kept = keeper_of(row, now, at_rest=True, busy=False).identities()
    assert (kept is not None) is stands


def test_pages_are_told_of_changes_only() -> None:
    make_cluster()
    write("demo", seen())
    StatusEvent.objects.all().delete()
    write("demo", seen())
    assert not StatusEvent.objects.exists()
    write("demo", seen(kuberay=FeatureSeen(FeatureState.ACTIVE)))
    assert [(event.topic, event.kind) for event in StatusEvent.objects.all()] == [("cluster:demo", "features")]


@pytest.mark.parametrize(
    ("one", "pace"),
    [
        (FeatureSeen(FeatureState.INSTALLING), Pace.TRANSITION),
        (FeatureSeen(FeatureState.INSTALLING, waits_for_nodes=True), Pace.STEADY),
        (FeatureSeen(FeatureState.REMOVING), Pace.TRANSITION),
        (FeatureSeen(FeatureState.DEGRADED), Pace.STEADY),
        (FAULT, Pace.TRANSITION),
    ],
)
def test_what_moves_or_could_not_be_read_is_looked_at_again_soon(one: FeatureSeen | Fault, pace: Pace) -> None:
    make_cluster()
    assert write("demo", seen(kuberay=one)) is pace


def test_a_feature_of_another_release_is_not_shown_any_more() -> None:
    row = make_cluster()
    ClusterFeature.objects.create(cluster=Cluster.objects.get(), name="time_travel", state=FeatureState.ACTIVE)
    write("demo", seen())
    assert set(row.features.values_list("name", flat=True)) == set(REGISTRY)
