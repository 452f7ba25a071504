"""Template tags of all pages: icons, states as icon and word, ages and durations, navigation."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any

from django import template
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from instantstart import command_line
from instantstart.web import statuses
from operations import action as actions
from operations.choices import Channel

register = template.Library()

_LOOKS: dict[str, tuple[str, str]] = {
    # state: (icon, colour); the word beside it says the same, so that colour alone says nothing
    "ready": ("circle-check", "green"),
    "succeeded": ("circle-check", "green"),
    "active": ("circle-check", "green"),
    "inservice": ("circle-check", "green"),
    "creating": ("loader", "blue"),
    "updating": ("loader", "blue"),
    "pass": ("circle-check", "green"),
    "running": ("loader", "blue"),
    "recorded": ("clock", "blue"),
    "cancelling": ("hourglass", "orange"),
    "deleting": ("hourglass", "orange"),
    "pending": ("circle-dashed", "secondary"),
    "info": ("info-circle", "blue"),
    "warning": ("alert-triangle", "yellow"),
    "degraded": ("alert-triangle", "orange"),
    "failed": ("circle-x", "red"),
    "error": ("circle-x", "red"),
    "refused": ("ban", "red"),
    "cancelled": ("ban", "secondary"),
    "expired": ("clock", "secondary"),
    "gone": ("trash", "secondary"),
    "absent": ("circle-dashed", "secondary"),
    "awaiting_approval": ("user", "purple"),
    "unknown": ("help-circle", "purple"),
    "waiting": ("clock", "blue"),
    "reading": ("loader", "blue"),
    "done": ("circle-check", "green"),
    "unreadable": ("help-circle", "purple"),
    "open": ("alert-triangle", "orange"),
    "accepted": ("circle-check", "green"),
    "resolved": ("circle-check", "green"),
    "ignored": ("ban", "secondary"),
}


@register.simple_tag
def icon(name: str) -> SafeString:
    """An icon of the sprite; decorative, so hidden from screen readers."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static("vendor/icons.svg"), name)


@register.simple_tag
def manage(command: str) -> str:
    """A command of manage.py as it is typed in the project's folder."""
    return command_line.manage(command)


@register.simple_tag
def state(value: Any, word: str = "") -> SafeString:
    """A state as icon and word."""
    key = str(value)
    drawing, colour = _LOOKS.get(key.lower(), ("info-circle", "secondary"))
    text = word or key.replace("_", " ").capitalize()
    return format_html('<span class="state state-{}" data-state="{}">{}<span>{}</span></span>', colour, key, icon(drawing), text)


@register.simple_tag
def status(value: str) -> SafeString | str:
    """A status of AWS or Kubernetes as icon and words, in its own spelling as title."""
    if not value:
        return "–"
    look = statuses.look(value)
    drawing, colour = _LOOKS.get(look, ("info-circle", "secondary"))
    return format_html(
        '<span class="state state-{}" title="{}">{}<span>{}</span></span>', colour, value, icon(drawing), statuses.words(value)
    )


_ACTIONS = {"create": ("plus", "Create"), "delete": ("trash", "Delete"), "update": ("refresh", "Update"), "none": ("check", "Is there")}


@register.simple_tag
def change_action(action: str) -> SafeString:
    """What happens to a resource, as icon and word."""
    drawing, word = _ACTIONS[action]
    return format_html("{} {}", icon(drawing), word)


_CODE = re.compile(r"`([^`]+)`")


