"""Configurations through REST and the pages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from clusters.models import ClusterDocument
from clusters.spec import ClusterInput
from clusters.tests.configs.test_reading import GROUP, PLAN, config
from clusters.tests.rows import AT, make_cluster
from clusters.web import from_config
from clusters.web.forms import ClusterForm
from clusters.web.offered import Offered

pytestmark = pytest.mark.django_db
OFFERED = Offered(["eu-west-1", "us-west-2"], ["eu-west-1a"], ["1.36"], [])


def post(user: User, body: Any) -> Any:
    client = APIClient()
    client.force_authenticate(user)
    return client.post("/api/v1/cluster-configs/", body, format="json")


def test_a_posted_configuration_answers_an_input_that_can_be_posted_on(operator: User) -> None:
    answer = post(operator, {"config": json.dumps(config())})
    assert answer.status_code == 200
    body = answer.json()
    assert (body["format"], body["errors"]) == ("aws-create-cluster", [])
    assert ClusterInput.model_validate(body["input"]).group.instance_type == "ml.p5.48xlarge"
    assert {finding["field"] for finding in body["findings"]} == {"InstanceGroups.0.ExecutionRole", "Orchestrator.Eks.ClusterArn"}


def test_what_the_creation_would_refuse_is_told_at_once(operator: User) -> None:
    both = {**GROUP, "CapacityRequirements": {"Spot": {}}, "TrainingPlanArn": PLAN}
    (error,) = post(operator, {"config": config(InstanceGroups=[both])}).json()["errors"]
    assert (error["field"], error["detail"]) == ("group", "a training plan ARN goes with capacity training-plan, and only with it")


def test_slurm_is_refused_as_a_problem(operator: User) -> None:
    answer = post(operator, {"config": config(Orchestrator={"Slurm": {}})})
    assert (answer.status_code, answer.json()["code"]) == (422, "slurm_orchestrator")
    assert answer.json()["hint"] == "Use the EKS orchestrator, or make the Slurm cluster with the AWS command line."


def test_an_uploaded_configuration_fills_in_the_wizard_and_names_what_is_left(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_config, "offered", lambda region, principal: OFFERED)
    client = Client()
    client.force_login(operator)
    second = {**GROUP, "InstanceGroupName": "second"}
    upload = SimpleUploadedFile("cluster.json", json.dumps(config(second)).encode())
    shown = client.post(reverse("clusters-web:from-config"), {"file": upload})
    page = shown.content.decode()
    assert shown.status_code == 200
    assert 'value="demo"' in page and "InstanceGroups.0.ExecutionRole" in page and "&quot;second&quot;" in page
    refused = client.post(reverse("clusters-web:from-config"), {"text": "colour: red"})
    assert refused.status_code == 422 and "neither a create-cluster JSON" in refused.content.decode()


def test_the_form_that_was_filled_in_gives_back_the_same_input() -> None:
    second = {"name": "second", "instance_type": "ml.m5.xlarge", "count": 1, "capacity": "spot"}
    given = {"name": "demo", "group": {"name": "gpu", "instance_type": "ml.g5.8xlarge", "count": 3}, "groups": [second], "tags": {"a": "b"}}
    filled = from_config.initial(given, "us-west-2")
    empty = ClusterForm(offered=OFFERED)
    typed = {name: filled.get(name, field.initial) for name, field in empty.fields.items()}
    form = ClusterForm({name: value for name, value in typed.items() if value not in (None, "", False)}, offered=OFFERED)
    assert form.is_valid(), form.errors
    made = ClusterInput.model_validate(form.to_input())
    assert (made.group.name, made.group.count, made.groups[0].name, made.tags) == ("gpu", 3, "second", {"a": "b"})


def test_an_export_is_made_of_what_was_observed(viewer: User) -> None:
    row = make_cluster("demo")
    ClusterDocument.objects.filter(cluster=row).delete()
    client = APIClient()
    client.force_authenticate(viewer)
    assert client.get("/api/v1/clusters/demo/export/").json()["code"] == "nothing_to_export"
    described = {
        "ClusterArn": "arn",
        "ClusterName": "demo",
        "ClusterStatus": "InService",
        "NodeRecovery": "Automatic",
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"},
        "InstanceGroups": [
            {
                "InstanceGroupName": "a",
                "InstanceType": "ml.g5.8xlarge",
                "TargetCount": 3,
                "CurrentCount": 2,
                "MinCount": 1,
                "Status": "InService",
                "CapacityRequirements": {"Spot": {}},
                "KubernetesConfig": {"CurrentLabels": {"old": "x"}, "DesiredLabels": {"new": "y"}},
                "CurrentImageId": "ami-1",
            }
        ],
    }
    ClusterDocument.objects.create(cluster=row, name="hyperpod", body=described, observed_at=AT)
    assert client.get("/api/v1/clusters/demo/export/").json() == {
        "ClusterName": "demo",
        "NodeRecovery": "Automatic",
        "InstanceGroups": [
            {
                "InstanceGroupName": "a",
                "InstanceType": "ml.g5.8xlarge",
                "CapacityRequirements": {"Spot": {}},
                "InstanceCount": 3,
                "MinInstanceCount": 1,
                "KubernetesConfig": {"Labels": {"new": "y"}},
            }
        ],
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"},
    }
