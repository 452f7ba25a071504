from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sandbox.aws import models, paging, registry, validation
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.identity import ALLOWED, Decision, Principal
from sandbox.testing import call, caller
from sandbox.world import World


@pytest.fixture
def handler() -> Iterator[Callable[..., None]]:
    """handler("eks", "ListClusters", function): in place of the real one for this test."""
    before = dict(registry._handlers)

    def put(service: str, operation: str, function: registry.Handler) -> None:
        registry._handlers[service, operation] = function

    yield put
    registry._handlers.clear()
    registry._handlers.update(before)


def refused(world: World, service: str, operation: str, params: dict[str, Any], **options: Any) -> AWSError:
    with pytest.raises(AWSError) as caught:
        call(world, service, operation, params, **options)
    return caught.value


def test_an_operation_that_is_not_simulated_says_its_name(world: World) -> None:
    error = refused(world, "fsx", "CreateBackup", {})
    assert (error.code, error.status) == ("NotImplemented", 501)
    assert error.message == "fsx:CreateBackup is not simulated by the sandbox."


def test_what_a_failed_handler_did_is_undone(world: World, handler: Callable[..., None]) -> None:
    def half(context: Context, params: dict[str, Any]) -> None:
        context.world.store.put("x.y", context.scope, "k", {})
        raise AWSError("ResourceInUseException", "no", 409)

    handler("eks", "DeleteCluster", half)
    assert refused(world, "eks", "DeleteCluster", {"name": "a"}).code == "ResourceInUseException"
    assert world.store.kinds().count("x.y") == 0


def test_the_ledger_names_the_call_and_its_source(world: World, handler: Callable[..., None]) -> None:
    def inner(context: Context, params: dict[str, Any]) -> dict[str, Any]:
        context.world.store.put("x.inner", context.scope, "k", {})
        return {}

    def outer(context: Context, params: dict[str, Any]) -> dict[str, Any]:
        context.as_source("cloudformation").call("eks", "DeleteCluster", {"name": "a"})
        context.world.store.put("x.outer", context.scope, "k", {})
        return {"clusters": []}

    handler("eks", "DeleteCluster", inner)
    handler("eks", "ListClusters", outer)
    call(world, "eks", "ListClusters")
    told = {entry["kind"]: (entry["operation"], entry["source"]) for entry in world.ledger.entries() if entry["kind"].startswith("x.")}
    assert told == {"x.inner": ("eks:DeleteCluster", "cloudformation"), "x.outer": ("eks:ListClusters", "api")}


def test_pages_follow_the_model_until_the_end(world: World, handler: Callable[..., None]) -> None:
    names = [f"c{number}" for number in range(25)]
    handler("eks", "ListClusters", lambda context, params: {"clusters": names})
    seen: list[str] = []
    params: dict[str, Any] = {"maxResults": 10}
    sizes = []
    while True:
        page = call(world, "eks", "ListClusters", params)
        seen += page["clusters"]
        sizes.append(len(page["clusters"]))
        if not page.get("nextToken"):
            break
        params["nextToken"] = page["nextToken"]
    assert seen == names
    assert sizes == [10, 10, 5]


def test_a_truncated_list_says_so_where_the_service_does(world: World, handler: Callable[..., None]) -> None:
    handler("iam", "ListUsers", lambda context, params: {"Users": [{"UserName": str(number)} for number in range(3)]})
    page = call(world, "iam", "ListUsers", {"MaxItems": 2})
    assert (len(page["Users"]), page["IsTruncated"], bool(page["Marker"])) == (2, True, True)
    last = call(world, "iam", "ListUsers", {"MaxItems": 2, "Marker": page["Marker"]})
    assert (len(last["Users"]), last["IsTruncated"], "Marker" in last) == (1, False, False)


