"""AWS for the rest of the product: reads, pages and writes of any service, by boto3's snake_case operation names."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection

from instantstart.cloud import sessions, token
from instantstart.cloud.errors import CloudError
from instantstart.cloud.identity import Identity, role_arn_without_path, session_role
from instantstart.cloud.rate import SharedBucket, bucket_path
from instantstart.cloud.roles import Role
from instantstart.cloud.translate import RAISED, UNPARSED, cloud_error, server_time

_IDENTITY_SECONDS = 60.0
_SLOWER = {"cloudtrail": 1.8}
"""Calls a second, one at a time, where AWS allows fewer than we ask for elsewhere (LookupEvents: two)."""
_identities: dict[tuple[str, str], tuple[float, Identity]] = {}
_identities_lock = threading.Lock()


@dataclass(frozen=True)
class Reply:
    """What a write answered: its data without the envelope, and AWS's request id."""

    data: dict[str, Any]
    request_id: str


def _forbid_transaction(operation: str) -> None:
    """A call inside a transaction would hold the database's lock for as long as AWS takes.

    The transaction that a Django test case wraps around each test does not count.
    """
    if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
        raise RuntimeError(f"{operation} was called inside a database transaction")


class Aws:
    """One region of one account, as the credentials of the surroundings see it. Threads may share an instance.

    role: taken on for every call, in an account that is not that of the credentials.

    background: reads of observers, which wait their turn in the bucket of the service; else a person waits for the answer
    and the call borrows ahead.
    """

    def __init__(self, region: str, account: str = "", *, background: bool = False, role: Role | None = None) -> None:
        self.region = region
        self.account = account or (role.account if role else "")
        self.background = background
        self.role = role
        self.surroundings = sessions.Surroundings.current(role)

    @property
    def endpoint(self) -> str:
        """The endpoint that replaces AWS's own, "" for AWS's own."""
        return self.surroundings.endpoint

    def read(self, service: str, operation: str, **params: Any) -> dict[str, Any]:
        """A call without effect; retried by the standard rules. A streamed body arrives as bytes. CloudError."""
        return self._call(service, operation, params, write=False).data

    def write(self, service: str, operation: str, **params: Any) -> Reply:
        """A call with an effect; sent once, within half a lease. CloudError, whose `sent` says whether it may have had it."""
        return self._call(service, operation, params, write=True)

    def pages(self, service: str, operation: str, result_key: str, **params: Any) -> Iterator[Any]:
        """Every item of `result_key` over all pages. CloudError."""
        _forbid_transaction(f"{service}:{operation}")
        client = sessions.client(self.surroundings, self.region, service, write=False)
        if client.can_paginate(operation):
            replies = iter(client.get_paginator(operation).paginate(**params))
            while True:
                self._take(service)
                reply = self._guard(service, operation, lambda: next(replies, None))
                if reply is None:
                    return
                yield from reply.get(result_key) or []
        else:
            yield from self._pages_by_token(client, service, operation, result_key, params)

    def _pages_by_token(self, client: Any, service: str, operation: str, result_key: str, params: Mapping[str, Any]) -> Iterator[Any]:
        """For operations without a paginator in botocore's models (some of SageMaker's and EKS')."""
        members = client.meta.service_model.operation_model(client.meta.method_to_api_mapping[operation]).input_shape.members
        field = next((name for name in ("NextToken", "nextToken") if name in members), None)
        following = dict(params)
        while True:
            reply = self.read(service, operation, **following)
            yield from reply.get(result_key) or []
            if field is None or not reply.get(field):
                return
            following[field] = reply[field]

    def identity(self) -> Identity:
        """Who we are; kept for a minute. CloudError when STS does not say."""
        key = (self.surroundings.key, self.region)
        with _identities_lock:
            kept = _identities.get(key)
        if kept is not None and time.monotonic() - kept[0] < _IDENTITY_SECONDS:
            return kept[1]
        said = self.read("sts", "get_caller_identity")
        identity = self._identity(said)
        with _identities_lock:
            _identities[key] = (time.monotonic(), identity)
        return identity

    def _identity(self, said: Mapping[str, Any]) -> Identity:
        arn = str(said["Arn"])
        role = session_role(arn)
        role_arn, note = arn, ""
        if role is not None:
            try:
                role_arn = str(self.read("iam", "get_role", RoleName=role)["Role"]["Arn"])
            except CloudError as error:
                role_arn = role_arn_without_path(arn, role)
                note = (
                    f"The role's own ARN could not be read (iam:GetRole: {error.code}), so {role_arn} is assumed, without a path. "
                    f"Allow iam:GetRole on the role {role} to make sure."
                )
        return Identity(account=str(said["Account"]), arn=arn, user_id=str(said.get("UserId", "")), role_arn=role_arn, note=note)

    def eks_token(self, cluster_name: str) -> str:
        """A bearer token for the Kubernetes API of that cluster, good for 14 minutes. Signed here, without a call. CloudError."""
        sts = sessions.client(self.surroundings, self.region, "sts", write=False)
        return str(self._guard("sts", "eks_token", lambda: token.eks_token(sts, self.region, cluster_name)))

    def clock_skew(self) -> float:
        """Seconds that our clock is ahead of AWS's (negative: behind), to the second. CloudError when AWS does not answer."""
        client = sessions.client(self.surroundings, self.region, "sts", write=False)
        try:
            reply = self._guard("sts", "get_caller_identity", client.get_caller_identity)
            theirs = server_time(reply["ResponseMetadata"]["HTTPHeaders"])
        except CloudError as error:
            if error.server_time is None:
                raise
            theirs = error.server_time
        return time.time() - theirs if theirs is not None else 0.0

    def credentials_method(self) -> str:
        """Where the credentials come from ("env", "shared-credentials-file" …), "" when there are none."""
        return str(self._guard("sts", "credentials", lambda: sessions.credentials_method(self.surroundings)))

    def _call(self, service: str, operation: str, params: Mapping[str, Any], *, write: bool) -> Reply:
        _forbid_transaction(f"{service}:{operation}")
        client = sessions.client(self.surroundings, self.region, service, write=write)
        method = getattr(client, operation)
        self._take(service)
        reply = self._guard(service, operation, lambda: _read_body(method(**params)))
        metadata = reply.pop("ResponseMetadata", {})
        return Reply(reply, str(metadata.get("RequestId", "")))

    def _take(self, service: str) -> None:
        # The account is known by its credentials until it is told: one set of credentials is one account.
        owner = self.account or f"credentials-{self.surroundings.key}"
        path = bucket_path(settings.STATE_DIR / "rate", owner, self.region, service)
        slower = _SLOWER.get(service)
        bucket = SharedBucket(path, settings.AWS_RATE) if slower is None else SharedBucket(path, min(slower, settings.AWS_RATE), burst=1.0)
        bucket.take(eager=not self.background)

    def _guard(self, service: str, operation: str, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (*RAISED, *UNPARSED) as error:
            failed = cloud_error(service, operation, error)
            if failed.credentials and self.role is not None:
                sessions.drop(self.surroundings)
            raise failed from error


def _read_body(reply: dict[str, Any]) -> dict[str, Any]:
    body: Any = reply.get("Body")
    if hasattr(body, "read"):
        with body:
            reply["Body"] = body.read()
    return reply


def forget_identity(aws: Aws) -> None:
    """STS is asked anew who this is."""
    with _identities_lock:
        _identities.pop((aws.surroundings.key, aws.region), None)


def forget_identities() -> None:
    """For tests, and after new credentials were typed in."""
    with _identities_lock:
        _identities.clear()
