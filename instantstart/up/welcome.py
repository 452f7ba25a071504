"""What `up` tells of the way in: address and sign-in, and the commands that look at what was made."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from instantstart.command_line import manage
from instantstart.up.demo import NAME


@dataclass(frozen=True)
class Account:
    """The admin as `ensure_admin --json` answers. password: None unless it was made just now; it is kept nowhere."""

    username: str
    password: str | None
    token: str
    token_name: str

    def shown(self) -> dict[str, dict[str, str]]:
        """What the JSON document tells of it: the sign-in, once."""
        return {"admin": {"username": self.username, "password": self.password}} if self.password else {}


def sign_in(url: str, account: Account, state_dir: Path) -> str:
    """Three lines: where to go and as whom."""
    password = account.password or "was shown when it was made. Lost? This sets another:"
    told = f"\n  Open      {url}\n  User      {account.username}\n  Password  {password}\n"
    if account.password:
        return told
    return f"{told}            {manage(f'changepassword {account.username}', state_dir=state_dir)}\n"


def look_around(state_dir: Path, *, usual: bool) -> Iterator[str]:
    """Commands for another terminal. usual: whether `sandbox env` finds this sandbox without being told the folder."""
    flags = "" if usual else f" --state-dir {shlex.quote(str(state_dir))}"
    yield f'eval "$({manage(f"sandbox env{flags}")})"'
    yield f"aws sagemaker describe-cluster --cluster-name {NAME}"
    yield f"aws eks update-kubeconfig --name {NAME}"
    yield "kubectl get nodes -o wide"
    yield "kubectl get pods -A"
    yield f"aws cloudformation describe-stack-events --stack-name instantstart-{NAME}-control-plane"
    yield "helm list -A"
