"""Alerts: what is the matter, as rows; told to whoever looks, and to webhooks.

Raised and closed by `tell` (one subject) and `tell_all` (all subjects of a kind in a cluster), inside the caller's transaction:

    tell(AlertKind.DRIFT, f"cluster:{name}", Trouble("…", fix="…") or None, cluster=name)
"""

from operations.alerts.telling import Trouble, forget_cluster, tell, tell_all
from operations.models.alert import AlertKind, AlertSeverity

__all__ = ["AlertKind", "AlertSeverity", "Trouble", "forget_cluster", "tell", "tell_all"]
