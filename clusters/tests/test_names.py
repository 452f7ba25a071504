"""Names and tags."""

from __future__ import annotations

import pytest

from clusters import names, tags

LONGEST = "a" * 40


def test_a_bucket_is_named_for_what_the_managed_instance_policy_allows() -> None:
    assert names.bucket("demo", "123456789012", "us-west-2") == "sagemaker-demo-123456789012-us-west-2"


def test_the_longest_bucket_name_still_fits_and_stays_unique() -> None:
    one = names.bucket(LONGEST, "123456789012", "ap-southeast-1")
    other = names.bucket("a" * 39 + "b", "123456789012", "ap-southeast-1")
    assert len(one) == 63
    assert len(other) == 63
    assert one.startswith("sagemaker-aaa")
    assert one != other


def test_the_longest_role_name_fits() -> None:
    assert len(names.execution_role(LONGEST)) == 63


def test_a_purpose_that_could_make_a_role_name_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 10 characters"):
        names.role("demo", "eleven-long")


def test_two_claims_on_one_bucket_have_two_volume_handles() -> None:
    handles = {names.volume_handle("b", "shared/", "one"), names.volume_handle("b", "shared/", "two"), names.volume_handle("b", "", "one")}
    assert len(handles) == 3


def test_a_persons_own_tag_never_wins_over_ours() -> None:
    made = tags.tags("demo", "0f", {"a": 1}, {tags.CLUSTER: "other", "team": "x"})
    assert made[tags.CLUSTER] == "demo"
    assert made["team"] == "x"
