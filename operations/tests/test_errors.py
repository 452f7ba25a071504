"""The error table against botocore's models and the gateways' own words."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import botocore.session
import pytest
from botocore import xform_name

from instantstart.cloud.errors import CloudError
from instantstart.kube import errors as kube_errors
from instantstart.kube import helm as kube_helm
from instantstart.kube.errors import HelmError, KubeError
from instantstart.problem import Problem
from operations.choices import Category
from operations.errors import classify, uncertain
from operations.errors.aws_common import ENTRIES as AWS_COMMON
from operations.errors.table import NOT_AWS, SERVICES, find

ROOT = Path(__file__).resolve().parents[2]
AWS_SERVICES = sorted(set(SERVICES) - NOT_AWS)
WHOLE_SERVICES = ("eks", "sagemaker", "sts", "resourcegroupstaggingapi")
"""Services of which every operation's errors are in the table, used yet or not."""


def calls_in_the_product() -> set[tuple[str, str]]:
    """(service, operation) of each literal call through the AWS gateway in the product's source."""
    found = set()
    for app in ("clusters", "instantstart", "accounts", "operations"):
        for path in (ROOT / app).rglob("*.py"):
            if "tests" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if (
                    not isinstance(node, ast.Call)
                    or not isinstance(node.func, ast.Attribute)
                    or node.func.attr not in ("read", "write", "pages")
                ):
                    continue
                words = [arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
                if len(words) == 2:
                    found.add((words[0], words[1]))
    return found


def modelled_errors(service: str, operation: str | None = None) -> set[str]:
    """Error codes that botocore's model gives for an operation (snake case), or for all."""
    model = botocore.session.get_session().get_service_model(service)
    codes = set()
    for name in model.operation_names:
        if operation is None or xform_name(name) == operation:
            for shape in model.operation_model(name).error_shapes:
                codes.add(shape.metadata.get("error", {}).get("code") or shape.name)
    return codes


def test_the_product_calls_only_services_that_the_table_knows() -> None:
    calls = calls_in_the_product()
    assert ("eks", "describe_cluster") in calls
    assert {service for service, _ in calls} <= set(AWS_SERVICES)


def test_every_error_modelled_for_a_call_of_ours_is_in_the_table() -> None:
    missing = {
        (service, operation, code)
        for service, operation in calls_in_the_product()
        for code in modelled_errors(service, operation)
        if find(service, code) is None and not any(entry.code == code for entry in SERVICES[service])
    }
    assert missing == set()


@pytest.mark.parametrize("service", WHOLE_SERVICES)
def test_every_error_of_the_service_is_in_the_table(service: str) -> None:
    assert {code for code in modelled_errors(service) if find(service, code) is None} == set()


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_each_code_has_one_row_without_a_pattern_and_it_is_the_last(service: str) -> None:
    rows = SERVICES[service]
    for code in {entry.code for entry in rows}:
        own = [entry for entry in rows if entry.code == code]
        plain = [entry for entry in own if not entry.pattern]
        assert len(plain) <= 1, code
        assert not plain or own[-1] is plain[0], f"{code}: rows after the one without a pattern are never reached"
        for entry in own:
            if entry.pattern:
                re.compile(entry.pattern)


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_terminal_row_says_what_happened(service: str) -> None:
    assert [entry.code for entry in SERVICES[service] if entry.category == Category.TERMINAL and not entry.sentence] == []


def test_common_codes_have_one_row_each() -> None:
    codes = [entry.code for entry in AWS_COMMON]
    assert sorted(codes) == sorted(set(codes))


def test_the_words_of_the_gateways_are_in_the_table() -> None:
    from instantstart.cloud import errors as cloud_errors

    for code in cloud_errors.TRANSPORT_CODES | cloud_errors.BAD_CREDENTIALS | cloud_errors.ACCESS_DENIED:
        assert find("eks", code) is not None, code
    for code in (cloud_errors.INVALID_REQUEST, cloud_errors.INVALID_CONFIGURATION):
        assert find("eks", code) is not None, code
    for code in kube_errors.TRANSPORT_CODES | {kube_errors.NO_SUCH_KIND}:
        assert find("kubernetes", code) is not None, code
    for code in {code for code, _ in kube_helm._CODES} | {"HelmFailed", "MissingTool"}:
        assert find("helm", code) is not None, code


@pytest.mark.parametrize(
    ("service", "code", "message", "category"),
    [
        ("eks", "ThrottlingException", "Rate exceeded", Category.THROTTLED),
        ("ec2", "RequestLimitExceeded", "Request limit exceeded.", Category.THROTTLED),
        ("sts", "ExpiredTokenException", "The security token included in the request is expired", Category.RECOVERABLE),
        ("eks", "AccessDeniedException", "not authorized to perform: eks:CreateAddon", Category.TERMINAL),
        ("eks", "InvalidParameterException", "The role arn:... cannot be assumed by principal eks.amazonaws.com", Category.RECOVERABLE),
        ("eks", "InvalidParameterException", "The role with name instantstart-demo-node cannot be found.", Category.RECOVERABLE),
        ("eks", "InvalidRequestException", "You are not authorized to launch instances with this launch template.", Category.TERMINAL),
        ("eks", "InvalidParameterException", "Addon version specified is not supported", Category.TERMINAL),
        ("sagemaker", "ResourceLimitExceeded", "service limit 'ml.g5.8xlarge for cluster usage' is 0 Instances", Category.TERMINAL),
        ("sagemaker", "ConflictException", "cluster is updating", Category.RECOVERABLE),
        ("cloudformation", "ValidationError", "Stack with id x does not exist", Category.RECOVERABLE),
        ("cloudformation", "ValidationError", "Template format error", Category.TERMINAL),
        ("ec2", "DependencyViolation", "resource sg-1 has a dependent object", Category.RECOVERABLE),
        ("ec2", "VpcLimitExceeded", "The maximum number of VPCs has been reached.", Category.TERMINAL),
        ("s3", "BucketAlreadyExists", "taken", Category.TERMINAL),
        ("s3", "BucketAlreadyOwnedByYou", "yours", Category.RECOVERABLE),
        ("eks", "NeverHeardOf", "what?", Category.UNKNOWN),
    ],
)
def test_an_aws_error_means(service: str, code: str, message: str, category: Category) -> None:
    fault = classify(CloudError(service, "call", code, message, status=400, sent=True))
    assert (fault.code, fault.category) == (code, category)
    assert message in fault.message


def test_an_unheard_of_error_goes_by_its_http_status() -> None:
    def category(status: int) -> Category:
        return classify(CloudError("eks", "call", "NeverHeardOf", "what?", status=status, sent=True)).category

    assert [category(status) for status in (400, 429, 500, 501, 503)] == [
        Category.UNKNOWN,
        Category.THROTTLED,
        Category.RECOVERABLE,
        Category.UNKNOWN,
        Category.RECOVERABLE,
    ]


def test_a_kubernetes_error_means_what_its_reason_says() -> None:
    forbidden = KubeError("get /api", "Forbidden", "namespace x because it is being terminated", 403, True)
    assert classify(forbidden).category == Category.RECOVERABLE
    assert classify(KubeError("get /api", "Forbidden", "no", 403, True)).category == Category.TERMINAL
    assert classify(KubeError("get /api", "Unreachable", "refused", None, False)).category == Category.RECOVERABLE
    going = "create not allowed while custom resource definition is terminating"
    assert classify(KubeError("patch /apis", "MethodNotAllowed", going, 405, True)).category == Category.RECOVERABLE
    assert classify(KubeError("patch /apis", "MethodNotAllowed", "no", 405, True)).category == Category.TERMINAL
    assert classify(HelmError("upgrade", "ChartNotFound", "no chart")).category == Category.TERMINAL


def test_a_problem_of_our_own_is_terminal_with_its_words() -> None:
    fault = classify(Problem(422, "plan_has_errors", "Plan has errors", "No room.", "Make room."))
    assert (fault.code, fault.message, fault.hint, fault.category) == ("plan_has_errors", "No room.", "Make room.", Category.TERMINAL)


def test_a_defect_of_ours_is_unknown_and_says_so() -> None:
    fault = classify(KeyError("vpc"))
    assert (fault.code, fault.category) == ("internal_error", Category.UNKNOWN)
    assert "KeyError" in fault.message


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CloudError("eks", "c", "Timeout", "no answer", None, sent=None), True),
        (CloudError("eks", "c", "Unreachable", "refused", None, sent=False), False),
        (CloudError("eks", "c", "ServerException", "oops", 500, sent=True), True),
        (CloudError("eks", "c", "ServiceUnavailable", "later", 503, sent=True), True),
        (CloudError("eks", "c", "NotImplemented", "not simulated", 501, sent=True), False),
        (CloudError("eks", "c", "ThrottlingException", "slow down", 400, sent=True), False),
        (HelmError("upgrade", "HelmFailed", "?"), True),
        (KeyError("x"), True),
        (Problem(409, "x", "x", "x"), False),
    ],
)
def test_whether_a_failed_call_may_have_had_its_effect(error: Exception, expected: bool) -> None:
    assert uncertain(error) is expected