@pytest.mark.parametrize("token", ["x", "!!!", "eyJmcm9tIjogMX0=", "ü"])
def test_a_token_that_is_not_ours_is_refused_in_the_service_s_words(world: World, handler: Callable[..., None], token: str) -> None:
    handler("eks", "ListClusters", lambda context, params: {"clusters": ["a", "b"]})
    assert refused(world, "eks", "ListClusters", {"nextToken": token}).code == "InvalidParameterException"


def test_a_token_of_another_question_is_refused(world: World, handler: Callable[..., None]) -> None:
    handler("eks", "ListAddons", lambda context, params: {"addons": ["a", "b"]})
    page = call(world, "eks", "ListAddons", {"clusterName": "one", "maxResults": 1})
    error = refused(world, "eks", "ListAddons", {"clusterName": "two", "maxResults": 1, "nextToken": page["nextToken"]})
    assert error.code == "InvalidParameterException"


def test_a_call_from_inside_gets_the_whole_list(world: World, handler: Callable[..., None]) -> None:
    handler("sagemaker", "ListClusters", lambda context, params: {"ClusterSummaries": [{"ClusterName": str(n)} for n in range(30)]})
    assert len(call(world, "sagemaker", "ListClusters")["ClusterSummaries"]) == 10
    assert len(caller(world, "eks", "x").call("sagemaker", "ListClusters", {})["ClusterSummaries"]) == 30


def test_every_paged_operation_that_is_simulated_can_be_cut(world: World) -> None:
    """No handler returns its list under another name than the model's paging reads."""
    for service, operation in registry.registered():
        config = models.paginator(service, operation)
        if config is None or service in paging._OWN:
            continue
        keys = config["result_key"] if isinstance(config["result_key"], list) else [config["result_key"]]
        members = models.operation(service, operation).output_shape.members
        assert {key.partition(".")[0] for key in keys} <= set(members), f"{service}:{operation}"


class TestPermissions:
    @pytest.fixture
    def asked(self, world: World, handler: Callable[..., None]) -> list[tuple[str, str, str]]:
        asked: list[tuple[str, str, str]] = []

        def authorizer(principal: Principal, action: str, resource: str) -> Decision:
            asked.append((principal.arn, action, resource))
            return Decision(False, f"because no identity-based policy allows the {action} action") if "Delete" in action else ALLOWED

        world.identity.authorizer = authorizer
        handler("eks", "DeleteCluster", lambda context, params: {})
        handler("ec2", "DeleteVpc", lambda context, params: {})
        handler("iam", "DeleteRole", lambda context, params: {})
        handler("sagemaker", "DeleteCluster", lambda context, params: {"ClusterArn": "x"})
        return asked

    @pytest.mark.parametrize(
        ("service", "operation", "params", "code", "status"),
        [
            ("eks", "DeleteCluster", {"name": "a"}, "AccessDeniedException", 403),
            ("ec2", "DeleteVpc", {"VpcId": "vpc-1"}, "UnauthorizedOperation", 403),
            ("iam", "DeleteRole", {"RoleName": "a"}, "AccessDenied", 403),
            ("sagemaker", "DeleteCluster", {"ClusterName": "a"}, "AccessDeniedException", 400),
            ("s3", "DeleteBucket", {"Bucket": "abc"}, "AccessDenied", 403),
        ],
    )
    def test_a_call_that_no_policy_allows_is_refused_in_the_service_s_words(
        self, world: World, asked: list[Any], service: str, operation: str, params: dict[str, Any], code: str, status: int
    ) -> None:
        error = refused(world, service, operation, params)
        assert (error.code, error.status) == (code, status)
        assert f"is not authorized to perform: {service}:{operation} on resource:" in error.message
        assert f"because no identity-based policy allows the {service}:{operation} action" in error.message

    def test_the_action_and_the_resource_are_those_of_iam(self, world: World, asked: list[tuple[str, str, str]]) -> None:
        call(world, "s3", "ListBuckets")
        with pytest.raises(AWSError):
            call(world, "s3", "HeadObject", {"Bucket": "b-1", "Key": "k/1"})
        assert [(action, resource) for _, action, resource in asked] == [
            ("s3:ListAllMyBuckets", "*"),
            ("s3:GetObject", "arn:aws:s3:::b-1/k/1"),
        ]

    def test_cloudformation_needs_its_caller_s_permissions_and_aws_itself_needs_none(self, world: World, asked: list[Any]) -> None:
        context = caller(world, "cloudformation", "CreateStack")
        with pytest.raises(AWSError, match="UnauthorizedOperation"):
            context.as_source("cloudformation").call("ec2", "DeleteVpc", {"VpcId": "vpc-1"})
        assert context.as_source("service").call("ec2", "DeleteVpc", {"VpcId": "vpc-1"}) == {}


