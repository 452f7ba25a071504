"""People: making them, their roles, their passwords. Admins only, but for one's own password."""

from __future__ import annotations

import secrets

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts import audit
from accounts.actions import tokens
from accounts.actions.refusal import refuse
from accounts.choices import Role
from accounts.models import User
from accounts.models.token import validate_accounts
from accounts.principal import Principal
from accounts.principals import principal_for
from instantstart.problem import FieldError, Problem


def _require_administrator(principal: Principal) -> None:
    """People are managed by admins with all of their rights: a token cut down in any way could otherwise make itself a way around it."""
    if not principal.role.covers(Role.ADMIN):
        raise Problem(403, "role_too_low", "Role too low", "Only admins manage users.", "Ask an admin.")
    if principal.read_only:
        raise Problem(403, "read_only_token", "Read-only token", "This token only reads.", "Use a token that may write, or sign in.")
    if principal.agent:
        raise Problem(403, "agent_token", "Not for agents", "An agent's token manages no users.", "Ask a person to do it.")
    if principal.clusters is not None:
        detail = f"Users are managed without limits, and {principal.limited} limited to clusters or AWS accounts."
        raise Problem(403, "cluster_not_allowed", "Limited", detail, principal.way_out)


def _require_another_admin(user: User) -> None:
    """Called inside the transaction that takes `user`'s admin rights away; locks the admins' rows, so that two can't remove each other.

    An admin who is limited to AWS accounts manages no users, and does not count.
    """
    rows = User.objects.select_for_update().filter(role=Role.ADMIN, is_active=True, accounts__isnull=True)
    if list(rows.values_list("pk", flat=True)) == [user.pk]:
        detail = f"{user.username} is the only active admin without a limit."
        raise Problem(409, "last_admin", "Last admin", detail, "Make another user an admin first.")


def _check_password(password: str, user: User, field: str = "password") -> None:
    try:
        validate_password(password, user)
    except ValidationError as invalid:
        errors = [
            FieldError(field, "weak_password", sentence, "Choose a longer, less guessable password.") for sentence in invalid.messages
        ]
        raise Problem(
            422, "invalid_input", "Invalid input", "The password is too weak.", "Choose another password.", errors=errors
        ) from None


def create(
    principal: Principal,
    *,
    username: str,
    password: str,
    role: Role = Role.VIEWER,
    email: str = "",
    accounts: list[str] | None = None,
    channel: str,
) -> User:
    """Make a user. accounts: AWS accounts, by their digits, to which it is limited, None for every one.

    Problem 422 when the name is taken or the password weak.
    """
    subject = f"user:{username}"
    with refuse("user.create", principal, channel, subject):
        _require_administrator(principal)
        user = User(username=username, role=role, email=email, accounts=None if accounts is None else sorted(set(accounts)))
        try:
            user.full_clean(exclude=["password"], validate_unique=False)
        except ValidationError as invalid:
            errors = [FieldError(name, "invalid", " ".join(found)) for name, found in invalid.message_dict.items()]
            raise Problem(422, "invalid_input", "Invalid input", "The user can't be made so.", errors=errors) from None
        _check_password(password, user)
        user.set_password(password)
        try:
            with transaction.atomic():
                user.save(force_insert=True)
                audit.record("user.create", principal=principal, channel=channel, subject=subject, detail=f"role {role}{_of(accounts)}")
        except IntegrityError:
            taken = FieldError("username", "taken", f"There is a user named {username} already.", "Choose another name.")
            raise Problem(422, "invalid_input", "Invalid input", "The name is taken.", "Choose another name.", errors=[taken]) from None
    return user


def set_role(principal: Principal, user: User, role: Role, *, channel: str) -> bool:
    """Give a user another role; tokens follow at once, since they never hold more than their user. Answers whether anything changed."""
    subject = f"user:{user.username}"
    with refuse("user.set_role", principal, channel, subject), transaction.atomic():
        _require_administrator(principal)
        before = User.objects.select_for_update().get(pk=user.pk)
        if before.role == role:
            return False
        if before.role == Role.ADMIN and before.accounts is None:
            _require_another_admin(user)
        user.role, user.accounts = role, before.accounts
        user.save(update_fields=["role"])
        audit.record("user.set_role", principal=principal, channel=channel, subject=subject, detail=f"{before.role} to {role}")
    return True


