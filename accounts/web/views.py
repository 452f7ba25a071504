"""Pages of one's own account, and of the people and the trail for admins."""

from __future__ import annotations

import datetime as dt

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts import audit, sign_in
from accounts.actions import token_limits as set_limits
from accounts.actions import tokens, users
from accounts.choices import Role
from accounts.models import ApiToken, AuditEntry, User
from accounts.principals import principal_of
from accounts.web.forms import PasswordForm, TokenForm, TokenLimitsForm, UserForm, digits
from instantstart.problem import Problem
from instantstart.web.paging import other_parameters
from instantstart.web.signed_in import page
from operations.choices import Channel

TRAIL_PAGE = 100


class SignIn(LoginView):
    template_name = "accounts/sign_in.html"
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say when the throttle, not the password, is the reason."""
        wait = sign_in.retry_after(form.data.get("username", ""), self.request.META.get("REMOTE_ADDR", ""))
        response = self.render_to_response(self.get_context_data(form=form, wait=wait), status=429 if wait else 422)
        if wait:
            response["Retry-After"] = str(wait)
        return response


@page()
@require_http_methods(["GET", "POST"])
def token_list(request: HttpRequest) -> HttpResponse:
    """One's tokens; a new one is shown this once."""
    principal = principal_of(request)
    form = TokenForm(request.POST or None, initial={"role": principal.role})
    secret = ""
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            _, secret = tokens.create(
                principal,
                name=data["name"],
                role=Role(data["role"]),
                clusters=form.cluster_names(),
                accounts=data["accounts"],
                read_only=data["read_only"],
                agent=data["agent"],
                toolsets=data["toolsets"] or None,
                operations_per_hour=data["operations_per_hour"],
                cost_per_hour=data["cost_per_hour"],
                expires_in=dt.timedelta(days=data["expires_in_days"]),
                channel=Channel.WEB,
            )
            form = TokenForm(initial={"role": principal.role})
        except Problem as problem:
            form.add_problem(problem)
    rows = ApiToken.objects.filter(user=principal.user).order_by("-created")
    context = {"form": form, "tokens": rows, "secret": secret, "now": timezone.now()}
    return render(request, "accounts/tokens.html", context, status=422 if form.errors else 200)


@page()
@require_POST
def token_limits(request: HttpRequest, uid: str) -> HttpResponse:
    """Both limits of an hour of one of one's tokens, as the form says."""
    principal = principal_of(request)
    token = get_object_or_404(ApiToken.objects.select_related("parent"), uid=uid, user=principal.user)
    form = TokenLimitsForm(request.POST)
    if not form.is_valid():
        name, sentences = next(iter(form.errors.items()))
        messages.error(request, f"{form.fields[name].label}: {sentences[0]}")
        return redirect("accounts-web:tokens")
    try:
        set_limits.change(principal, token, form.cleaned_data, channel=Channel.WEB)
        messages.success(request, f"The limits of the token {token.name} are set.")
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("accounts-web:tokens")


@page()
@require_POST
def token_revoke(request: HttpRequest, uid: str) -> HttpResponse:
    principal = principal_of(request)
    token = get_object_or_404(ApiToken, uid=uid, user=principal.user)
    try:
        tokens.revoke(principal, token, channel=Channel.WEB)
        messages.success(request, f"The token {token.name} is revoked; it stopped working at once.")
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("accounts-web:tokens")


@page()
@require_http_methods(["GET", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """Change one's own password; other sessions of the user end, this one goes on."""
    form = PasswordForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            principal = principal_of(request)
            data = form.cleaned_data
            users.change_own_password(principal, old=data["old_password"], new=data["password"], channel=Channel.WEB)
            update_session_auth_hash(request, principal.user)
            messages.success(request, "Your password is changed.")
            return redirect("accounts-web:password")
        except Problem as problem:
            form.add_problem(problem)
    return render(request, "accounts/password.html", {"form": form}, status=422 if form.errors else 200)


@page(Role.ADMIN)
@require_http_methods(["GET", "POST"])
def user_list(request: HttpRequest) -> HttpResponse:
    """The people and their roles; making one."""
    form = UserForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            made = users.create(
                principal_of(request),
                username=data["username"],
                password=data["password"],
                role=Role(data["role"]),
                email=data["email"],
                accounts=data["accounts"],
                channel=Channel.WEB,
            )
            messages.success(request, f"{made.username} can sign in now.")
            return redirect("accounts-web:users")
        except Problem as problem:
            form.add_problem(problem)
    context = {"form": form, "people": User.objects.order_by("username"), "roles": Role.choices}
    return render(request, "accounts/users.html", context, status=422 if form.errors else 200)


@page(Role.ADMIN)
@require_POST
def user_change(request: HttpRequest, pk: int) -> HttpResponse:
    """Another role, another limit, or let in or shut out."""
    person = get_object_or_404(User, pk=pk)
    principal = principal_of(request)
    try:
        if "role" in request.POST and request.POST["role"] in Role.values:
            users.set_role(principal, person, Role(request.POST["role"]), channel=Channel.WEB)
        if "accounts" in request.POST:
            users.set_accounts(principal, person, digits(request.POST["accounts"]), channel=Channel.WEB)
        if "active" in request.POST:
            users.set_active(principal, person, request.POST["active"] == "yes", channel=Channel.WEB)
        messages.success(request, f"{person.username} is changed.")
    except Problem as problem:
        messages.error(request, str(problem))
    return redirect("accounts-web:users")


@page(Role.ADMIN)
def audit_trail(request: HttpRequest) -> HttpResponse:
    """Who did or was refused what, newest first."""
    entries = audit.visible(AuditEntry.objects.order_by("-at", "-id"), principal_of(request))
    for name in ("username", "action", "outcome"):
        if value := request.GET.get(name, "").strip():
            entries = entries.filter(**{f"{name}__icontains" if name != "outcome" else name: value})
    shown = Paginator(entries, TRAIL_PAGE).get_page(request.GET.get("page"))
    return render(request, "accounts/audit.html", {"entries": shown, "given": request.GET, "query": other_parameters(request)})
