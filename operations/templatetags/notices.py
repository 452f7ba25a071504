"""Template tags about notifications."""

from __future__ import annotations

from django import template

from accounts.principals import principal_of
from accounts.reach import within
from operations.models import Alert
from operations.web.notices import unread as unread_of

register = template.Library()


@register.simple_tag(takes_context=True)
def unread(context: template.Context) -> int:
    """How many notifications wait for the person who looks at the page. One query."""
    return unread_of(principal_of(context["request"])).count()


@register.simple_tag(takes_context=True)
def open_alerts(context: template.Context) -> int:
    """How many open alerts of the person's reach nobody has acknowledged. One query."""
    return within(Alert.objects.filter(closed_at=None, acknowledged_at=None), principal_of(context["request"])).count()
