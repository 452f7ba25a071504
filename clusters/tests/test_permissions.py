"""The table of permissions: enough for all that the code does, no more than named, and each one told when it is missing."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import User
from clusters import checks
from clusters.checks.simulation import denied
from clusters.choices import State
from clusters.models import Cluster
from clusters.permissions import MANAGED_POLICY_LIMIT, OPTIONAL, PERMISSIONS, Part, Permission, Scope, of_part, policy
from clusters.spec import ClusterInput
from clusters.tests.as_role import ROLE_ARN, become_role, make_role, put_policy, put_policy_meanwhile
from clusters.tests.driving import failure, run
from clusters.tests.sandbox import Sandbox
from instantstart import cloud
from instantstart.cloud.problems import iam_action
from operations.choices import OperationState, Severity
from operations.driver import drive

DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
VALUES = {"partition": "aws", "account": "123456789012", "region": "us-west-2"}


def calls_in_the_code() -> Iterator[tuple[str, str]]:
    """(IAM action, place) of every call of the gateway whose service and operation are written out."""
    base = Path(settings.BASE_DIR)
    for folder in ("clusters", "instantstart", "operations"):
        for path in sorted((base / folder).rglob("*.py")):
            if "tests" in path.parts or "migrations" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    not isinstance(node, ast.Call)
                    or not isinstance(node.func, ast.Attribute)
                    or node.func.attr not in ("read", "write", "pages")
                ):
                    continue
                words = [
                    argument.value for argument in node.args[:2] if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
                ]
                if len(words) == 2:
                    yield iam_action(words[0], words[1]), f"{path.relative_to(base)}:{node.lineno}"


def test_every_call_in_the_code_has_its_permission() -> None:
    allowed = {permission.action for permission in PERMISSIONS}
    found = list(calls_in_the_code())
    assert len(found) > 40
    assert [(action, place) for action, place in found if action not in allowed] == []


def test_no_action_is_a_pattern_and_none_is_there_twice() -> None:
    rows = [(permission.action, permission.scope) for permission in PERMISSIONS]
    assert len(rows) == len(set(rows)) + 1  # eks:DescribeCluster is needed by two phases
    assert not [action for action, _ in rows if "*" in action]


def test_whatever_changes_something_is_limited_to_resources_of_ours() -> None:
    reads = ("Describe", "List", "Get", "Lookup", "Simulate", "Search")
    for statement in policy(VALUES)["Statement"]:
        if statement["Resource"] == "*":
            assert [action for action in statement["Action"] if not action.split(":")[1].startswith(reads)] == []


def test_whoever_may_create_may_also_delete() -> None:
    actions = {permission.action for permission in PERMISSIONS}
    pairs = {"Create": "Delete", "Attach": "Detach", "Allocate": "Release", "Authorize": "Revoke", "Associate": "Disassociate"}
    unpaired = {
        "ec2:CreateTags",
        "iam:CreateServiceLinkedRole",
        "ec2:CreateVpcEndpoint",
        "iam:AttachRolePolicy",
        "eks:AssociateAccessPolicy",
        "sagemaker:CreateTrainingPlan",  # paid in advance; AWS has no call that deletes one
    }
    for action in actions - unpaired:
        service, name = action.split(":")
        for verb, opposite in pairs.items():
            if name.startswith(verb):
                assert f"{service}:{opposite}{name.removeprefix(verb)}" in actions, action
    assert {"ec2:DeleteTags", "ec2:DeleteVpcEndpoints", "iam:DetachRolePolicy", "eks:DisassociateAccessPolicy"} <= actions


def test_roles_are_passed_to_eks_its_nodes_and_pods_sagemaker_and_hyperpod_alone() -> None:
    passes = [statement for statement in policy(VALUES)["Statement"] if "iam:PassRole" in statement["Action"]]
    assert [statement["Condition"] for statement in passes] == [
        {
            "StringEquals": {
                "iam:PassedToService": [
                    "ec2.amazonaws.com",
                    "eks.amazonaws.com",
                    "hyperpod.sagemaker.amazonaws.com",
                    "pods.eks.amazonaws.com",
                    "sagemaker.amazonaws.com",
                ]
            }
        }
    ]
    assert passes[0]["Resource"] == "arn:aws:iam::123456789012:role/instantstart-*"


def length(permissions: Iterable[Permission], region: str, partition: str) -> int:
    values = {"partition": partition, "account": "123456789012", "region": region}
    return len(json.dumps(policy(values, permissions), separators=(",", ":")))


@pytest.mark.parametrize(
    ("region", "partition"),
    [("us-west-2", "aws"), ("ap-southeast-2", "aws"), ("us-gov-west-1", "aws-us-gov"), ("cn-northwest-1", "aws-cn")],
)
def test_each_part_fits_into_one_managed_policy_and_the_whole_into_an_inline_one(region: str, partition: str) -> None:
    assert [length(of_part(part), region, partition) <= MANAGED_POLICY_LIMIT for part in Part] == [True, True]
    assert length(PERMISSIONS, region, partition) <= 10240


def test_the_parts_are_the_whole_and_the_first_alone_is_enough_for_a_cluster() -> None:
    core, optional = of_part(Part.CORE), of_part(Part.OPTIONAL)
    assert [row for row in PERMISSIONS if row in core] == core
    assert len(core) + len(optional) == len(PERMISSIONS)
    assert {row.phase for row in optional} == set(OPTIONAL)


# --- manage.py iam-policy ---


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("iam-policy", *arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_the_command_prints_the_policy_of_an_account() -> None:
    assert json.loads(printed("--account", "123456789012", "--region", "us-west-2")) == policy(VALUES)


def test_the_command_prints_each_part() -> None:
    for part in Part:
        assert json.loads(printed("--account", "123456789012", "--part", part)) == policy(VALUES, of_part(part))
        assert len(printed("--explain", "--part", part).splitlines()) == len(of_part(part))


def test_the_command_refuses_what_is_no_account() -> None:
    with pytest.raises(CommandError, match="twelve digits"):
        printed("--account", "42")


def test_the_command_explains_each_action() -> None:
    assert "eks:CreateAddon" in printed("--explain")
    assert len(printed("--explain").splitlines()) == len(PERMISSIONS)


# --- against the sandbox's IAM ---


def test_with_the_printed_policy_nothing_is_missing(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    make_role(policy(VALUES))
    become_role(monkeypatch)
    aws = cloud.connect("us-west-2")
    assert aws.identity().role_arn == ROLE_ARN
    assert denied(aws, aws.identity(), "demo") == []


def test_each_action_that_is_denied_in_turn_is_told_by_name(sandbox: Sandbox) -> None:
    """The administrator asks for the role: what is simulated is the role's policy."""
    make_role(policy(VALUES))
    aws = cloud.connect("us-west-2")
    identity = replace(aws.identity(), role_arn=ROLE_ARN, arn=ROLE_ARN)
    rows = {permission.action for permission in PERMISSIONS}
    wrong = {}
    for action in sorted(rows):
        put_policy(policy(VALUES, [permission for permission in PERMISSIONS if permission.action != action]))
        scopes = {permission.scope for permission in PERMISSIONS if permission.action == action}
        asked = [permission for permission in PERMISSIONS if permission.scope in scopes]
        found = {permission.action for permission in denied(aws, identity, "demo", asked)}
        if found != {action}:
            wrong[action] = found
    assert wrong == {}


