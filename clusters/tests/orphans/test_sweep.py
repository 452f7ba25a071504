"""Orphans in the sandbox: found by their tags, told with age and cost, deleted when nobody has claimed them since."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from accounts.models import User
from accounts.principals import principal_for
from clusters.models import Orphan
from clusters.orphans.reading import Tagged, unclaimed
from clusters.orphans.sweep import hourly, sweep
from clusters.steps.orphan import claim
from clusters.tests.driving import begin, failure, run
from clusters.tests.rows import make_cluster
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.problem import Problem
from operations.choices import OperationState, Severity
from operations.driver import drive
from operations.models import Operation
from operations.submit import submit

pytestmark = pytest.mark.django_db(transaction=True)

TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
READ_ONLY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:ListBucket", "Resource": "*"}]}
TAGS = [{"Key": "instantstart:cluster", "Value": "old"}, {"Key": "instantstart:operation", "Value": "abc"}]
NETWORK = {"Resources": {"Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.1.0.0/16"}}}}


def make_role() -> None:
    aws = cloud.connect("us-west-2")
    aws.write("iam", "create_role", RoleName="instantstart-old-eks", AssumeRolePolicyDocument=json.dumps(TRUST), Tags=TAGS)
    aws.write("iam", "put_role_policy", RoleName="instantstart-old-eks", PolicyName="p", PolicyDocument=json.dumps(READ_ONLY))


def make_stack(sandbox: Sandbox) -> None:
    body = json.dumps(NETWORK)
    cloud.connect("us-west-2").write(
        "cloudformation", "create_stack", StackName="instantstart-old-control-plane", TemplateBody=body, Tags=TAGS
    )
    sandbox.forward("settled")


def make_address() -> None:
    specification = [{"ResourceType": "elastic-ip", "Tags": TAGS}]
    cloud.connect("us-west-2").write("ec2", "allocate_address", Domain="vpc", TagSpecifications=specification)


def shown() -> list[tuple[str, str, str, float | None]]:
    return list(Orphan.objects.order_by("resource_type").values_list("kind", "resource_type", "cluster", "cost_per_hour"))


def writes(sandbox: Sandbox, since: int) -> list[str]:
    found = sandbox.requests(since=str(since))
    return [one["operation"] for one in found if one["operation"].startswith(("Delete", "Detach", "Release"))]


def last(sandbox: Sandbox) -> int:
    return max(one["sequence"] for one in sandbox.requests(limit="5000"))


def test_what_belongs_to_nothing_is_told_with_what_it_costs_and_a_stack_stands_for_what_it_holds(sandbox: Sandbox) -> None:
    make_role()
    make_stack(sandbox)
    make_address()
    assert hourly() == 3
    assert shown() == [
        ("unclaimed", "cloudformation:stack", "old", None),
        ("unclaimed", "ec2:elastic-ip", "old", 0.005),
        ("unclaimed", "iam:role", "old", 0.0),
    ]
    first = Orphan.objects.get(resource_type="iam:role").first_seen
    sweep("us-west-2")
    again = Orphan.objects.get(resource_type="iam:role")
    assert (again.first_seen, again.last_seen > first, again.operation) == (first, True, "abc")
    # A cluster of that name claims them all; its own control plane, which AWS does not list, is missing.
    arn = "arn:aws:eks:us-west-2:123456789012:cluster/old"
    make_cluster("old", eks_arn=arn)
    sweep("us-west-2")
    assert list(Orphan.objects.values_list("kind", "arn", "cost_per_hour")) == [("missing", arn, None)]


def test_a_sweep_that_was_asked_for_looks_at_every_place_and_not_again_at_once(sandbox: Sandbox, operator: User, client: Client) -> None:
    make_address()
    make_role()
    make_cluster("elsewhere", region="eu-west-1", account="123456789012")
    sandbox.fault(kind="access_denied", service="resourcegroupstaggingapi", operation="GetResources", count=1)
    client.force_login(operator)
    asked = client.post("/orphans/observe/")
    swept = Operation.objects.get()
    assert asked["Location"] == f"/operations/{swept.pk}/"
    drive(swept, max_ticks=50)
    swept.refresh_from_db()
    sandbox.no_faults()
    assert swept.state == OperationState.SUCCEEDED, failure(swept)
    assert [step["name"] for step in swept.steps] == ["sweep-own-us-west-2", "sweep-123456789012-eu-west-1"]
    assert swept.steps[0]["message"].startswith("It could not be read: ")
    assert swept.steps[1]["message"] == "0 orphans"
    again = client.post("/orphans/observe/", follow=True).content.decode()
    assert "The last look ended" in again
    one = run(sandbox, operator, "orphan.observe", region="us-west-2")
    assert ([step["message"] for step in one.steps], Orphan.objects.count()) == (["1 orphan"], 2)


def test_what_cannot_be_read_leaves_the_rows_as_they_are(sandbox: Sandbox) -> None:
    make_address()
    hourly()
    sandbox.fault(kind="access_denied", service="resourcegroupstaggingapi", operation="GetResources", count=None)
    assert hourly() == 1
    sandbox.no_faults()


def test_an_orphan_goes_by_its_minimal_calls_after_its_name_was_typed(sandbox: Sandbox, operator: User) -> None:
    make_role()
    make_stack(sandbox)
    hourly()
    role = Orphan.objects.get(resource_type="iam:role")
    asked = submit("orphan.delete", {"orphan": role.pk}, principal_for(operator), channel="api", dry_run=True).plan
    assert [check.code for check in asked.checks if check.severity == Severity.ERROR] == ["confirmation_missing"]
    since = last(sandbox)
    gone = run(sandbox, operator, "orphan.delete", orphan=role.pk, confirm=role.name)
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert writes(sandbox, since) == ["DeleteRolePolicy", "DeleteRole"]
    stack = Orphan.objects.get()
    since = last(sandbox)
    gone = run(sandbox, operator, "orphan.delete", orphan=stack.pk, confirm="instantstart-old-control-plane")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    assert writes(sandbox, since) == ["DeleteStack"]
    assert hourly() == 0
    with pytest.raises(Problem) as missing:
        begin(operator, "orphan.delete", orphan=stack.pk, confirm="x")
    assert (missing.value.status, missing.value.code) == (404, "orphan_not_found")


def test_what_was_claimed_since_is_left_alone(sandbox: Sandbox, operator: User) -> None:
    make_address()
    hourly()
    row = Orphan.objects.get()
    begun = begin(operator, "orphan.delete", orphan=row.pk, confirm=row.name)
    make_cluster("old")
    since = last(sandbox)
    drive(begun, max_ticks=50, on_idle=sandbox.forward)
    begun.refresh_from_db()
    assert (begun.state, begun.error_code, writes(sandbox, since)) == (OperationState.FAILED, "orphan_claimed", [])
    plan = submit("orphan.delete", {"orphan": row.pk, "confirm": row.name}, principal_for(operator), channel="api", dry_run=True).plan
    assert [check.code for check in plan.checks if check.severity == Severity.ERROR] == ["orphan_claimed"]


def test_what_was_adopted_is_another_hands_and_no_orphan_when_it_was_forgotten_with_its_tags() -> None:
    made = Tagged("arn:aws:eks:us-west-2:123456789012:cluster/old", {"instantstart:cluster": "old"})
    adopted = Tagged("arn:aws:eks:us-west-2:123456789012:cluster/prod", {"instantstart:cluster": "prod", "instantstart:adopted": "yes"})
    assert list(unclaimed([made, adopted], frozenset())) == [made]
    assert (fault := claim(adopted)) is not None and fault.code == "orphan_adopted"
