"""EKS sign-in: the TokenReview webhook that every apiserver asks who a bearer token belongs to.

The token is verified offline (token.py); user and groups come from the cluster's access entries, as on EKS: a principal without an
entry is nobody (401), one with an entry has what its groups and access policies give (403 otherwise).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from sandbox.identity import Principal
from sandbox.kube import access_policies
from sandbox.kube.token import PREFIX, TokenRefused, verify
from sandbox.world import World

log = logging.getLogger(__name__)

# account/region/name of the cluster that a control plane serves now; None when it serves none
ClusterOf = Callable[[str], str | None]
BeforeAnswer = Callable[[str, list[str]], Awaitable[None]]


class SignIn:
    """Routes `/sign-in/<control plane>`; `before_answer` makes what the groups need (RoleBindings) before they are used."""

    def __init__(self, world: World, cluster_of: ClusterOf, before_answer: BeforeAnswer) -> None:
        self._world = world
        self._cluster_of = cluster_of
        self._before_answer = before_answer

    def add_routes(self, application: web.Application) -> None:
        application.router.add_post("/sign-in/{plane}", self._review)

    async def _review(self, request: web.Request) -> web.Response:
        review = await request.json()
        token = review["spec"]["token"]
        cluster_key = self._cluster_of(request.match_info["plane"])
        try:
            status = self.status(cluster_key, token)
        except TokenRefused as error:
            if token.startswith(PREFIX):
                log.info("sign-in to %s refused: %s", cluster_key, error)
            status = {"authenticated": False, "error": str(error)}
        else:
            if cluster_key:
                await self._before_answer(cluster_key, status["user"]["groups"])
        return web.json_response({"apiVersion": review["apiVersion"], "kind": "TokenReview", "status": status})

    def status(self, cluster_key: str | None, token: str) -> dict[str, Any]:
        """The `status` of a TokenReview for a good token; TokenRefused with the reason otherwise."""
        if cluster_key is None:
            raise TokenRefused("this control plane serves no cluster")
        account, region, name = cluster_key.split("/", 2)
        key = verify(token, name, self._world.identity.key)
        if self._world.faults.scenario("expired_credentials", access_key=key.access_key):
            raise TokenRefused("the session's credentials have expired")
        principal = key.principal
        arn = entry_arn(principal)
        entry = self._world.store.get("eks.access-entry", f"{account}/{region}", f"{name}/{arn}") or self._creators_entry(
            f"{account}/{region}", name, arn
        )
        if entry is None:
            raise TokenRefused(f"{arn} has no access entry in cluster {name}")
        groups = [*(entry.get("kubernetesGroups") or []), *access_policies.groups(entry.get("policies") or [])]
        session = principal.arn.rpartition("/")[2] if principal.kind == "assumed-role" else ""
        return {
            "authenticated": True,
            "user": {
                "username": _username(entry, principal, session),
                "uid": f"aws-iam-authenticator:{principal.account}:{principal.user_id.partition(':')[0]}",
                "groups": groups,
                "extra": {
                    "accessKeyId": [key.access_key],
                    "arn": [principal.arn],
                    "canonicalArn": [arn],
                    "principalId": [principal.user_id.partition(":")[0]],
                    "sessionName": [session],
                },
            },
        }

    def _creators_entry(self, scope: str, name: str, arn: str) -> dict[str, Any] | None:
        """How a cluster that reads the aws-auth config map alone, where there are no access entries, admits who made it."""
        cluster = self._world.store.get("eks.cluster", scope, name) or {}
        access = cluster.get("accessConfig") or {}
        if access.get("authenticationMode") != "CONFIG_MAP" or not access.get("bootstrapClusterCreatorAdminPermissions"):
            return None
        return {"username": "kubernetes-admin", "kubernetesGroups": ["system:masters"]} if cluster["_creator"] == arn else None


def entry_arn(principal: Principal) -> str:
    """The ARN under which EKS looks for the access entry: of a session, its role's."""
    if principal.kind != "assumed-role":
        return principal.arn
    if principal.role_arn:
        return principal.role_arn
    return f"arn:aws:iam::{principal.account}:role/{principal.arn.split('/')[1]}"


def _username(entry: dict[str, Any], principal: Principal, session: str) -> str:
    """The entry's user name; a role's default one ends in the session's name."""
    default = f"{principal.arn.rpartition('/')[0]}/{{{{SessionName}}}}" if session else principal.arn
    template: str = entry.get("username") or default
    safe_session = session.replace("@", "-")
    return (
        template.replace("{{SessionName}}", safe_session)
        .replace("{{SessionNameRaw}}", session)
        .replace("{{AccountID}}", principal.account)
        .replace("{{AccessKeyID}}", principal.access_key)
    )
