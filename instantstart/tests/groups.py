"""Keeps tests of one `xdist_group` on one worker.

pytest-xdist 3.8 writes the group behind the test's name, where pytest 9.2 does not look any more: the tests of a group, who share what is
dear, were dealt out to all workers without a word (pytest-dev/pytest-xdist#1386). Once xdist does it again this changes nothing.
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not getattr(config.option, "loadgroup", False):  # xdist sets it in its workers
        return
    for item in items:
        names = {str(mark.args[0]) for mark in item.iter_markers("xdist_group")}
        ending = f"@{'_'.join(sorted(names))}"
        if names and not item.nodeid.endswith(ending):
            _rename(item, item.nodeid + ending)


def _rename(item: pytest.Item, nodeid: str) -> None:
    from _pytest.nodeid import NodeId

    item._id = NodeId.parse(nodeid)
