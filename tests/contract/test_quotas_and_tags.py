"""Service quotas by name, requests for more, and resources by tag over all services."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.conftest import Sandbox


def code_of(call: Any, **params: Any) -> str:
    with pytest.raises(ClientError) as caught:
        call(**params)
    return str(caught.value.response["Error"]["Code"])


def by_name(sandbox: Sandbox, service: str, operation: str = "list_service_quotas") -> dict[str, dict[str, Any]]:
    pages = sandbox.client("service-quotas").get_paginator(operation).paginate(ServiceCode=service)
    return {quota["QuotaName"]: quota for page in pages for quota in page["Quotas"]}


def test_the_quotas_of_hyperpod_are_found_by_name(sandbox: Sandbox) -> None:
    quotas = by_name(sandbox, "sagemaker")
    assert quotas["ml.p5.48xlarge for cluster usage"]["QuotaCode"] == "L-8762A75F"
    assert quotas["ml.g5.8xlarge for cluster usage"]["Value"] == 16
    assert quotas["ml.p5.48xlarge for cluster spot instance usage"]["QuotaCode"] == "L-F742E2D7"
    assert "Total number of instances allowed across SageMaker HyperPod clusters" in quotas
    assert by_name(sandbox, "sagemaker", "list_aws_default_service_quotas")["ml.g5.8xlarge for cluster usage"]["Value"] == 0


def test_codes_are_unique_in_their_service(sandbox: Sandbox) -> None:
    for service in ("sagemaker", "vpc", "ec2", "eks"):
        quotas = by_name(sandbox, service)
        assert len({quota["QuotaCode"] for quota in quotas.values()}) == len(quotas)


def test_the_aws_command_reads_network_quotas(sandbox: Sandbox) -> None:
    told = sandbox.aws("service-quotas", "get-service-quota", "--service-code", "vpc", "--quota-code", "L-F678F1CE")["Quota"]
    assert told["QuotaName"] == "VPCs per Region"
    assert by_name(sandbox, "vpc")["NAT gateways per Availability Zone"]["QuotaCode"] == "L-FE5A380F"
    assert by_name(sandbox, "ec2")["EC2-VPC Elastic IPs"]["QuotaCode"] == "L-0263D0A3"


def test_more_is_asked_for_reviewed_and_granted(sandbox: Sandbox) -> None:
    quotas = sandbox.client("service-quotas")
    wanted = {"ServiceCode": "vpc", "QuotaCode": "L-F678F1CE"}
    before = quotas.get_service_quota(**wanted)["Quota"]["Value"]
    assert code_of(quotas.request_service_quota_increase, **wanted, DesiredValue=before) == "IllegalArgumentException"
    asked = quotas.request_service_quota_increase(**wanted, DesiredValue=before + 5)["RequestedQuota"]
    assert asked["Status"] == "PENDING"
    assert code_of(quotas.request_service_quota_increase, **wanted, DesiredValue=before + 9) == "ResourceAlreadyExistsException"
    sandbox.fast_forward("next")
    assert quotas.get_requested_service_quota_change(RequestId=asked["Id"])["RequestedQuota"]["Status"] == "CASE_OPENED"
    assert quotas.get_service_quota(**wanted)["Quota"]["Value"] == before
    sandbox.fast_forward("settled")
    (told,) = quotas.list_requested_service_quota_change_history(ServiceCode="vpc")["RequestedQuotas"]
    assert (told["Status"], told["DesiredValue"]) == ("APPROVED", before + 5)
    assert quotas.get_service_quota(**wanted)["Quota"]["Value"] == before + 5


def test_unknown_services_and_quotas_are_told(sandbox: Sandbox) -> None:
    quotas = sandbox.client("service-quotas")
    assert code_of(quotas.list_service_quotas, ServiceCode="nothing") == "NoSuchResourceException"
    assert code_of(quotas.get_service_quota, ServiceCode="vpc", QuotaCode="L-0") == "NoSuchResourceException"
    assert code_of(quotas.list_service_quotas, ServiceCode="vpc", NextToken="x") == "InvalidPaginationTokenException"


def test_resources_of_several_services_are_found_by_one_tag(sandbox: Sandbox) -> None:
    tag = {"instantstart:cluster": "demo"}
    sandbox.client("logs").create_log_group(logGroupName="/tagged", tags=tag)
    sandbox.client("logs").create_log_group(logGroupName="/other", tags={"instantstart:cluster": "another"})
    s3 = sandbox.client("s3")
    s3.create_bucket(Bucket="tagged-bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_bucket_tagging(Bucket="tagged-bucket", Tagging={"TagSet": [{"Key": "instantstart:cluster", "Value": "demo"}]})
    ec2 = sandbox.client("ec2")
    specification = [{"ResourceType": "vpc", "Tags": [{"Key": "instantstart:cluster", "Value": "demo"}]}]
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=specification)["Vpc"]["VpcId"]
    tagging = sandbox.client("resourcegroupstaggingapi")
    pages = tagging.get_paginator("get_resources").paginate(
        TagFilters=[{"Key": "instantstart:cluster", "Values": ["demo"]}], PaginationConfig={"PageSize": 2}
    )
    found = [item["ResourceARN"] for page in pages for item in page["ResourceTagMappingList"]]
    assert found == [
        f"arn:aws:ec2:us-west-2:123456789012:vpc/{vpc}",
        "arn:aws:logs:us-west-2:123456789012:log-group:/tagged",
        "arn:aws:s3:::tagged-bucket",
    ]
    only = tagging.get_resources(ResourceTypeFilters=["ec2:vpc"], TagFilters=[{"Key": "instantstart:cluster"}])
    assert [item["ResourceARN"] for item in only["ResourceTagMappingList"]] == found[:1]


def test_tags_are_set_and_removed_by_arn_and_failures_are_told_one_by_one(sandbox: Sandbox) -> None:
    sandbox.client("logs").create_log_group(logGroupName="/g")
    arn, missing = (f"arn:aws:logs:us-west-2:123456789012:log-group:/{name}" for name in ("g", "missing"))
    tagging = sandbox.client("resourcegroupstaggingapi")
    failed = tagging.tag_resources(ResourceARNList=[arn, missing], Tags={"a": "1", "b": "2"})["FailedResourcesMap"]
    assert list(failed) == [missing]
    assert sandbox.client("logs").list_tags_for_resource(resourceArn=arn)["tags"] == {"a": "1", "b": "2"}
    assert tagging.untag_resources(ResourceARNList=[arn], TagKeys=["a"])["FailedResourcesMap"] == {}
    assert tagging.get_tag_values(Key="b")["TagValues"] == ["2"]
    assert "a" not in tagging.get_tag_keys()["TagKeys"]


def test_the_price_list_is_read_by_aws_own_client(sandbox: Sandbox) -> None:
    given = sandbox.aws(
        "pricing",
        "get-products",
        "--service-code",
        "AmazonSageMaker",
        "--filters",
        "Type=TERM_MATCH,Field=regionCode,Value=us-west-2",
        "Type=TERM_MATCH,Field=usagetype,Value=USW2-Cluster:ml.p5.48xlarge",
    )
    [product] = [json.loads(item) for item in given["PriceList"]]
    assert product["product"]["attributes"]["component"] == "Cluster"
    [term] = product["terms"]["OnDemand"].values()
    [dimension] = term["priceDimensions"].values()
    assert (dimension["unit"], float(dimension["pricePerUnit"]["USD"])) == ("Hrs", 66.048)
