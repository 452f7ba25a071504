"""`manage.py ensure_admin`: the first admin, its random password shown once; with --json also a short-lived token (--revoke ends it)."""

from __future__ import annotations

import datetime as dt
import json
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.actions import tokens, users
from accounts.models import ApiToken
from accounts.principals import principal_for
from operations.choices import Channel

TOKEN_LIFE = dt.timedelta(hours=12)


class Command(BaseCommand):
    help = "Make the first admin (once) and show its random password, which is kept nowhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--json", action="store_true", help="print username, password (null if it exists) and a token of twelve hours as JSON"
        )
        parser.add_argument("--revoke", metavar="NAME", help="end that token, and do nothing else")

    def handle(self, **options: Any) -> None:
        user, password = users.ensure_first_admin()
        if options["revoke"]:
            for token in ApiToken.objects.filter(user=user, name=options["revoke"]):
                tokens.revoke(principal_for(user), token, channel=Channel.API)
            return
        if options["json"]:
            # A name of its own each time: two runs side by side must not take each other's token.
            name = f"make up {secrets.token_hex(4)}"
            _, secret = tokens.create(principal_for(user), name=name, expires_in=TOKEN_LIFE, channel=Channel.API)
            self.stdout.write(json.dumps({"username": user.get_username(), "password": password, "token": secret, "token_name": name}))
        elif password is None:
            self.stdout.write(f"An admin exists already: {user.get_username()}.")
        else:
            self.stdout.write(f"User {user.get_username()}, password {password} (shown this once)")
