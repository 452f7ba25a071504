"""What a cluster costs: known parts are added up, an unknown one makes the sum unknown."""

from __future__ import annotations

import pytest

from clusters.catalog.cost import cost, instances, lines
from clusters.resolved import Group
from clusters.spec import Capacity
from clusters.tests.specs import existing_network, resolved

pytestmark = pytest.mark.django_db


def with_group(kind: str, count: int, capacity: Capacity = Capacity.ON_DEMAND) -> Group:
    return resolved().group.model_copy(update={"instance_type": kind, "count": count, "capacity": capacity})


def test_known_prices_are_added_up() -> None:
    assert cost(resolved(group=with_group("ml.p5.48xlarge", 2))) == round(0.10 + 0.045 + 0.005 + 2 * 66.05, 4)


def test_an_unknown_price_makes_the_sum_unknown_and_not_zero() -> None:
    assert cost(resolved(group=with_group("ml.g5.8xlarge", 1))) is None
    assert cost(resolved(group=with_group("ml.g7.2xlarge", 1))) is None


def test_no_nodes_cost_nothing_even_of_an_unknown_type() -> None:
    assert cost(resolved(group=with_group("ml.g5.8xlarge", 0))) == 0.15


def test_an_existing_network_has_no_gateway_of_ours() -> None:
    assert cost(resolved(network=existing_network(), group=with_group("ml.m5.large", 0))) == 0.10


def test_extended_support_is_dearer() -> None:
    assert cost(resolved(group=with_group("ml.m5.large", 0)), extended_support=True) == 0.65


def test_spot_is_unknown_and_a_training_plan_is_paid() -> None:
    assert instances("ml.p5.48xlarge", 2, Capacity.SPOT).per_hour is None
    assert instances("ml.p5.48xlarge", 2, Capacity.TRAINING_PLAN).per_hour == 0.0


def test_every_line_says_what_it_is() -> None:
    assert [line.what for line in lines(resolved())] == ["EKS control plane", "NAT gateway", "public IPv4 address", "1 × ml.g5.8xlarge"]
