"""Which double plays which image."""

from __future__ import annotations

import fnmatch
from functools import lru_cache

from sandbox.kube.doubles.double import Double
from sandbox.kube.doubles.generic import Generic

_patterns: dict[str, Double] = {}
_generic = Generic()


def register(double: type[Double]) -> type[Double]:
    """Class decorator: from now on the class plays its images."""
    instance = double()
    for pattern in double.images:
        if pattern in _patterns:
            raise RuntimeError(f"two doubles for images {pattern}: {type(_patterns[pattern]).__name__} and {double.__name__}")
        _patterns[pattern] = instance
    find.cache_clear()
    return double


@lru_cache(maxsize=1024)
def find(image: str) -> Double:
    """The double of an image: of the longest pattern that matches, else the generic one."""
    matching = [pattern for pattern in _patterns if fnmatch.fnmatchcase(image, pattern)]
    return _patterns[max(matching, key=len)] if matching else _generic
