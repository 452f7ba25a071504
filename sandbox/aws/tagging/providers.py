"""What the tagging API can see: each service tells its resources with their tags, and how to change these.

`@taggable("ec2")` registers a provider: `f(context) -> [Tagged]`. A provider calls its service's own operations, as AWS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sandbox.aws.context import Context


@dataclass(frozen=True)
class Tagged:
    arn: str
    type: str  # as in ResourceTypeFilters: "ec2:vpc"
    tags: dict[str, str] = field(default_factory=dict)


Provider = Callable[[Context], Iterable[Tagged]]
Tagger = Callable[[Context, str, dict[str, str]], None]
Untagger = Callable[[Context, str, list[str]], None]

_providers: dict[str, Provider] = {}
_taggers: dict[str, tuple[Tagger, Untagger]] = {}


def taggable(service: str) -> Callable[[Provider], Provider]:
    """`service` is the ARN's word for it."""

    def decorate(provider: Provider) -> Provider:
        _providers[service] = provider
        return provider

    return decorate


def changes_tags(service: str, tag: Tagger, untag: Untagger) -> None:
    """How tags of a service's resources are set and removed, by ARN. Either raises AWSError for one that does not exist."""
    _taggers[service] = (tag, untag)


def everything(context: Context) -> list[Tagged]:
    """All resources of this account and region that the API shows, tagged or not, in the order of their ARNs."""
    return sorted((resource for provider in _providers.values() for resource in provider(context)), key=lambda resource: resource.arn)


def changer(service: str) -> tuple[Tagger, Untagger] | None:
    return _taggers.get(service)
