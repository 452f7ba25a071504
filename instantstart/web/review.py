"""The look before every change: show the plan, take the yes, submit just that plan."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts.principals import principal_of
from instantstart.problem import Problem
from operations.choices import Channel, Severity
from operations.plan import Plan
from operations.submission import Submission
from operations.submit import submit

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO, Severity.PASS)


@dataclass(frozen=True)
class Review:
    """One change to be confirmed.

    typed: the text a person must type exactly (a cluster's name), empty for none.
    given: what was typed into the form before, to be sent back to it by the Back button; None where there was no form.
    choices: template of what can be chosen on the review itself; chosen: what is.
    """

    kind: str
    data: Mapping[str, Any]
    title: str
    confirm: str
    back: str
    typed: str = ""
    danger: bool = False
    given: str | None = None
    choices: str = ""
    chosen: Mapping[str, Any] = field(default_factory=dict)


def show(request: HttpRequest, review: Review, plan: Plan, *, status: int = 200) -> HttpResponse:
    """The review page: plan, checks, cost, what can't be undone, and the button that confirms."""
    context = {
        "review": review,
        "plan": plan,
        "checks": sorted(plan.checks, key=lambda check: _ORDER.index(check.severity)),
        "data": json.dumps(dict(review.data)),
        "key": uuid.uuid4().hex,
    }
    return render(request, "review.html", context, status=status)


def plan_of(request: HttpRequest, review: Review) -> Plan:
    """The plan, by reads only. Raises Problem on input or rights; a plan with failed checks is returned, to be shown."""
    return submit(review.kind, review.data, principal_of(request), channel=Channel.WEB, dry_run=True).plan


def carry_out(
    request: HttpRequest,
    review: Review,
    done: Callable[[Submission], str],
    refused: Callable[[Problem], HttpResponse] | None = None,
) -> HttpResponse:
    """Submit what the person saw and said yes to; a second click finds the first one's operation.

    done: gives the next page. refused: answers what is wrong with the input or the world; otherwise it is said on the page before.
    """
    try:
        submission = submit(
            review.kind,
            review.data,
            principal_of(request),
            channel=Channel.WEB,
            idempotency_key=f"web-{request.POST.get('key', '')}",
            plan_fingerprint=request.POST.get("plan_fingerprint", ""),
        )
    except Problem as problem:
        if problem.code in ("plan_changed", "plan_has_errors"):
            messages.warning(request, f"{problem.detail} This is the plan as it is now.")
            return show(request, review, plan_of(request, review), status=409)
        if "operation" in problem.extra:
            messages.error(request, str(problem))
            return redirect("operations-web:detail", problem.extra["operation"])
        if refused is not None:
            return refused(problem)
        messages.error(request, str(problem))
        return redirect(review.back)
    if not submission.changed:
        messages.info(request, "Nothing to do: everything is as asked.")
    return redirect(done(submission))


def reviewed(request: HttpRequest, review: Review, done: Callable[[Submission], str]) -> HttpResponse:
    """GET shows the plan, POST carries it out."""
    if request.method == "POST":
        return carry_out(request, review, done)
    try:
        plan = plan_of(request, review)
    except Problem as problem:
        messages.error(request, str(problem))
        return redirect(review.back)
    return show(request, review, plan)
