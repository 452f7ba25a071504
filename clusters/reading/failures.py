"""What the failures of HyperPod and CloudFormation mean: one table of messages, with the sentence and the fix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from clusters.reading.hyperpod import EventReading
from operations.choices import Category
from operations.step import Fault


@dataclass(frozen=True)
class Cause:
    """code: stable. retried: whether HyperPod itself goes on trying, so that waiting can help."""

    code: str
    pattern: re.Pattern[str]
    sentence: str
    hint: str
    retried: bool = False


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


CAUSES: tuple[Cause, ...] = (
    Cause(
        "insufficient_capacity",
        _pattern(r"sufficient (\S+ )?capacity|insufficient ?(instance)? ?capacity|capacity (is )?not available|no capacity"),
        "AWS has no free instances of this type in the Availability Zone.",
        "Choose another Availability Zone or instance type, use Spot, or reserve capacity with a training plan. "
        "HyperPod goes on trying meanwhile.",
        retried=True,
    ),
    Cause(
        "quota_reached",
        _pattern(r"LimitExceeded|service limit|quota"),
        "A quota of the account is reached.",
        "Ask for a higher quota in Service Quotas, or remove what is not needed, then retry. For instances the quotas are "
        '"<instance type> for cluster usage" and the totals over all HyperPod clusters.',
    ),
    Cause(
        "lifecycle_failed",
        _pattern(
            r"lifecycle ?(config|configuration)? ?(script|scripts|execution)?.{0,40}(fail|exit|error|timed out)"
            r"|LcsExecution.*fail|on_create\.sh"
        ),
        "The lifecycle script failed on an instance.",
        "Read the log stream LifecycleConfig/<group>/<instance> in the cluster's log group; check the script and the execution "
        "role's access to the bucket, then retry.",
    ),
    Cause(
        "efa_check_failed",
        _pattern(r"EFA health check"),
        "The EFA health check failed.",
        "The security group must allow all traffic to and from itself, in both directions.",
    ),
    Cause(
        "subnet_out_of_addresses",
        _pattern(r"InsufficientFreeAddresses|(free|available|enough) (ip )?addresses|IpNotAvailable"),
        "The nodes' subnet has no free addresses left.",
        "Use fewer nodes, or a group of its own in a larger subnet: a subnet's CIDR can't grow.",
    ),
    Cause(
        "training_plan_unusable",
        _pattern(r"training ?plan"),
        "The training plan can't be used here and now.",
        "Its Availability Zone must be that of the nodes' subnet, its state Scheduled or Active, and its type and count must "
        "cover the group.",
    ),
    Cause(
        "deep_health_check_failed",
        _pattern(r"deep health check.{0,40}fail"),
        "An instance failed its deep health check; HyperPod replaces it.",
        "Wait for the replacement; see the stream DeepHealthCheckResults in the cluster's log group.",
        retried=True,
    ),
    Cause(
        "access_denied",
        _pattern(r"AccessDenied|not authorized to perform|UnauthorizedOperation"),
        "AWS refused the call for lack of permission.",
        "Give the role or user named in the message the permission it lacks, then retry.",
    ),
    Cause(
        "instance_launch_failed",
        _pattern(r"(launch|provision)\w* .{0,60}fail|fail\w* to (launch|provision|start)"),
        "An instance could not be launched; HyperPod tries another one.",
        "Wait for the next attempt; the cluster's events say more.",
        retried=True,
    ),
)
UNCLASSIFIED = Cause("unclassified", re.compile(""), "", "See the cluster's events and AWS's message.")


def cause_of(message: str) -> Cause:
    """The first row that knows the message, else UNCLASSIFIED."""
    return next((cause for cause in CAUSES if cause.pattern.search(message)), UNCLASSIFIED)


def fault(message: str, *, prefix: str = "", category: Category = Category.TERMINAL) -> Fault:
    """A fault with AWS's own message, explained where the table knows it."""
    cause = cause_of(message)
    sentence = " ".join(part for part in (prefix, cause.sentence, f"AWS says: {message}" if cause.sentence else message) if part)
    return Fault(code=cause.code, message=sentence, hint=cause.hint, category=category)


def errors_of(events: Iterable[EventReading]) -> list[EventReading]:
    """The events that tell of an error, newest first."""
    return [event for event in events if event.level == "Error"]
