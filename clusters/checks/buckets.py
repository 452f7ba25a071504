"""The cluster's own bucket must be free; a shared one that exists must be reachable."""

from __future__ import annotations

from collections.abc import Iterator

from clusters.checks.registry import Subject, check, failed, passed, warning
from operations.plan import Check

CODE, TITLE, FIELD = "buckets", "Buckets", "storage.bucket"


@check(CODE, TITLE)
def buckets_are_free_or_reachable(subject: Subject) -> Iterator[Check]:
    rows: list[Check] = [*_own(subject), *_shared(subject)]
    made = f"{subject.spec.bucket} will be made" if not subject.existing.stands else f"{subject.spec.bucket} belongs to the stack"
    shared = "" if subject.spec.storage.made else f"; {subject.spec.storage.bucket} can be reached"
    yield from rows or [passed(CODE, TITLE, f"{made}{shared}.")]


def _own(subject: Subject) -> Iterator[Check]:
    found = subject.facts.wait("bucket")
    if subject.existing.stands or found["status"] == 404:
        return
    if found["status"] == 403:
        yield failed(
            "bucket_name_taken",
            TITLE,
            f"The bucket {found['name']} exists and can't be reached: another account has the name, or s3:ListBucket is denied.",
            "Choose another name for the cluster, or allow s3:ListBucket on it.",
            "name",
        )
    else:
        yield failed(
            "bucket_exists",
            TITLE,
            f"The bucket {found['name']} exists, left by an earlier cluster of this name: CloudFormation could not make it.",
            f"Delete it once nothing in it is needed (aws s3 rb s3://{found['name']} --force), or choose another name for the cluster.",
            "name",
        )


def _shared(subject: Subject) -> Iterator[Check]:
    if subject.spec.storage.made:
        return
    found = subject.facts.wait("shared_bucket")
    name, region = found["name"], subject.spec.region
    if found["status"] == 404:
        yield failed("bucket_not_found", TITLE, f"There is no bucket {name}.", "Check its name, or leave it away to have one made.", FIELD)
    elif found["status"] == 403:
        yield failed(
            "bucket_denied", TITLE, f"The bucket {name} can't be reached with these credentials.", f"Allow s3:ListBucket on {name}.", FIELD
        )
    elif found["status"] == 301 or found["region"] not in ("", region):
        where = found["region"] or "another region"
        yield warning(
            "bucket_in_another_region",
            TITLE,
            f"The bucket {name} is in {where}, the cluster in {region}: reading it is slow and billed.",
            f"Use a bucket in {region}.",
            FIELD,
        )
