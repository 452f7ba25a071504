"""What a command sees of the container that it runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.kube.doubles.double import Play


@dataclass
class Surroundings:
    hostname: str
    environment: dict[str, str]
    capacity: Mapping[str, str] = field(default_factory=dict)
    # seconds that have passed already, of a program that was under way before a restart: it sleeps so much less
    catch_up: float = 0.0

    @classmethod
    def of(cls, play: Play) -> Surroundings:
        return cls(play.pod["metadata"]["name"], play.environment, play.capacity)
