"""The table of known errors."""

from __future__ import annotations

from clusters.diagnosis.entries import accelerators, access, addons, capacity, control_plane, instances, nodes, objects, pods
from clusters.diagnosis.entry import KnownError

TABLE: tuple[KnownError, ...] = (
    *capacity.ROWS,
    *instances.ROWS,
    *accelerators.ROWS,
    *nodes.ROWS,
    *pods.ROWS,
    *access.ROWS,
    *addons.ROWS,
    *objects.ROWS,
    *control_plane.ROWS,
)
BY_CODE = {row.code: row for row in TABLE}
