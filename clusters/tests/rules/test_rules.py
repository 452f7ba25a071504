"""Every rule of the table: it strikes where it should and only there, and says what to do."""

from __future__ import annotations

import botocore.session
import pytest

from clusters.rules import RULES, Facts, GroupFacts, Rule, evaluate
from clusters.rules.clusters import MOST_GROUPS, MOST_TAGS, NAME
from clusters.rules.groups import MOST_GB, MOST_LABELS, MOST_NODES, MOST_TYPES
from clusters.spec import Capacity
from clusters.tests.rules.examples import EXAMPLES, ON_DEMAND, job
from operations.choices import Severity

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@every_rule
def test_every_rule_strikes_where_it_should_and_only_there(rule: Rule) -> None:
    strikes, passes = EXAMPLES[rule.code]
    assert rule.code in [check.code for check in evaluate(strikes)]
    assert rule.code not in [check.code for check in evaluate(passes)]


@every_rule
def test_every_rule_says_what_is_wrong_what_to_do_where_and_how_that_is_known(rule: Rule) -> None:
    (found,) = [check for check in evaluate(EXAMPLES[rule.code][0]) if check.code == rule.code]
    assert found.severity is rule.severity and found.severity in (Severity.ERROR, Severity.WARNING)
    assert found.detail.endswith(".") and "{" not in found.detail and "None" not in found.detail.replace("is None", "")
    assert found.fix.endswith(".") and "{" not in found.fix
    assert found.field and rule.source


def test_no_two_rules_share_a_code_and_no_example_is_of_none() -> None:
    codes = [rule.code for rule in RULES]
    assert len(codes) == len(set(codes))
    assert set(EXAMPLES) == set(codes)


NAMED: dict[str, tuple[str, ...]] = {
    "elastic × Spot × tiered × checkpointless": ("elastic_on_spot", "elastic_with_tiered_checkpointing", "elastic_with_checkpointless"),
    "Karpenter × Continuous": ("autoscaling_needs_continuous",),
    "Spot × training plan": ("spot_with_training_plan",),
    "deep health checks × types": ("deep_checks_without_accelerator", "deep_checks_without_efa"),
    "several zones × EFA": ("efa_across_zones",),
    "restricted groups": (
        "restricted_group",
        "restricted_group_on_spot",
        "restricted_group_configured",
        "restricted_group_flexible",
        "autoscaled_group_restricted",
        "too_many_restricted_groups",
    ),
    "names and lengths": ("cluster_name", "group_name", "group_names_twice"),
    "counts": ("group_count", "too_many_groups", "too_many_types", "too_many_tags", "too_many_subnets", "node_class_too_large"),
    "tiered KV cache × tiered storage": ("tiered_cache_needs_tiered_storage",),
}


def test_every_combination_that_was_asked_for_is_in_the_table() -> None:
    assert {code for codes in NAMED.values() for code in codes} - {rule.code for rule in RULES} == set()


def test_what_is_not_known_breaks_no_rule() -> None:
    assert evaluate(Facts()) == ()
    assert evaluate(Facts(groups=(GroupFacts(instance_types=("ml.new.huge",)),))) == ()


def test_a_rule_about_groups_names_each_group_and_the_callers_field() -> None:
    broken = [GroupFacts(name=name, count=9999, path=f"groups.{index}") for index, name in enumerate(("a", "b"))]
    found = evaluate(Facts(groups=(*broken, GroupFacts(name="c"))))
    assert [(check.code, check.field, check.detail.split()[0]) for check in found] == [
        ("group_count", "groups.0.count", "a"),
        ("group_count", "groups.1.count", "b"),
    ]


def test_an_elastic_job_is_told_each_spot_group_that_it_may_run_on() -> None:
    spot = [GroupFacts(name=name, capacity=Capacity.SPOT) for name in ("spot-a", "spot-b")]
    found = evaluate(job(*spot, ON_DEMAND, name="tune", elastic=True))
    assert [check.detail.split(",")[0] for check in found] == [
        "tune is elastic and may run on spot-a",
        "tune is elastic and may run on spot-b",
    ]


def test_the_limits_are_those_of_sagemakers_model() -> None:
    model = botocore.session.get_session().get_service_model("sagemaker")

    def limits(shape: str) -> tuple[int, int]:
        found = model.shape_for(shape).metadata
        return found.get("min", 0), found["max"]

    assert limits("ClusterInstanceGroupSpecifications") == (1, MOST_GROUPS)
    assert limits("ClusterRestrictedInstanceGroupSpecifications") == (1, MOST_GROUPS)
    assert limits("TagList") == (0, MOST_TAGS)
    assert limits("ClusterInstanceCount") == (0, MOST_NODES)
    assert limits("ClusterEbsVolumeSizeInGB") == (1, MOST_GB)
    assert limits("ClusterInstanceTypes")[1] == MOST_TYPES
    assert limits("ClusterKubernetesLabels") == limits("ClusterKubernetesTaints") == (0, MOST_LABELS)
    assert limits("ClusterInstanceStorageConfigs") == (0, 4)
    assert limits("Subnets") == (1, 16) and limits("VpcSecurityGroupIds") == (1, 5)
    said = model.shape_for("ClusterName").metadata
    assert said == {"min": 1, "max": 63, "pattern": "[a-zA-Z0-9](-*[a-zA-Z0-9])*"}


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("a", True),
        ("A-1", True),
        ("a" * 63, True),
        ("a" * 64, False),
        ("", False),
        ("a-", False),
        ("a_b", False),
        ("a\n", False),
        ("a" + "-" * 61 + "b", True),
        ("a" + "-" * 62 + "b", False),
    ],
)
def test_names_are_judged_as_hyperpod_does(name: str, valid: bool) -> None:
    assert (NAME.match(name) is not None) == valid
