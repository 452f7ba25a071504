"""The cluster's bucket: encrypted, closed to the public, reached by TLS only. Holds the lifecycle scripts and the shared files."""

from __future__ import annotations

from clusters.resolved import ResolvedSpec
from clusters.template.document import Resource, att, ref, sub

BUCKET = "Bucket"


def resources(spec: ResolvedSpec) -> list[Resource]:
    """Deleting the stack deletes the bucket, which fails while there is an object in it: emptying takes a typed confirmation."""
    return [
        Resource(
            BUCKET,
            "AWS::S3::Bucket",
            spec.bucket,
            {
                "BucketName": spec.bucket,
                "BucketEncryption": {
                    "ServerSideEncryptionConfiguration": [
                        {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}, "BucketKeyEnabled": True}
                    ]
                },
                "PublicAccessBlockConfiguration": {
                    "BlockPublicAcls": True,
                    "BlockPublicPolicy": True,
                    "IgnorePublicAcls": True,
                    "RestrictPublicBuckets": True,
                },
                "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            },
            deletion_policy="Delete",
        ),
        Resource(
            "BucketPolicy",
            "AWS::S3::BucketPolicy",
            spec.bucket,
            {
                "Bucket": ref(BUCKET),
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Sid": "TlsOnly",
                            "Effect": "Deny",
                            "Principal": "*",
                            "Action": "s3:*",
                            "Resource": [att(BUCKET, "Arn"), sub("${" + BUCKET + ".Arn}/*")],
                            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                        }
                    ],
                },
            },
        ),
    ]
