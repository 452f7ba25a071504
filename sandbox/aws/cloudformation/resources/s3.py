"""AWS::S3::Bucket and BucketPolicy."""

from __future__ import annotations

from typing import Any

from sandbox.aws.cloudformation.resources.base import Properties, ResourceType, Work, document, resource_type

# Property, the call that sets it, the call that takes it away, and the request's member.
_SETTINGS = {
    "PublicAccessBlockConfiguration": ("PutPublicAccessBlock", "DeletePublicAccessBlock", "PublicAccessBlockConfiguration"),
    "OwnershipControls": ("PutBucketOwnershipControls", "DeleteBucketOwnershipControls", "OwnershipControls"),
    "BucketEncryption": ("PutBucketEncryption", "DeleteBucketEncryption", "ServerSideEncryptionConfiguration"),
    "VersioningConfiguration": ("PutBucketVersioning", "", "VersioningConfiguration"),
}


@resource_type
class Bucket(ResourceType):
    name = "AWS::S3::Bucket"
    service = "S3"
    optional = frozenset({"BucketName", "Tags", *_SETTINGS})
    immutable = frozenset({"BucketName"})
    custom_name = "BucketName"
    seconds = "cloudformation.s3-bucket"

    def create(self, work: Work) -> str:
        name = str(work.properties.get("BucketName") or work.invented_name(63, lower=True))
        params: dict[str, Any] = {"Bucket": name}
        if work.context.region != "us-east-1":
            params["CreateBucketConfiguration"] = {"LocationConstraint": work.context.region}
        work.call("s3", "CreateBucket", params)
        work.physical_id = name
        self._apply(work, {})
        self._tag(work)
        return name

    def _apply(self, work: Work, before: Properties) -> None:
        for member, (put, delete, parameter) in _SETTINGS.items():
            old, new = before.get(member), work.properties.get(member)
            if old == new:
                continue
            if new is None:
                if delete:
                    work.call("s3", delete, {"Bucket": work.physical_id})
                continue
            work.call("s3", put, {"Bucket": work.physical_id, parameter: _request(member, new)})

    def _tag(self, work: Work) -> None:
        work.call("s3", "PutBucketTagging", {"Bucket": work.physical_id, "Tagging": {"TagSet": work.tags()}})

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        self._apply(work, before)
        if work.tags() != tags_before:
            self._tag(work)

    def attributes(self, work: Work) -> dict[str, Any]:
        name, region = work.physical_id, work.context.region
        return {
            "Arn": work.context.arn("s3", name),
            "DomainName": f"{name}.s3.amazonaws.com",
            "RegionalDomainName": f"{name}.s3.{region}.amazonaws.com",
            "DualStackDomainName": f"{name}.s3.dualstack.{region}.amazonaws.com",
            "WebsiteURL": f"http://{name}.s3-website-{region}.amazonaws.com",
        }

    def delete(self, work: Work) -> None:
        work.call("s3", "DeleteBucket", {"Bucket": work.physical_id})


def _request(member: str, value: Any) -> dict[str, Any]:
    """The API's shape of a property: it differs for encryption only, and booleans may be text."""
    value = _booleans(value)
    if member == "BucketEncryption":
        rules = []
        for rule in value["ServerSideEncryptionConfiguration"]:
            default = rule.get("ServerSideEncryptionByDefault")
            rules.append({**rule, **({"ApplyServerSideEncryptionByDefault": default} if default else {})})
            rules[-1].pop("ServerSideEncryptionByDefault", None)
        return {"Rules": rules}
    result: dict[str, Any] = value
    return result


def _booleans(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _booleans(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_booleans(inner) for inner in value]
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


@resource_type
class BucketPolicy(ResourceType):
    name = "AWS::S3::BucketPolicy"
    service = "S3"
    required = frozenset({"Bucket", "PolicyDocument"})
    immutable = frozenset({"Bucket"})

    def create(self, work: Work) -> str:
        self._put(work)
        return str(work.properties["Bucket"])

    def _put(self, work: Work) -> None:
        work.call("s3", "PutBucketPolicy", {"Bucket": work.properties["Bucket"], "Policy": document(work.properties["PolicyDocument"])})

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        self._put(work)

    def delete(self, work: Work) -> None:
        work.call("s3", "DeleteBucketPolicy", {"Bucket": work.properties["Bucket"]})
