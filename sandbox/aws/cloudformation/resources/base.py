"""What a resource type must know: how it is made, when it is really there, how it changes and how it goes."""

from __future__ import annotations

import json
import secrets
import string
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from sandbox.aws.errors import AWSError

if TYPE_CHECKING:
    from sandbox.aws.context import Context

Properties = dict[str, Any]


class ResourceFailed(Exception):
    """A resource that will not become what it should; `code` is CloudFormation's HandlerErrorCode."""

    def __init__(self, message: str, code: str = "GeneralServiceException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


@dataclass
class Work:
    """One resource of a stack at work: the calls it makes, and what it is called and tagged."""

    context: Context
    stack_name: str
    stack_id: str
    logical_id: str
    type_name: str
    properties: Properties
    physical_id: str = ""
    stack_tags: list[dict[str, str]] = field(default_factory=list)

    def call(self, service: str, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        return self.context.call(service, operation, {name: value for name, value in params.items() if value is not None})

    def tags(self) -> list[dict[str, str]]:
        """The stack's tags, the resource's own over them, and CloudFormation's three."""
        own = self.properties.get("Tags") or []
        given = [*self.stack_tags, *(own if isinstance(own, list) else [{"Key": key, "Value": value} for key, value in own.items()])]
        merged = {tag["Key"]: str(tag.get("Value", "")) for tag in given}
        merged |= {
            "aws:cloudformation:stack-name": self.stack_name,
            "aws:cloudformation:stack-id": self.stack_id,
            "aws:cloudformation:logical-id": self.logical_id,
        }
        return [{"Key": key, "Value": value} for key, value in merged.items()]

    def tag_map(self) -> dict[str, str]:
        return {tag["Key"]: tag["Value"] for tag in self.tags()}

    def tag_specifications(self, resource_type: str) -> list[dict[str, Any]]:
        return [{"ResourceType": resource_type, "Tags": self.tags()}]

    def invented_name(self, limit: int, *, lower: bool = False) -> str:
        """`stack-LogicalId-RANDOM`, as CloudFormation names what is not named."""
        alphabet = string.ascii_uppercase + string.digits
        end = "".join(secrets.choice(alphabet) for _ in range(12))
        room = limit - len(end) - 2
        name = f"{self.stack_name[: room // 2]}-{self.logical_id[: room - len(self.stack_name[: room // 2])]}-{end}"
        return name.lower() if lower else name


class ResourceType:
    """One type. Subclasses set the tables and override what they need; every method may raise AWSError or ResourceFailed."""

    name: ClassVar[str]
    service: ClassVar[str] = ""
    """How CloudFormation words the service in error texts: `Ec2`, `Eks` …"""
    required: ClassVar[frozenset[str]] = frozenset()
    optional: ClassVar[frozenset[str]] = frozenset()
    immutable: ClassVar[frozenset[str]] = frozenset()
    """A change of one of these makes a new resource."""
    custom_name: ClassVar[str] = ""
    """The property that names it: named IAM resources want CAPABILITY_NAMED_IAM, and none can be replaced under one name."""
    is_iam: ClassVar[bool] = False
    seconds: ClassVar[str] = "cloudformation.resource"
    """Entry of `durations`: how long the making takes at least."""
    poll: ClassVar[float] = 5.0
    """Virtual seconds between two looks at one that is not there yet."""
    patience: ClassVar[float] = 3600.0
    """Virtual seconds after which one that is not there yet has failed to stabilise."""

    def validate(self, properties: Properties) -> None:
        """Errors: ResourceFailed for a missing or unknown property, as CloudFormation's schema check says it."""
        missing = sorted(self.required - properties.keys())
        if missing:
            raise ResourceFailed(f"#: required key [{missing[0]}] not found", "InvalidRequest")
        unknown = sorted(properties.keys() - self.required - self.optional)
        if unknown:
            raise ResourceFailed(f"#: extraneous key [{unknown[0]}] is not permitted (or not simulated by the sandbox)", "InvalidRequest")

    def create(self, work: Work) -> str:
        """Make it. Returns the physical id."""
        raise NotImplementedError

    def ready(self, work: Work) -> bool:
        """Whether it is really there."""
        return True

    def attributes(self, work: Work) -> dict[str, Any]:
        """What Fn::GetAtt gives, once it is ready."""
        return {}

    def update(self, work: Work, before: Properties, tags_before: list[dict[str, str]]) -> None:
        """Bring it to `work.properties` in place; only called for properties that are not `immutable`."""
        changed = sorted(name for name in {*before, *work.properties} if before.get(name) != work.properties.get(name) and name != "Tags")
        if changed:
            raise ResourceFailed(f"An update of {', '.join(changed)} of {self.name} is not simulated by the sandbox.", "NotUpdatable")

    def updated(self, work: Work) -> bool:
        """Whether an update has taken effect."""
        return self.ready(work)

    def delete(self, work: Work) -> None:
        raise NotImplementedError

    def gone(self, work: Work) -> bool:
        """Whether it is really gone after `delete`."""
        return True


_types: dict[str, ResourceType] = {}


def resource_type(cls: type[ResourceType]) -> type[ResourceType]:
    """Register a type under its name."""
    if cls.name in _types:
        raise RuntimeError(f"two implementations of {cls.name}")
    _types[cls.name] = cls()
    return cls


def find(name: str) -> ResourceType:
    return _types[name]


def known() -> set[str]:
    return set(_types)


def document(value: Any) -> str:
    """A policy document property as text."""
    return value if isinstance(value, str) else json.dumps(value)


def boolean(value: Any) -> bool | None:
    """Templates may write booleans as text."""
    if value is None or isinstance(value, bool):
        return value
    return str(value).lower() == "true"


def number(value: Any) -> int | None:
    return None if value is None else int(value)


def changed_tags(work: Work, before: list[dict[str, str]]) -> tuple[list[dict[str, str]], list[str]]:
    """Tags to set, and keys to take away."""
    now = {tag["Key"]: tag["Value"] for tag in work.tags()}
    old = {tag["Key"]: tag["Value"] for tag in before}
    setting = [{"Key": key, "Value": value} for key, value in now.items() if old.get(key) != value]
    return setting, [key for key in old if key not in now]


def ignoring(codes: tuple[str, ...], work: Work, service: str, operation: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """A call whose errors of these codes count as done."""
    try:
        return work.call(service, operation, params)
    except AWSError as error:
        if error.code in codes:
            return None
        raise
