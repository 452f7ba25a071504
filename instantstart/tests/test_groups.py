"""Tests of one group run on one worker, whatever the versions of pytest and pytest-xdist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DEALT = """
import pytest

@pytest.mark.xdist_group("{group}")
@pytest.mark.parametrize("number", range(6))
def test_of_a_group(number):
    pass
"""


def test_tests_of_one_group_run_on_one_worker(tmp_path: Path) -> None:
    for file, group in (("test_a.py", "first"), ("test_b.py", "second"), ("test_c.py", "first")):
        (tmp_path / file).write_text(DEALT.format(group=group))
    plugins = ["-p", "xdist", "-p", "instantstart.tests.groups", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-n", "2", "--dist", "loadgroup", *plugins, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DJANGO_"))},
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
    )
    told = re.findall(r"\[(gw\d)\].* PASSED (test_\w\.py)", done.stdout)
    assert len(told) == 18, done.stdout + done.stderr
    of_first = {worker for worker, file in told if file in ("test_a.py", "test_c.py")}
    of_second = {worker for worker, file in told if file == "test_b.py"}
    assert len(of_first) == len(of_second) == 1
    assert of_first != of_second