@pytest.mark.parametrize("action", ["eks:CreateAddon", "logs:DeleteLogGroup", "iam:PassRole"])
def test_a_denied_action_stops_the_plan_with_sentence_phase_and_fix(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    make_role(policy(VALUES, [permission for permission in PERMISSIONS if permission.action != action]))
    become_role(monkeypatch)
    rows = [row for row in checks.run(ClusterInput(name="demo"), "us-west-2").checks if row.severity == Severity.ERROR]
    why = next(permission for permission in PERMISSIONS if permission.action == action)
    assert rows[0].code == "permission_missing"
    assert rows[0].detail == f"{ROLE_ARN} may not {action}, which is needed to {why.why} (phase {why.phase})."
    assert rows[0].fix == f"Allow {action}: `.venv/bin/python manage.py iam-policy` prints the whole policy."


def test_a_simulation_that_is_denied_is_a_warning_and_no_pass(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    make_role(policy(VALUES, [permission for permission in PERMISSIONS if permission.action != "iam:SimulatePrincipalPolicy"]))
    become_role(monkeypatch)
    rows = [row for row in checks.run(ClusterInput(name="demo"), "us-west-2").checks if row.title == "AWS permissions"]
    assert [(row.code, row.severity) for row in rows] == [("permissions_unchecked", Severity.WARNING)]
    assert "iam:SimulatePrincipalPolicy" in rows[0].fix


def denied_since(sandbox: Sandbox, since: int) -> tuple[set[str], int]:
    """The actions that the sandbox refused after that entry of its log, and the last entry."""
    found: set[str] = set()
    while page := sandbox.requests(since=str(since)):
        found |= {iam_action(row["service"], row["operation"]) for row in page if row["code"] in DENIED}
        since = page[-1]["sequence"]
    return found, since


@pytest.mark.kube
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_first_part_is_enough_for_a_clusters_whole_life_and_with_the_second_nothing_is_refused(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, operator: User
) -> None:
    core, optional = of_part(Part.CORE), {permission.action for permission in of_part(Part.OPTIONAL)}
    administrator = dict(os.environ)
    make_role(policy(VALUES, core))
    become_role(monkeypatch)
    _, last = denied_since(sandbox, 0)
    made = run(sandbox, operator, "cluster.create", name="demo", fsx=True)
    assert made.state == OperationState.SUCCEEDED, failure(made)
    drive(lambda: Cluster.objects.get().state == State.READY, max_ticks=50)
    refused, last = denied_since(sandbox, last)
    assert refused <= optional

    put_policy_meanwhile(policy(VALUES), administrator, monkeypatch)
    added = run(sandbox, operator, "node_group.create", name="demo", node_group="cpu")
    assert added.state == OperationState.SUCCEEDED, failure(added)
    refused, last = denied_since(sandbox, last)
    assert refused == set()

    put_policy_meanwhile(policy(VALUES, core), administrator, monkeypatch)
    gone = run(sandbox, operator, "cluster.delete", name="demo", confirm="demo")
    assert gone.state == OperationState.SUCCEEDED, failure(gone)
    refused, _ = denied_since(sandbox, last)
    assert refused <= optional
    assert [row for row in sandbox.ledger() if row["kind"] in ("eks.nodegroup", "ec2.launch-template", "eks.cluster")] == []


def test_every_scope_is_used() -> None:
    assert {permission.scope for permission in PERMISSIONS} == set(Scope)
