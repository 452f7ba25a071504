"""The table of failures."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from clusters.reading.failures import CAUSES, UNCLASSIFIED, cause_of, fault
from clusters.reading.hyperpod import EventReading
from clusters.steps.hyperpod import hopeless

SAMPLES: dict[str, str] = {
    "insufficient_capacity": "Failed to launch an instance: We currently do not have sufficient ml.g5.8xlarge capacity in the zone.",
    "quota_reached": "The account-level service limit 'ml.p5.48xlarge for cluster usage' is 0 Instances.",
    "lifecycle_failed": "Lifecycle script failed with exit code 1 on instance i-0123456789abcdef0.",
    "efa_check_failed": "EFA health checks did not run successfully.",
    "subnet_out_of_addresses": "The subnet has insufficient free addresses: InsufficientFreeAddressesInSubnet",
    "training_plan_unusable": "The training plan is not in the Availability Zone of the subnet.",
    "deep_health_check_failed": "Deep health check InstanceStress failed on the instance.",
    "access_denied": "User: arn:aws:iam::123456789012:user/x is not authorized to perform: ec2:CreateVpc",
    "instance_launch_failed": "The instance launch has failed.",
}


def test_every_cause_has_a_sample_that_only_it_knows_first() -> None:
    assert {cause.code for cause in CAUSES} == set(SAMPLES)
    assert {code: cause_of(message).code for code, message in SAMPLES.items()} == {code: code for code in SAMPLES}


def test_a_message_that_nobody_knows_is_shown_as_it_is() -> None:
    assert cause_of("Something odd") is UNCLASSIFIED
    assert fault("Something odd").message == "Something odd"


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.code)
def test_every_cause_says_what_to_do(cause: object) -> None:
    assert cause.sentence.endswith(".")  # type: ignore[attr-defined]
    assert cause.hint.endswith(".")  # type: ignore[attr-defined]


def _event(message: str, number: int) -> EventReading:
    return EventReading(str(number), datetime(2026, 12, 1, 12, number, tzinfo=UTC), "Error", "Instance", "workers", "i-1", message)


def test_a_capacity_shortage_is_waited_for_an_hour_and_a_lifecycle_failure_not_at_all() -> None:
    shortage, script = SAMPLES["insufficient_capacity"], SAMPLES["lifecycle_failed"]
    assert hopeless([_event(shortage, 59), _event(shortage, 0)]) is None
    late = replace(_event(shortage, 0), at=_event(shortage, 0).at + timedelta(hours=1))
    assert hopeless([late, _event(shortage, 0)]).code == "insufficient_capacity"  # type: ignore[union-attr]
    assert hopeless([_event(script, 1)]).code == "lifecycle_failed"  # type: ignore[union-attr]
