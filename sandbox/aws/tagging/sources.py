"""Providers of the simulated services, through their own operations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sandbox.aws import registry
from sandbox.aws.context import Context
from sandbox.aws.errors import AWSError
from sandbox.aws.tagging.providers import Tagged, changes_tags, taggable

# EC2's word for a resource type in ARNs, where it differs from the one in tags
_EC2_ARN_TYPES = {"elastic-ip": "elastic-ip", "natgateway": "natgateway"}
_EKS_TYPES = {"cluster": "eks:cluster", "addon": "eks:addon", "nodegroup": "eks:nodegroup", "access-entry": "eks:access-entry"}


def _ask(context: Context, service: str, operation: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    """The answer as AWS itself; {} while the operation is not simulated."""
    if registry.find(service, operation) is None:
        return {}
    return context.as_source("service").call(service, operation, params or {})


def _pairs(tags: list[dict[str, str]], key: str = "Key", value: str = "Value") -> dict[str, str]:
    return {tag[key]: tag.get(value, "") for tag in tags}


@taggable("s3")
def _buckets(context: Context) -> Iterator[Tagged]:
    for bucket in _ask(context, "s3", "ListBuckets").get("Buckets", []):
        if bucket["BucketRegion"] == context.region:
            yield Tagged(context.arn("s3", bucket["Name"]), "s3:bucket", _bucket_tags(context, bucket["Name"]))


def _bucket_tags(context: Context, name: str) -> dict[str, str]:
    try:
        return _pairs(_ask(context, "s3", "GetBucketTagging", {"Bucket": name})["TagSet"])
    except AWSError as error:
        if error.code == "NoSuchTagSet":
            return {}
        raise


def _tag_bucket(context: Context, arn: str, tags: dict[str, str]) -> None:
    _set_bucket_tags(context, arn, {**_bucket_tags(context, _name(arn)), **tags})


def _untag_bucket(context: Context, arn: str, keys: list[str]) -> None:
    _set_bucket_tags(context, arn, {key: value for key, value in _bucket_tags(context, _name(arn)).items() if key not in keys})


def _set_bucket_tags(context: Context, arn: str, tags: dict[str, str]) -> None:
    tag_set = [{"Key": key, "Value": value} for key, value in tags.items()]
    _ask(context, "s3", "PutBucketTagging", {"Bucket": _name(arn), "Tagging": {"TagSet": tag_set}})


@taggable("logs")
def _log_groups(context: Context) -> Iterator[Tagged]:
    for group in _ask(context, "logs", "DescribeLogGroups").get("logGroups", []):
        arn = group["logGroupArn"]
        yield Tagged(arn, "logs:log-group", _ask(context, "logs", "ListTagsForResource", {"resourceArn": arn})["tags"])


@taggable("ec2")
def _ec2(context: Context) -> Iterator[Tagged]:
    found: dict[tuple[str, str], dict[str, str]] = {}
    for tag in _ask(context, "ec2", "DescribeTags").get("Tags", []):
        found.setdefault((tag["ResourceType"], tag["ResourceId"]), {})[tag["Key"]] = tag["Value"]
    for (kind, identifier), tags in found.items():
        yield Tagged(context.arn("ec2", f"{_EC2_ARN_TYPES.get(kind, kind)}/{identifier}"), f"ec2:{kind}", tags)


def _tag_ec2(context: Context, arn: str, tags: dict[str, str]) -> None:
    tag_set = [{"Key": key, "Value": value} for key, value in tags.items()]
    _ask(context, "ec2", "CreateTags", {"Resources": [_name(arn)], "Tags": tag_set})


def _untag_ec2(context: Context, arn: str, keys: list[str]) -> None:
    _ask(context, "ec2", "DeleteTags", {"Resources": [_name(arn)], "Tags": [{"Key": key} for key in keys]})


@taggable("eks")
def _eks(context: Context) -> Iterator[Tagged]:
    for cluster in _ask(context, "eks", "ListClusters").get("clusters", []):
        described = _ask(context, "eks", "DescribeCluster", {"name": cluster})["cluster"]
        yield Tagged(described["arn"], "eks:cluster", described.get("tags", {}))
        for addon in _ask(context, "eks", "ListAddons", {"clusterName": cluster}).get("addons", []):
            one = _ask(context, "eks", "DescribeAddon", {"clusterName": cluster, "addonName": addon})["addon"]
            yield Tagged(one["addonArn"], "eks:addon", one.get("tags", {}))
        for name in _ask(context, "eks", "ListNodegroups", {"clusterName": cluster}).get("nodegroups", []):
            group = _ask(context, "eks", "DescribeNodegroup", {"clusterName": cluster, "nodegroupName": name})["nodegroup"]
            yield Tagged(group["nodegroupArn"], "eks:nodegroup", group.get("tags", {}))


@taggable("sagemaker")
def _sagemaker(context: Context) -> Iterator[Tagged]:
    for cluster in _ask(context, "sagemaker", "ListClusters").get("ClusterSummaries", []):
        arn = cluster["ClusterArn"]
        yield Tagged(arn, "sagemaker:cluster", _pairs(_ask(context, "sagemaker", "ListTags", {"ResourceArn": arn}).get("Tags", [])))


@taggable("cloudformation")
def _stacks(context: Context) -> Iterator[Tagged]:
    for stack in _ask(context, "cloudformation", "DescribeStacks").get("Stacks", []):
        yield Tagged(stack["StackId"], "cloudformation:stack", _pairs(stack.get("Tags", [])))


def _name(arn: str) -> str:
    resource = arn.split(":", 5)[5]
    return resource.rpartition("/")[2]


changes_tags("s3", _tag_bucket, _untag_bucket)
changes_tags("ec2", _tag_ec2, _untag_ec2)
changes_tags(
    "logs",
    lambda context, arn, tags: _done(_ask(context, "logs", "TagResource", {"resourceArn": arn, "tags": tags})),
    lambda context, arn, keys: _done(_ask(context, "logs", "UntagResource", {"resourceArn": arn, "tagKeys": keys})),
)
changes_tags(
    "eks",
    lambda context, arn, tags: _done(_ask(context, "eks", "TagResource", {"resourceArn": arn, "tags": tags})),
    lambda context, arn, keys: _done(_ask(context, "eks", "UntagResource", {"resourceArn": arn, "tagKeys": keys})),
)
changes_tags(
    "sagemaker",
    lambda context, arn, tags: _done(
        _ask(context, "sagemaker", "AddTags", {"ResourceArn": arn, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]})
    ),
    lambda context, arn, keys: _done(_ask(context, "sagemaker", "DeleteTags", {"ResourceArn": arn, "TagKeys": keys})),
)


def _done(reply: dict[str, Any]) -> None:
    """A call whose answer says nothing."""
