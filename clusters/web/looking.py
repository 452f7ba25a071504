"""Buttons that ask for a look now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.principals import principal_of
from instantstart.problem import Problem
from operations.choices import Channel
from operations.submit import submit


def looked_at(request: HttpRequest, kind: str, data: Mapping[str, Any], back: str) -> HttpResponse:
    """To the operation that looks; back where it is too early for another look, or refused."""
    try:
        submission = submit(kind, data, principal_of(request), channel=Channel.WEB)
    except Problem as problem:
        if "operation" in problem.extra:
            return redirect("operations-web:detail", problem.extra["operation"])
        messages.error(request, str(problem))
        return redirect(back)
    if submission.operation is not None:
        return redirect("operations-web:detail", submission.operation.pk)
    for check in submission.plan.checks:
        messages.info(request, f"{check.detail} {check.fix}".strip())
    return redirect(back)
