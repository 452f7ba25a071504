from __future__ import annotations

import pytest

from clusters.tests.aws_accounts.second import SecondAccount
from clusters.tests.sandbox import Sandbox


@pytest.fixture
def second(sandbox: Sandbox) -> SecondAccount:
    return SecondAccount(sandbox)
