"""Phases of a cluster and the states in which they are shown."""

from __future__ import annotations

from django.db import models


class PhaseName(models.TextChoices):
    """The phases of a creation, in order."""

    CONTROL_PLANE = "control_plane", "Control plane"
    SELECT = "select", "Select"
    DEPENDENCIES = "dependencies", "Dependencies"
    HYPERPOD = "hyperpod", "HyperPod"
    STORAGE = "storage", "Storage"

    @property
    def position(self) -> int:
        return list(PhaseName).index(self)


class State(models.TextChoices):
    """How a phase, and the cluster that is made of them, is shown."""

    PENDING = "pending", "Pending"
    RUNNING = "running", "Running"
    READY = "ready", "Ready"
    DEGRADED = "degraded", "Degraded"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"
    DELETING = "deleting", "Deleting"
    GONE = "gone", "Gone"
    UNKNOWN = "unknown", "Unknown"
    ABSENT = "absent", "Not there"
    """Of an imported cluster: it has no such part, and none is on its way."""


class Origin(models.TextChoices):
    """Where a cluster comes from."""

    CREATED = "created", "Created here"
    IMPORTED = "imported", "Imported"
    """It was made elsewhere: what exists of it is read, and nothing of it is deleted from here."""


class SearchState(models.TextChoices):
    """How far the search for clusters is in a region."""

    WAITING = "waiting", "Waiting"
    READING = "reading", "Being read"
    DONE = "done", "Done"
    UNREADABLE = "unreadable", "Not readable"


class Seen(models.TextChoices):
    """What a phase's probe read in AWS and Kubernetes; no memory, no wishes."""

    ABSENT = "absent", "Absent"
    """AWS answered that it is not there."""
    CHANGING = "changing", "Changing"
    READY = "ready", "Ready"
    DEGRADED = "degraded", "Degraded"
    FAILED = "failed", "Failed"
    DELETING = "deleting", "Deleting"


class DependencyKind(models.TextChoices):
    ADDON = "addon", "EKS add-on"
    HELM = "helm", "Helm release"


class DependencyState(models.TextChoices):
    ABSENT = "absent", "Absent"
    INSTALLING = "installing", "Installing"
    WAITS_FOR_NODES = "waits_for_nodes", "Installed, waits for nodes"
    STARTING = "starting", "Installed, pods start"
    ACTIVE = "active", "Active"
    DEGRADED = "degraded", "Degraded"
    FAILED = "failed", "Failed"
    REMOVING = "removing", "Removing"
    UNKNOWN = "unknown", "Unknown"


INSTALLED_STATES = frozenset({DependencyState.WAITS_FOR_NODES, DependencyState.STARTING, DependencyState.ACTIVE})
"""Good enough for the phase `dependencies`; the phase `hyperpod` wants ACTIVE."""


class EventLevel(models.TextChoices):
    INFO = "Info", "Info"
    WARN = "Warn", "Warning"
    ERROR = "Error", "Error"


class FeatureState(models.TextChoices):
    """A managed feature, as read from AWS and Kubernetes; nothing is remembered as "enabled"."""

    ABSENT = "absent", "Absent"
    INSTALLING = "installing", "Installing"
    ACTIVE = "active", "Active"
    DEGRADED = "degraded", "Degraded"
    REMOVING = "removing", "Removing"
    UNKNOWN = "unknown", "Unknown"


class PartState(models.TextChoices):
    """One of the things that a feature consists of."""

    ABSENT = "absent", "Absent"
    MOVING = "moving", "Being made or changed"
    READY = "ready", "Ready"
    BROKEN = "broken", "Broken"
    REMOVING = "removing", "Being removed"


class DriftState(models.TextChoices):
    """What became of a field that another hand changed. Resolved: it is as we left it again."""

    OPEN = "open", "Open"
    ACCEPTED = "accepted", "Accepted"
    IGNORED = "ignored", "Ignored"
    RESOLVED = "resolved", "Resolved"


class OrphanKind(models.TextChoices):
    """Unclaimed: it is there and nobody's. Missing: a row of ours speaks of it and AWS does not list it."""

    UNCLAIMED = "unclaimed", "Belongs to nothing"
    MISSING = "missing", "Is not there"
