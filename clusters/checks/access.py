"""Who reaches the Kubernetes API from outside the VPC: always shown."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Network

from clusters.checks.registry import Subject, check, failed, info, passed, warning
from operations.plan import Check

CODE, TITLE, FIELD = "access", "Access to the Kubernetes API", "network.public_access_cidrs"
_PRIVATE = tuple(IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))


@check(CODE, TITLE)
def access_from_outside_is_shown(subject: Subject) -> Iterator[Check]:
    cidrs = subject.spec.network.public_access_cidrs
    refused = [cidr for cidr in cidrs if IPv4Network(cidr).prefixlen and any(IPv4Network(cidr).subnet_of(block) for block in _PRIVATE)]
    if refused:
        yield failed(
            "access_cidr_private",
            TITLE,
            f"EKS takes no private range for its public endpoint: {', '.join(refused)}.",
            "Leave it away: within the VPC, and what is connected to it, the private endpoint answers.",
            FIELD,
        )
    if "0.0.0.0/0" in cidrs:
        yield warning(
            "access_from_everywhere",
            TITLE,
            "The Kubernetes API would answer the whole internet; who signs in still needs AWS credentials.",
            "Name the networks that need it.",
            FIELD,
        )
    elif cidrs and not refused:
        yield passed(CODE, TITLE, f"From outside the VPC, {', '.join(cidrs)} may reach the Kubernetes API.")
    elif not cidrs and subject.facts.aws.endpoint:
        yield info(
            "access_private", TITLE, "The Kubernetes API is reached within its VPC alone.", "Name networks to open it to them.", FIELD
        )
    elif not cidrs:
        yield warning(
            "access_private",
            TITLE,
            "The Kubernetes API would be reached within its VPC alone, and the address of this control plane could not be told.",
            "Name this control plane's network, unless it runs in that VPC or is connected to it.",
            FIELD,
        )