class TestValidation:
    def problem(self, service: str, operation: str, params: dict[str, Any]) -> tuple[str, str] | None:
        try:
            validation.check(models.operation(service, operation), params)
        except AWSError as error:
            return error.code, error.message
        return None

    def test_a_missing_member_is_named_as_the_service_does(self) -> None:
        assert self.problem("logs", "CreateLogGroup", {}) == (
            "InvalidParameterException",
            "1 validation error detected: Value null at 'logGroupName' failed to satisfy constraint: Member must not be null",
        )
        assert self.problem("ec2", "CreateSubnet", {}) == ("MissingParameter", "The request must contain the parameter VpcId")

    def test_several_violations_are_told_at_once(self) -> None:
        code, message = self.problem("iam", "CreateRole", {"RoleName": "a b", "Path": "x"}) or ("", "")
        assert code == "ValidationError"
        assert message.startswith("3 validation errors detected: Value null at 'assumeRolePolicyDocument'")
        assert (
            "Value 'a b' at 'roleName' failed to satisfy constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]+"
            in message
        )

    @pytest.mark.parametrize(
        ("service", "operation", "params", "sentence"),
        [
            (
                "sagemaker",
                "ListClusters",
                {"MaxResults": 0},
                "Value '0' at 'maxResults' failed to satisfy constraint: Member must have value greater",
            ),
            ("sagemaker", "ListClusters", {"MaxResults": 101}, "Member must have value less than or equal to 100"),
            ("sagemaker", "ListClusters", {"SortBy": "SIZE"}, "Member must satisfy enum value set: [CREATION_TIME, NAME]"),
            ("sagemaker", "DescribeCluster", {"ClusterName": ""}, "Member must satisfy regular expression pattern"),
            ("logs", "CreateLogGroup", {"logGroupName": "x" * 513}, "Member must have length less than or equal to 512"),
        ],
    )
    def test_each_constraint_has_its_sentence(self, service: str, operation: str, params: dict[str, Any], sentence: str) -> None:
        found = self.problem(service, operation, params)
        assert found is not None
        assert sentence in found[1]

    def test_a_value_within_its_constraints_passes(self) -> None:
        assert self.problem("sagemaker", "ListClusters", {"MaxResults": 100, "SortBy": "NAME"}) is None
        assert self.problem("iam", "TagRole", {"RoleName": "r", "Tags": [{"Key": "Größe 1", "Value": "x"}]}) is None

    def test_nested_members_are_named_by_their_path(self) -> None:
        found = self.problem("iam", "TagRole", {"RoleName": "r", "Tags": [{"Key": "a", "Value": "b"}, {"Value": "c"}]})
        assert found is not None
        assert "Value null at 'tags.2.member.key' failed to satisfy constraint: Member must not be null" in found[1]

    def test_a_pattern_that_backtracks_for_ever_does_not_hang(self) -> None:
        assert validation._matches("(a+)+b", "a" * 60) is False


def test_replies_hold_only_what_json_can_carry(world: World) -> None:
    assert json.loads(json.dumps(world.describe(), default=str))["account"] == "123456789012"
