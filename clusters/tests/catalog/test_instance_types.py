"""The table of instance types against SageMaker's own model."""

from __future__ import annotations

import botocore.session
import pytest

from clusters.catalog.instance_types import INSTANCE_TYPES, NOT_DESCRIBED, find, known
from clusters.rules.groups import PLAN_FAMILIES


def named_by_sagemaker(shape: str) -> set[str]:
    model = botocore.session.get_session().get_service_model("sagemaker")
    return set(model.shape_for(shape).enum)


def test_the_table_has_every_type_that_hyperpod_takes_and_no_other() -> None:
    assert set(INSTANCE_TYPES) | NOT_DESCRIBED == named_by_sagemaker("ClusterInstanceType")
    assert set(INSTANCE_TYPES) & NOT_DESCRIBED == set()


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
def test_facts_are_consistent(name: str) -> None:
    found = INSTANCE_TYPES[name]
    assert found.name == name and name.startswith("ml.")
    assert 1 <= found.vcpus <= 192 and 2 <= found.memory_gib <= 4096
    assert bool(found.accelerator) == bool(found.accelerators) == bool(found.accelerator_gb)
    assert 0 <= found.efa <= 32 and 50 <= found.addresses <= 81
    assert found.threads_per_core in (1, 2) and not (found.arm and found.name.startswith("ml.c") and found.threads_per_core == 2)
    assert found.price_per_hour is None or found.price_per_hour > 0


@pytest.mark.parametrize(
    ("name", "vcpus", "memory", "accelerators", "efa", "addresses", "threads", "price"),
    [
        ("ml.p4d.24xlarge", 96, 1152, 8, 4, 53, 2, 25.91),
        ("ml.p5.48xlarge", 192, 2048, 8, 32, 81, 2, 66.05),
        ("ml.p5en.48xlarge", 192, 2048, 8, 16, 65, 2, 75.96),
        ("ml.g6e.48xlarge", 192, 1536, 8, 4, 53, 1, 37.66),
        ("ml.g5.8xlarge", 32, 128, 1, 1, 50, 1, None),
        ("ml.m5.4xlarge", 16, 64, 0, 0, 50, 1, None),
        ("ml.c5n.18xlarge", 72, 189, 0, 0, 50, 1, None),
        ("ml.c7g.medium", 1, 2, 0, 0, 50, 1, None),
        ("ml.t3.medium", 2, 4, 0, 0, 50, 1, None),
    ],
)
def test_facts_of_the_reference(
    name: str, vcpus: int, memory: float, accelerators: int, efa: int, addresses: int, threads: int, price: float | None
) -> None:
    found = INSTANCE_TYPES[name]
    assert (found.vcpus, found.memory_gib, found.accelerators, found.efa) == (vcpus, memory, accelerators, efa)
    assert (found.addresses, found.threads_per_core, found.price_per_hour) == (addresses, threads, price)


def test_types_without_facts_are_known_and_others_are_not() -> None:
    assert known("ml.g7.2xlarge") and find("ml.g7.2xlarge") is None
    assert not known("ml.p9.48xlarge") and not known("g5.8xlarge")


def test_training_plans_are_sold_for_what_sagemaker_reserves() -> None:
    families = {name.split(".")[1] for name in named_by_sagemaker("ReservedCapacityInstanceType")}
    assert families >= PLAN_FAMILIES
