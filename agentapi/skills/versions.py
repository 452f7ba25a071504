"""A changed text has a higher version: `skills/versions.json` holds, for each skill, the version and the digest that were committed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from agentapi.skills.skill import FOLDER, Skill

FILE = FOLDER / "versions.json"


def committed(file: Path = FILE) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return found


def findings(skills: Iterable[Skill], known: dict[str, dict[str, Any]]) -> list[str]:
    """What is wrong with the skills' versions, a sentence each."""
    found = []
    for skill in skills:
        before = known.get(skill.name)
        if before is None:
            found.append(f"{skill.name} is not in skills/versions.json: run `make snapshots`.")
        elif before["digest"] != skill.digest and skill.front.version <= before["version"]:
            found.append(f"{skill.name} has changed since version {before['version']}: raise its version, then run `make snapshots`.")
        elif before != entry(skill):
            found.append(f"{skill.name} is version {skill.front.version}, which skills/versions.json does not know: run `make snapshots`.")
    present = {skill.name for skill in skills}
    found += [f"skills/versions.json names {name}, which there is not: run `make snapshots`." for name in sorted(set(known) - present)]
    return found


def entry(skill: Skill) -> dict[str, Any]:
    return {"version": skill.front.version, "digest": skill.digest}


def write(skills: Iterable[Skill], file: Path = FILE) -> None:
    """Takes the present texts as committed. Raises ValueError for a text that changed under its old version."""
    skills = list(skills)
    known = committed(file)
    stale = [skill.name for skill in skills if _changed_silently(skill, known.get(skill.name))]
    if stale:
        raise ValueError(f"Raise the version of {', '.join(stale)} first: the text has changed.")
    content = {skill.name: entry(skill) for skill in skills}
    file.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def _changed_silently(skill: Skill, before: dict[str, Any] | None) -> bool:
    return before is not None and before["digest"] != skill.digest and skill.front.version <= before["version"]
