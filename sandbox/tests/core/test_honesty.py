from __future__ import annotations

import pytest

from sandbox import honesty
from sandbox.aws import registry, services


def test_the_honesty_page_lists_exactly_the_operations_and_durations_that_there_are() -> None:
    page = honesty.PAGE.read_text()
    assert honesty.rewritten(page) == page, "run `python -m sandbox.honesty`"


def test_a_service_without_a_section_is_told() -> None:
    services.load()
    with pytest.raises(LookupError, match=r"docs/sandbox\.md says nothing of cloudformation"):
        honesty.rewritten("# empty\n")


def test_every_operation_of_the_page_is_registered_under_its_service() -> None:
    services.load()
    page = honesty.PAGE.read_text()
    for service, operation in registry.registered():
        section = page.partition(f"<!-- operations: {service} -->")[2].partition("\n###")[0]
        assert operation in section