def set_accounts(principal: Principal, user: User, accounts: list[str] | None, *, channel: str) -> bool:
    """Limit a user to the clusters of some AWS accounts, by their digits, or to none; tokens follow at once. Whether anything changed."""
    subject = f"user:{user.username}"
    accounts = None if accounts is None else sorted(set(accounts))
    with refuse("user.set_accounts", principal, channel, subject), transaction.atomic():
        _require_administrator(principal)
        before = User.objects.select_for_update().get(pk=user.pk)
        if before.accounts == accounts:
            return False
        try:
            validate_accounts(accounts)
        except ValidationError as invalid:
            error = FieldError("accounts", "invalid", " ".join(invalid.messages))
            raise Problem(422, "invalid_input", "Invalid input", error.detail, errors=[error]) from None
        if before.role == Role.ADMIN and before.accounts is None:
            _require_another_admin(user)
        user.role, user.accounts = before.role, accounts
        user.save(update_fields=["accounts"])
        audit.record("user.set_accounts", principal=principal, channel=channel, subject=subject, detail=_of(accounts).lstrip(", "))
    return True


def _of(accounts: list[str] | None) -> str:
    return "" if accounts is None else f", limited to AWS accounts {', '.join(accounts)}"


def set_active(principal: Principal, user: User, active: bool, *, channel: str) -> bool:
    """Let a user in, or shut them out: sessions and tokens end with the next request. Answers whether anything changed."""
    action = "user.activate" if active else "user.deactivate"
    subject = f"user:{user.username}"
    with refuse(action, principal, channel, subject), transaction.atomic():
        _require_administrator(principal)
        if User.objects.select_for_update().get(pk=user.pk).is_active is active:
            return False
        if not active and user.role == Role.ADMIN and user.accounts is None:
            _require_another_admin(user)
        user.is_active = active
        user.save(update_fields=["is_active"])
        if not active:
            tokens.revoke_all(user)
        audit.record(action, principal=principal, channel=channel, subject=subject)
    return True


def set_email(principal: Principal, user: User, email: str, *, channel: str) -> bool:
    """Change a user's address. Answers whether anything changed."""
    subject = f"user:{user.username}"
    with refuse("user.set_email", principal, channel, subject), transaction.atomic():
        _require_administrator(principal)
        if user.email == email:
            return False
        user.email = email
        user.save(update_fields=["email"])
        audit.record("user.set_email", principal=principal, channel=channel, subject=subject)
    return True


def set_password(principal: Principal, user: User, password: str, *, channel: str) -> None:
    """An admin gives a user a new password; the user's sessions end."""
    subject = f"user:{user.username}"
    with refuse("user.set_password", principal, channel, subject), transaction.atomic():
        _require_administrator(principal)
        _check_password(password, user)
        user.set_password(password)
        user.save(update_fields=["password"])
        audit.record("user.set_password", principal=principal, channel=channel, subject=subject)


def change_own_password(principal: Principal, *, old: str, new: str, channel: str) -> None:
    """One's own password, by a session only. Problem 422 when the old one is wrong or the new one weak."""
    user = principal.user
    subject = f"user:{user.username}"
    with refuse("user.change_password", principal, channel, subject), transaction.atomic():
        if principal.token is not None:
            raise Problem(403, "session_needed", "Session needed", "A token changes no passwords.", "Sign in to change it.")
        if not user.check_password(old):
            wrong = FieldError("old_password", "wrong", "That is not your present password.")
            raise Problem(422, "invalid_input", "Invalid input", "The present password is wrong.", errors=[wrong])
        _check_password(new, user, "new_password")
        user.set_password(new)
        user.save(update_fields=["password"])
        audit.record("user.change_password", principal=principal, channel=channel, subject=subject)


def ensure_first_admin(username: str = "admin") -> tuple[User, str | None]:
    """The installation's first admin, made with a random password when there is no active admin yet.

    Answers the user and the password, which is shown once; None when an admin was there already. For `manage.py up` only.
    """
    with transaction.atomic():
        existing = User.objects.select_for_update().filter(role=Role.ADMIN, is_active=True).order_by("pk").first()
        if existing is not None:
            return existing, None
        password = secrets.token_urlsafe(15)
        user = User.objects.create_superuser(username, password=password)
        audit.record("user.create", principal=principal_for(user), channel="", subject=f"user:{username}", detail="first admin")
    return user, password
