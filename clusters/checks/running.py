"""One run of all checks: read, resolve, judge."""

from __future__ import annotations

from dataclasses import dataclass

from clusters.checks import existing as existing_check
from clusters.checks import simulation
from clusters.checks.facts import Facts
from clusters.checks.registry import Existing, Subject, all_checks, carry_out
from clusters.checks.resolve import resolve
from clusters.resolved import ResolvedSpec
from clusters.spec import ClusterInput
from instantstart import cloud
from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import problem
from operations.plan import Check


@dataclass(frozen=True)
class CheckedSpec:
    """checks: every row, those that passed included, in a fixed order. spec: with all defaults decided."""

    checks: list[Check]
    spec: ResolvedSpec
    existing: Existing


def run(spec: ClusterInput, region: str, account: str = "") -> CheckedSpec:
    """Reads AWS, some 40 calls at most 12 at a time; changes nothing. region: used when the input names none. account: the digits of
    the one that the input names, "" for that of the installation's own credentials.

    Problem 502 or 503 when not even the defaults can be decided: no credentials, AWS out of reach, or identity, zones,
    versions, VPCs or what exists under the name can't be read.
    """
    aws = cloud.connect(spec.region or region, account)
    with Facts(aws, spec) as facts:
        facts.begin("permissions", lambda: simulation.denied(aws, facts.identity, spec.name))
        try:
            existing = existing_check.read(facts)
            resolved = resolve(facts, existing)
        except CloudError as error:
            raise problem(error) from error
        subject = Subject(spec, resolved, facts, existing)
        rows = [row for registered in all_checks() for row in carry_out(registered, subject)]
    return CheckedSpec(rows, resolved, existing)
