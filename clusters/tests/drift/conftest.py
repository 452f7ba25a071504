"""The standing cluster of the groups' tests, and another hand on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from clusters.drift.look import look
from clusters.models import Drift
from clusters.observers import ClusterObserver
from clusters.tests.groups.conftest import standing, standing_once
from clusters.tests.groups.standing import Standing
from instantstart import cloud
from instantstart.cloud.aws import Aws

__all__ = ["standing", "standing_once"]
SECONDS_UNTIL_TOLD = 300.0
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"


class AnotherHand:
    """Somebody with the AWS command line: the IAM user `ana`."""

    def __init__(self, standing: Standing, monkeypatch: pytest.MonkeyPatch) -> None:
        self.standing = standing
        self.monkeypatch = monkeypatch
        aws = standing.aws
        if not any(user["UserName"] == "ana" for user in aws.pages("iam", "list_users", "Users")):
            aws.write("iam", "create_user", UserName="ana")
            aws.write("iam", "attach_user_policy", UserName="ana", PolicyArn=ADMINISTRATOR)
        self.key = aws.write("iam", "create_access_key", UserName="ana").data["AccessKey"]

    @contextmanager
    def hands(self) -> Iterator[Aws]:
        with self.monkeypatch.context() as patched:
            patched.setenv("AWS_ACCESS_KEY_ID", self.key["AccessKeyId"])
            patched.setenv("AWS_SECRET_ACCESS_KEY", self.key["SecretAccessKey"])
            cloud.forget()
            yield cloud.connect("us-west-2")
        cloud.forget()

    def does(self, service: str, operation: str, **params: Any) -> None:
        """One call of hers, and what follows from it; ours are counted from then on."""
        with self.hands() as aws:
            aws.write(service, operation, **params)
        self.standing.sandbox.forward("settled")
        self.standing.mark()

    def leaves(self) -> None:
        self.standing.aws.write("iam", "delete_access_key", UserName="ana", AccessKeyId=self.key["AccessKeyId"])


@pytest.fixture
def ana(standing: Standing, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnotherHand]:
    hand = AnotherHand(standing, monkeypatch)
    yield hand
    hand.leaves()


@pytest.fixture
def looked(standing: Standing) -> Callable[[], list[Drift]]:
    """Reads the cluster as its observer does, waits until CloudTrail tells, looks for drift; what is open or ignored."""

    def run() -> list[Drift]:
        ClusterObserver().observe("demo")
        standing.sandbox.forward(SECONDS_UNTIL_TOLD)
        look("demo")
        return list(Drift.objects.filter(state__in=("open", "ignored")).order_by("resource", "field"))

    return run
