"""The processes that run on a state folder, as the kernel lists them."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path


def of_folder(folder: Path) -> dict[int, str]:
    """Processes whose command line or environment names the folder, this one apart: pid → command line."""
    needle, found = os.fsencode(folder), {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            line, environment = (entry / "cmdline").read_bytes(), (entry / "environ").read_bytes()
        except OSError:
            continue
        if line and (needle in line or needle in environment):
            found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace").strip()
    return found


def descendants(pid: int) -> list[int]:
    """Children, their children and so on; parents before their children."""
    children: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children[parent].append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        todo += children[todo[0]]
        found.append(todo.pop(0))
    return found[1:]
