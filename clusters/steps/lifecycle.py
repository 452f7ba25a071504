"""Uploading the lifecycle scripts."""

from __future__ import annotations

import base64
import hashlib

from clusters import names
from clusters.lifecycle import sha256
from clusters.reading.reader import ClusterReader
from clusters.steps.base import ClusterStep, Subject, absent, different, ready
from instantstart.cloud.errors import CloudError
from operations.step import Observation, Outcome, StepContext

CHECKSUM_METADATA = "sha256"


class UploadScript(ClusterStep):
    """One file of the artefact, under a key that holds the artefact's checksum."""

    api = "s3:PutObject"
    typical_seconds = 1

    def __init__(self, subject: Subject, file: str, content: bytes, checksum: str) -> None:
        super().__init__(subject)
        self.content = content
        self.key = f"{names.lifecycle_prefix(checksum)}{file}"
        self.name = f"hyperpod-upload-{file.replace('.', '-').replace('_', '-').lower()}"
        self.title = f"Upload the lifecycle file {file}"

    def look(self, reader: ClusterReader, context: StepContext) -> Observation:
        try:
            head = reader.aws.read("s3", "head_object", Bucket=self.subject.spec.bucket, Key=self.key)
        except CloudError as error:
            if error.missing:
                return absent(f"{self.key} is not in the bucket")
            raise
        if (head.get("Metadata") or {}).get(CHECKSUM_METADATA) != sha256(self.content):
            return different(f"{self.key} has another content")
        return ready(f"{self.key} is in the bucket", key=self.key)

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        reply = self.aws.write(
            "s3",
            "put_object",
            Bucket=self.subject.spec.bucket,
            Key=self.key,
            Body=self.content,
            ContentType="text/x-shellscript",
            Metadata={CHECKSUM_METADATA: sha256(self.content)},
            ChecksumSHA256=base64.b64encode(hashlib.sha256(self.content).digest()).decode(),
        )
        return Outcome(reply.request_id, f"Uploaded {self.key}")
