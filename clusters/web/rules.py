"""The page of the rules."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from clusters import rules
from instantstart.web.signed_in import page


@page()
@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    groups = [(noun, [rule for rule in rules.RULES if rule.noun is noun]) for noun in rules.Noun]
    return render(request, "clusters/rules.html", {"nouns": groups})