@register.filter
def said(text: str) -> SafeString:
    """A sentence whose `commands` are set as code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", escape(text)))  # noqa: S308 (escaped before)


_DEEDS = {
    # what the audit trail tells besides actions: code → imperative phrase
    "session.sign_in": "Sign in",
    "session.sign_out": "Sign out",
    "token.create": "Make a token",
    "token.revoke": "Revoke a token",
    "token.set_limits": "Limit what a token may do within an hour",
    "user.create": "Make a user",
    "user.set_role": "Set somebody's role",
    "user.set_accounts": "Limit somebody to AWS accounts",
    "user.set_email": "Set somebody's address",
    "user.set_password": "Set somebody's password",
    "user.change_password": "Change one's password",
    "user.activate": "Let somebody in",
    "user.deactivate": "Shut somebody out",
    "alert.acknowledge": "Acknowledge an alert",
    "webhook.add": "Add a webhook",
    "webhook.change": "Change a webhook",
    "webhook.remove": "Remove a webhook",
    "webhook.test": "Test a webhook",
    "agents.stop": "Stop all agents",
    "agents.start": "Start agents again",
    "agents.set_approval_cost": "Set what agents may add to the cost by themselves",
    "operation.approve": "Approve an operation",
    "operation.refuse": "Refuse an operation",
    "operation.cancel": "Cancel an operation",
    "operation.resolve": "Say how an operation ended",
}


@register.filter
def deed(action: str) -> str:
    """What an entry of the audit trail is about, in words; "" for a route that was refused before it became an action."""
    return actions.find(action).title if action in actions.kinds() else _DEEDS.get(action, "")


@register.filter
def door(channel: str) -> str:
    """The door that something came through; the command line has none."""
    return str(Channel(channel).label) if channel in Channel.values else "–"


@register.filter
def duration(seconds: float | timedelta | None) -> str:
    """Seconds as a person says them: 45 s, 3 min 20 s, 2 h 5 min, 3 d 4 h."""
    if seconds is None:
        return "unknown"
    if isinstance(seconds, timedelta):
        seconds = seconds.total_seconds()
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 else "")
    if whole < 86400:
        return f"{whole // 3600} h" + (f" {whole % 3600 // 60} min" if whole % 3600 // 60 else "")
    return f"{whole // 86400} d" + (f" {whole % 86400 // 3600} h" if whole % 86400 // 3600 else "")


@register.filter
def interval(seconds: float) -> str:
    """A period between looks: with tenths while it is short."""
    return f"{f'{seconds:.1f}'.removesuffix('.0')} s" if seconds < 10 else duration(seconds)


@register.simple_tag
def age(moment: datetime | None) -> SafeString | str:
    """How long ago, with the exact time as title."""
    if moment is None:
        return "never"
    return format_html(
        '<time data-age datetime="{0}" title="{0}">{1} ago</time>', moment.isoformat(timespec="seconds"), duration(timezone.now() - moment)
    )


@register.filter
def money(dollars: float | None) -> str:
    """US dollars an hour; unknown is said, never shown as 0."""
    return "unknown" if dollars is None else f"${dollars:,.2f}/h"


def _entry(context: template.Context, name: str) -> tuple[str, bool]:
    """Where an entry leads, and whether that is the page that is shown; the address is empty where there is no such route."""
    try:
        url = reverse(name)
    except NoReverseMatch:
        return "", False
    request = context.get("request")
    return url, request is not None and (request.path == url or (url != "/" and request.path.startswith(url)))


@register.simple_tag(takes_context=True)
def nav(context: template.Context, name: str, text: str, drawing: str) -> SafeString:
    """One entry of the main menu, marked when it is the current one."""
    url, here = _entry(context, name)
    if not url:
        return SafeString("")
    current = SafeString(' aria-current="page"') if here else ""
    return format_html(
        '<li class="nav-item{}"><a class="nav-link" href="{}"{}>{}<span class="nav-link-title">{}</span></a></li>',
        " active" if here else "",
        url,
        current,
        icon(drawing),
        text,
    )


@register.simple_tag(takes_context=True)
def menu_entry(context: template.Context, name: str, text: str, drawing: str) -> SafeString:
    """One entry of a menu that opens, marked when it is the current one."""
    url, here = _entry(context, name)
    current = SafeString(' aria-current="page"') if here else ""
    return format_html('<a href="{}"{}>{}{}</a>', url, current, icon(drawing), text) if url else SafeString("")
