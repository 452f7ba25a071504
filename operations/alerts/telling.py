"""The one way in which alerts are opened, changed and closed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from operations import clock, events
from operations.alerts import messages
from operations.models import Alert
from operations.models.alert import AlertKind, AlertSeverity

LONGEST = 2000
"""Characters of a sentence or fix that are kept."""


@dataclass(frozen=True)
class Trouble:
    """What is the matter, in a sentence, what to do, and the path of the page that shows it."""

    sentence: str
    fix: str = ""
    severity: AlertSeverity = AlertSeverity.WARNING
    link: str = ""


def tell(kind: AlertKind, subject: str, trouble: Trouble | None, *, cluster: str = "") -> None:
    """The subject is in trouble, or (None) not any more. Said again it changes nothing; runs inside the caller's transaction."""
    _settle(kind, {subject: trouble}, Alert.objects.filter(kind=kind, subject=subject, closed_at=None), cluster)


def tell_all(kind: AlertKind, cluster: str, troubles: Mapping[str, Trouble]) -> None:
    """These, and no others of the cluster, are in that kind of trouble. One query when there are none and were none."""
    _settle(kind, troubles, Alert.objects.filter(kind=kind, cluster=cluster, closed_at=None), cluster)


def forget_cluster(cluster: str) -> None:
    """The cluster is gone: nothing is the matter with it any more."""
    for alert in Alert.objects.filter(cluster=cluster, closed_at=None):
        close(alert)


def close(alert: Alert) -> bool:
    """Closes an open alert and tells of it. False: somebody did so before."""
    at = clock.now()
    if not Alert.objects.filter(pk=alert.pk, closed_at=None).update(closed_at=at, changed_at=at):
        return False
    alert.closed_at = alert.changed_at = at
    _announce(alert, messages.CLOSED)
    return True


def publish(alert: Alert) -> None:
    """Tells the pages."""
    payload = {"id": alert.pk, "kind": alert.kind, "subject": alert.subject, "cluster": alert.cluster, "open": alert.open}
    events.publish("alerts", "alert", payload)


def _settle(kind: AlertKind, troubles: Mapping[str, Trouble | None], rows: Iterable[Alert], cluster: str) -> None:
    known = {alert.subject: alert for alert in rows}
    for subject, trouble in troubles.items():
        alert = known.pop(subject, None)
        if trouble is None:
            if alert is not None:
                close(alert)
        elif alert is None:
            _open(kind, subject, trouble, cluster)
        else:
            _change(alert, trouble)
    for alert in known.values():
        close(alert)


def _open(kind: AlertKind, subject: str, trouble: Trouble, cluster: str) -> None:
    at = clock.now()
    try:
        with transaction.atomic():
            alert = Alert.objects.create(
                kind=kind,
                subject=subject[:255],
                cluster=cluster,
                severity=trouble.severity,
                sentence=trouble.sentence[:LONGEST],
                fix=trouble.fix[:LONGEST],
                link=trouble.link,
                opened_at=at,
                changed_at=at,
            )
    except IntegrityError:
        return  # somebody else opened it just now
    _announce(alert, messages.OPENED)


def _change(alert: Alert, trouble: Trouble) -> None:
    """The same trouble in other words: kept up to date, and told to nobody again."""
    fields = {
        "severity": trouble.severity,
        "sentence": trouble.sentence[:LONGEST],
        "fix": trouble.fix[:LONGEST],
        "link": trouble.link,
    }
    if all(getattr(alert, name) == value for name, value in fields.items()):
        return
    Alert.objects.filter(pk=alert.pk, closed_at=None).update(**fields, changed_at=clock.now())
    publish(alert)


def _announce(alert: Alert, event: str) -> None:
    messages.send_to_all(alert, event)
    publish(alert)
