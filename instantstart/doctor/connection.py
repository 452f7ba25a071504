"""AWS: which identity, account, region and endpoint, whether the clocks agree, what may be called, what answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from clusters.checks.simulation import denied
from clusters.permissions import PERMISSIONS
from instantstart import cloud
from instantstart.cloud import errors
from instantstart.cloud.aws import Aws
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity
from instantstart.cloud.problems import advice, iam_action, sentence
from instantstart.command_line import manage
from instantstart.doctor.finding import Finding, Health

SKEW_WARNING, SKEW_ERROR = 60.0, 300.0
"""Seconds; AWS refuses signatures that are more than five minutes off."""
EXAMPLE_CLUSTER = "doctor"
SHOWN = 12


@dataclass(frozen=True)
class Probe:
    """A cheap read of one service. An answer "there is none" is an answer."""

    service: str
    operation: str
    params: dict[str, Any]


PROBES: tuple[Probe, ...] = (
    Probe("sts", "get_caller_identity", {}),
    Probe("iam", "get_role", {"RoleName": "instantstart-doctor"}),
    Probe("ec2", "describe_availability_zones", {}),
    Probe("eks", "list_clusters", {"maxResults": 1}),
    Probe("sagemaker", "list_clusters", {"MaxResults": 1}),
    Probe("cloudformation", "describe_stacks", {"StackName": "instantstart-doctor"}),
    Probe("s3", "head_bucket", {"Bucket": "sagemaker-instantstart-doctor"}),
    Probe("service-quotas", "list_service_quotas", {"ServiceCode": "vpc", "MaxResults": 1}),
    Probe("logs", "describe_log_groups", {"limit": 1}),
    Probe("resourcegroupstaggingapi", "get_resources", {"ResourcesPerPage": 1}),
)


def examine(region: str) -> Iterator[Finding]:
    """Stops after what makes all the rest pointless: no credentials, no way to AWS."""
    aws = cloud.connect(region)
    yield _endpoint(aws)
    try:
        method = aws.credentials_method()
    except CloudError as error:
        yield Finding("credentials", "AWS credentials", Health.ERROR, sentence(error), advice(error))
        return
    if not method:
        nothing = CloudError("sts", "credentials", errors.NO_CREDENTIALS, "there are none", sent=False)
        yield Finding("credentials", "AWS credentials", Health.ERROR, "There are no AWS credentials.", advice(nothing))
        return
    yield _clock(aws)
    try:
        identity = aws.identity()
    except CloudError as error:
        yield Finding("identity", "AWS identity", Health.ERROR, sentence(error), advice(error), {"credentials": method})
        return
    yield _identity(identity, method)
    yield from services(aws)
    yield from permissions(aws, identity)


def _endpoint(aws: Aws) -> Finding:
    where = aws.endpoint or "AWS' own endpoints"
    return Finding(
        "endpoint", "AWS endpoint", Health.INFO, f"Region {aws.region}, {where}.", facts={"region": aws.region, "endpoint": aws.endpoint}
    )


def _clock(aws: Aws) -> Finding:
    title = "Clock"
    try:
        skew = aws.clock_skew()
    except CloudError as error:
        return Finding("clock", title, Health.WARNING, f"The clocks could not be compared. {sentence(error)}", advice(error))
    side = "ahead of" if skew > 0 else "behind"
    facts = {"skew_seconds": round(skew, 1)}
    if abs(skew) < SKEW_WARNING:
        return Finding("clock", title, Health.OK, f"This machine's clock agrees with AWS's to {max(1.0, abs(skew)):.0f} s.", facts=facts)
    health = Health.ERROR if abs(skew) >= SKEW_ERROR else Health.WARNING
    return Finding(
        "clock",
        title,
        health,
        f"This machine's clock is {abs(skew):.0f} s {side} AWS's.",
        "Set the clock: run a time service such as chrony.",
        facts,
    )


def _identity(identity: Identity, method: str) -> Finding:
    facts = {"account": identity.account, "arn": identity.arn, "principal": identity.role_arn, "credentials": method}
    detail = f"{identity.arn} in account {identity.account} (credentials: {method})."
    if identity.kind in ("root", "federated-user", "other"):
        fix = "Use the credentials of an IAM role or user."
        return Finding("identity", "AWS identity", Health.ERROR, f"{detail} EKS takes no access entry for it.", fix, facts)
    if identity.note:
        return Finding(
            "identity", "AWS identity", Health.WARNING, f"{detail} {identity.note}", f"Allow iam:GetRole on {identity.role_arn}.", facts
        )
    return Finding("identity", "AWS identity", Health.OK, detail, facts=facts)


def services(aws: Aws) -> list[Finding]:
    """One finding a service: whether it answers, how fast, and whether we may ask."""
    with ThreadPoolExecutor(max_workers=len(PROBES), thread_name_prefix="doctor") as pool:
        return list(pool.map(lambda probe: _service(aws, probe), PROBES))


def _service(aws: Aws, probe: Probe) -> Finding:
    code, title = f"service_{probe.service.replace('-', '_')}", f"AWS {probe.service}"
    error = _failure(lambda: aws.read(probe.service, probe.operation, **probe.params))
    if isinstance(error, float):
        return Finding(
            code, title, Health.OK, f"{probe.service} answers in {error * 1000:.0f} ms.", facts={"milliseconds": round(error * 1000)}
        )
    if error.denied:
        action = iam_action(probe.service, probe.operation)
        return Finding(code, title, Health.WARNING, f"{probe.service} answers, and denies {action}.", advice(error), {"denied": action})
    return Finding(code, title, Health.ERROR, sentence(error), advice(error), {"error": error.code})


def _failure(read: Callable[[], Any]) -> CloudError | float:
    """The error, or the seconds that the answer took; "there is none" is an answer."""
    began = time.monotonic()
    try:
        read()
    except CloudError as error:
        if not error.missing:
            return error
    return time.monotonic() - began


def permissions(aws: Aws, identity: Identity) -> Iterator[Finding]:
    """What the principal may not do of all that is needed."""
    title = "AWS permissions"
    try:
        missing = denied(aws, identity, EXAMPLE_CLUSTER)
    except CloudError as error:
        yield Finding(
            "permissions",
            title,
            Health.WARNING,
            f"The permissions could not be checked. {sentence(error)}",
            f"Allow iam:SimulatePrincipalPolicy, or compare them with what `{manage('iam-policy')}` prints.",
        )
        return
    if not missing:
        yield Finding("permissions", title, Health.OK, f"All {len({row.action for row in PERMISSIONS})} permissions are there.")
        return
    for row in missing[:SHOWN]:
        yield Finding(
            "permission_missing",
            title,
            Health.ERROR,
            f"{row.action} is missing, which is needed to {row.why} (phase {row.phase}).",
            f"Allow {row.action}: `{manage('iam-policy')}` prints the whole policy.",
            {"action": row.action, "phase": row.phase},
        )
    rest = sorted({row.action for row in missing[SHOWN:]})
    if rest:
        detail = f"{len(rest)} more are missing: {', '.join(rest)}."
        yield Finding(
            "permission_missing", title, Health.ERROR, detail, f"Attach the policy that `{manage('iam-policy')}` prints.", {"actions": rest}
        )
