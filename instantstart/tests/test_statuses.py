"""Statuses as AWS spells them get an icon and words; none that is not well looks well."""

from __future__ import annotations

import botocore.session
import pytest
from django.template import Context, Template

from instantstart.web import statuses

WELL = {
    "InService",
    "Running",
    "Schedulable",
    "ACTIVE",
    "AVAILABLE",
    "CREATE_COMPLETE",
    "UPDATE_COMPLETE",
    "IMPORT_COMPLETE",
    "EXPORT_COMPLETE",
    "available",
    "Bound",
    "deployed",
}


def every_status() -> list[str]:
    """What the services' models list, and what Kubernetes, Helm and HyperPod's labels say besides."""
    session = botocore.session.get_session()
    found = []
    for service, shapes in {
        "sagemaker": ("ClusterInstanceStatus", "InstanceGroupStatus", "ClusterStatus"),
        "eks": ("ClusterStatus", "AddonStatus", "NodegroupStatus"),
        "cloudformation": ("StackStatus", "ResourceStatus"),
    }.items():
        model = session.get_service_model(service)
        found += [value for shape in shapes for value in model.shape_for(shape).enum]
    return [*found, "Schedulable", "Unschedulable", "UnschedulablePendingReboot", "available", "pending", "Bound", "Lost", "deployed"]


@pytest.mark.parametrize("status", sorted(set(every_status())))
def test_only_a_status_that_is_well_looks_well_and_each_has_a_look_of_its_own(status: str) -> None:
    assert (statuses.look(status) == "ready") is (status in WELL)
    assert statuses.look(status) or status in ("NotFound", "DELETE_SKIPPED", "REVIEW_IN_PROGRESS"), status


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("InService", "In service"),
        ("UPDATE_ROLLBACK_COMPLETE", "Update rollback complete"),
        ("DeepHealthCheckInProgress", "Deep health check in progress"),
        ("ACTIVE", "Active"),
        ("available", "Available"),
    ],
)
def test_a_status_is_said_in_words(status: str, words: str) -> None:
    assert statuses.words(status) == words


def test_the_spelling_of_aws_is_kept_as_title() -> None:
    shown = Template("{% load web %}{% status value %}").render(Context({"value": "InService"}))
    assert 'title="InService"' in shown
    assert "circle-check" in shown
    assert "In service" in shown


def test_a_status_that_is_not_there_is_a_dash() -> None:
    assert Template("{% load web %}{% status value %}").render(Context({"value": ""})) == "–"
