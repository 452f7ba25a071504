"""Who calls, where and when: what a handler gets besides its parameters."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sandbox.agenda import Origin
from sandbox.identity import Principal

if TYPE_CHECKING:
    from sandbox.world import World

_GLOBAL_SERVICES = {"iam"}  # ARNs without a region; S3's have no account either, see `arn`


@dataclass(frozen=True)
class Context:
    world: World
    account: str
    region: str
    principal: Principal
    request_id: str
    service: str  # botocore's name of the service at work
    operation: str
    source: str = "api"  # "api" | "cloudformation" | "service": the last one is AWS itself and needs no permission
    headers: dict[str, str] = field(default_factory=dict)  # lower case; {} for calls that did not come over HTTP

    @property
    def scope(self) -> str:
        """The store's scope of regional resources."""
        return f"{self.account}/{self.region}"

    @property
    def global_scope(self) -> str:
        """The store's scope of resources that belong to an account and no region."""
        return self.account

    @property
    def now(self) -> float:
        """Virtual seconds: for timelines and durations."""
        return self.world.clock.now()

    @property
    def timestamp(self) -> float:
        """Epoch seconds of the real clock: for every time that is shown."""
        return self.world.clock.wall(self.world.clock.now())

    @property
    def partition(self) -> str:
        return "aws"

    def call(self, service: str, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Run another operation as this principal, source kept; what it changed is undone if it raises. Lists come unpaged."""
        from sandbox.aws import dispatch

        return dispatch.invoke(replace(self, service=service, operation=operation, headers={}), params)

    def as_source(self, source: str) -> Context:
        return replace(self, source=source)

    def in_region(self, region: str) -> Context:
        return replace(self, region=region)

    def new_id(self, prefix: str, length: int = 17) -> str:
        """`new_id("vpc")` is "vpc-0" and 16 hexadecimal digits, as EC2 makes them."""
        digits = secrets.token_hex((length + 1) // 2)[:length]
        return f"{prefix}-0{digits[1:]}"

    def arn(self, service: str, resource: str) -> str:
        """`arn("eks", "cluster/demo")`; `service` is the ARN's word for it."""
        if service == "s3":
            return f"arn:{self.partition}:s3:::{resource}"
        region = "" if service in _GLOBAL_SERVICES else self.region
        return f"arn:{self.partition}:{service}:{region}:{self.account}:{resource}"

    def schedule(self, at: float, name: str, payload: dict[str, Any], *, background: bool = False) -> int:
        """Put an event of this account, region and principal on the agenda, at a virtual moment. Returns its id."""
        origin = Origin(
            account=self.account,
            region=self.region,
            principal=vars(self.principal),
            request_id=self.request_id,
            service=self.service,
            operation=self.operation,
            source=self.source,
        )
        return self.world.agenda.add(at, name, payload, origin=origin, background=background)
