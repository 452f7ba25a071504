"""Short-lived memory: one load for all who ask at once, an error is not kept."""

from __future__ import annotations

import threading
import time

import pytest

from clusters.catalog.kept import forget, kept


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    forget()


def test_a_value_is_loaded_once_and_tells_its_age(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    now = [1000.0]
    monkeypatch.setattr("clusters.catalog.kept.time.time", lambda: now[0])
    for _ in range(3):
        value = kept(("a",), 60, lambda: loads.append(1) or len(loads))
    now[0] += 59
    assert (value.value, value.age, len(loads)) == (1, 59.0, 1)
    now[0] += 2
    assert kept(("a",), 60, lambda: loads.append(1) or len(loads)).value == 2


def test_an_error_is_not_kept() -> None:
    def fail() -> int:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept(("a",), 60, fail)
    assert kept(("a",), 60, lambda: 7).value == 7


def test_threads_that_ask_at_once_share_one_load() -> None:
    loads: list[int] = []
    begin = threading.Barrier(8)

    def load() -> int:
        loads.append(1)
        time.sleep(0.05)
        return 1

    def ask() -> None:
        begin.wait()
        kept(("shared",), 60, load)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1
