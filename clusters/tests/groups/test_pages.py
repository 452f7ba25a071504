"""The pages of groups and nodes: what is typed becomes a plan, the plan a yes, and nothing changes before it."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from accounts.models import User
from clusters.models import Cluster, ClusterEvent
from clusters.tests.groups.standing import Standing
from operations.driver import drive
from operations.models import Operation

pytestmark = [pytest.mark.kube, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

HOME = "/clusters/demo/"


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def hidden(text: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert found is not None
    return html.unescape(found[1])


def test_a_group_is_typed_planned_added_scaled_and_its_node_looked_at(standing: Standing, operator: User, viewer: User) -> None:
    client = signed_in(operator)
    drive(lambda: Cluster.objects.get().nodes.filter(ready=True).exists(), max_ticks=60)
    detail = client.get(HOME).content.decode()
    assert f"{HOME}groups/new/" in detail
    assert f"{HOME}groups/workers/scale/" in detail
    assert f"{HOME}groups/new/" not in signed_in(viewer).get(HOME).content.decode()

    form = client.get(f"{HOME}groups/new/")
    assert (form.status_code, "Show the plan" in form.content.decode()) == (200, True)
    assert form.context["form"]["instance_type"].value() == "ml.g5.8xlarge", "as in the wizard"
    wrong = client.get(f"{HOME}groups/new/?name=-bad-&instance_type=ml.m5.xlarge&count=1&capacity=spot&volume_gb=500")
    assert wrong.status_code == 422
    apart = client.get(
        f"{HOME}groups/new/?name=cpu&instance_type=ml.m5.xlarge&count=0&capacity=spot&volume_gb=100&place=dedicated"
        "&more_volumes=200,300&root_key=alias/disks&further_types=ml.m5.2xlarge&threads_per_core=2&image_id=ami-0123456789abcdef0"
    )
    assert ("10.90.32.0/20" in apart.content.decode(), "instantstart-demo-group-cpu" in apart.content.decode()) == (True, True)
    assert [text for text in ("alias/disks", "ml.m5.2xlarge", "ami-0123456789abcdef0", "300") if text not in apart.content.decode()] == []
    which = client.get(f"{HOME}groups/new/?name=cpu&instance_type=ml.m5.xlarge&count=0&capacity=spot&volume_gb=100&place=given")
    assert (which.status_code, which.context["form"].errors["subnet"]) == (422, ["Say which: subnet-…."])
    address = f"{HOME}groups/new/?name=cpu&instance_type=ml.m5.xlarge&count=0&capacity=spot&volume_gb=100"
    planned = client.get(address).content.decode()
    assert "Add the group cpu to demo" in planned
    assert (standing.writes(), Operation.objects.filter(kind="group.add").count()) == ([], 0)
    answer = client.post(
        address, {"plan_fingerprint": hidden(planned, "plan_fingerprint"), "key": hidden(planned, "key"), "stage": "confirm"}
    )
    operation = Operation.objects.get(kind="group.add")
    assert (answer.status_code, answer["Location"]) == (302, f"/operations/{operation.pk}/")
    drive(operation, max_ticks=500, on_idle=standing.sandbox.forward)
    assert standing.counts() == {"workers": 1, "cpu": 0}
    drive(lambda: Cluster.objects.get().groups.filter(name="cpu").exists(), max_ticks=60)

    asked = client.get(f"{HOME}groups/cpu/scale/").content.decode()
    assert ('name="count"' in asked, "plan_fingerprint" in asked, "Nothing would change" in asked) == (True, False, False)
    unchanged = client.get(f"{HOME}groups/cpu/scale/?count=0").content.decode()
    assert "Nothing would change" in unchanged
    scale = client.get(f"{HOME}groups/cpu/scale/?count=2").content.decode()
    assert "Scale it to 2" in scale
    deletion = client.get(f"{HOME}groups/cpu/delete/").content.decode()
    refused = client.post(f"{HOME}groups/cpu/delete/", {"plan_fingerprint": hidden(deletion, "plan_fingerprint"), "confirm": "cqu"})
    assert (refused.status_code, "nothing was changed" in refused.content.decode()) == (409, True)
    client.post(
        f"{HOME}groups/cpu/delete/",
        {"plan_fingerprint": hidden(deletion, "plan_fingerprint"), "key": hidden(deletion, "key"), "confirm": "cpu"},
    )
    gone = Operation.objects.get(kind="group.delete")
    drive(gone, max_ticks=500, on_idle=standing.sandbox.forward)
    assert standing.counts() == {"workers": 1}

    node = Cluster.objects.get().nodes.get(group_name="workers")
    ClusterEvent.objects.create(
        cluster=node.cluster, event_id="x", at=node.observed_at, level="Error", instance_id=node.instance_id, description="Xid 79"
    )
    node.health = "UnschedulablePendingReplacement"
    node.save()
    shown = client.get(f"{HOME}nodes/{node.key}/").content.decode()
    assert ("Xid 79" in shown, "marked the node for replacement" in shown) == (True, True)
    for verb in ("reboot", "replace", "drain", "cordon", "delete"):
        assert f"{HOME}nodes/{node.key}/{verb}/" in shown
        assert client.get(f"{HOME}nodes/{node.key}/{verb}/").status_code == 200
    assert client.get(f"{HOME}nodes/{node.key}/explode/").status_code == 404
    assert f"{HOME}nodes/{node.key}/reboot/" not in signed_in(viewer).get(f"{HOME}nodes/{node.key}/").content.decode()
