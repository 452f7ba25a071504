"""The contract of an action: one class per verb; the four doors call the same one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel

from accounts.choices import Role
from accounts.principal import Principal
from operations.choices import Risk
from operations.plan import Plan
from operations.step import Step

if TYPE_CHECKING:
    from operations.models import Operation

InputT = TypeVar("InputT", bound=BaseModel)


@dataclass(frozen=True)
class Verification:
    """The read that shows the outcome: GET `href` until the condition `until` holds."""

    href: str
    until: str


class Action(ABC, Generic[InputT]):
    """One verb. Instances hold no state.

    kind: "<noun>.<verb>", stored in operations. title: imperative phrase. permission: the weakest role that may.
    Input: pydantic model, frozen, extra="forbid", of the typed input (its JSON schema is the API's and the tool's).
    An agent's change waits for a person where risk_of(plan) is destructive, or where it adds more cost than agents may add
    (operations.agents.approval).
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    permission: ClassVar[Role] = Role.OPERATOR
    risk: ClassVar[Risk] = Risk.SAFE
    Input: ClassVar[type[BaseModel]]
    typical_seconds: ClassVar[int | None] = None
    cancellable: ClassVar[bool] = True
    makes_cluster: ClassVar[bool] = False
    """Whether the cluster named may not be there yet; then plan() refuses an AWS account that the principal may not use."""

    @abstractmethod
    def subject(self, data: InputT) -> tuple[str, str]:
        """Type and name of what the action is about, e.g. ("cluster", "demo"). The token's cluster limit is checked on it."""

    def cluster(self, data: InputT) -> str:
        """Name of the cluster concerned, "" for none; default: the subject's name up to the first "/"."""
        return self.subject(data)[1].partition("/")[0]

    def account(self, data: InputT) -> str:
        """Digits of the AWS account that it is about, where it is about no cluster: who is limited to accounts may ask for it in those.

        "" for none, or that of the installation's own credentials, which is not told by its digits: then only who is not limited.
        """
        return ""

    def lock(self, data: InputT) -> str:
        """Key that at most one active operation may hold; default: the subject. Empty: no lock."""
        return ":".join(self.subject(data))

    @abstractmethod
    def plan(self, data: InputT, principal: Principal) -> Plan:
        """What would happen; reads only (AWS reads allowed, never inside a transaction)."""

    def risk_of(self, plan: Plan) -> Risk:
        """How much this very change can do; default: what the verb can."""
        return self.risk

    def guard(self, data: InputT) -> None:
        """What must still hold when it is recorded, and when it is approved: in that transaction, under the locks of our rows.

        Raises Problem when it does not. The plan's checks were made before, without a lock. No network here.
        """

    def record(self, data: InputT, operation: Operation) -> None:
        """Rows of ours that must exist with the operation; runs in the transaction that records it. No network here."""

    @abstractmethod
    def steps(self, operation: Operation) -> Iterable[Step]:
        """The steps, in order, rebuilt from operation.input (already validated) at every tick. Cheap, no I/O besides our database."""

    def finished(self, operation: Operation) -> None:
        """Rows of ours that change with the end of the operation (any final state); runs in the transaction that ends it."""

    def retry(self, operation: Operation) -> tuple[str, dict[str, Any]]:
        """Kind and input of what tries again an operation that failed or was cancelled; default: the same once more."""
        return operation.kind, dict(operation.input)

    @abstractmethod
    def verify(self, operation: Operation) -> Verification: ...


_registry: dict[str, Action[BaseModel]] = {}


def register(action: type[Action[InputT]]) -> type[Action[InputT]]:
    """Class decorator: makes the action known by its kind. Apps import their actions package in AppConfig.ready()."""
    if action.kind in _registry:
        raise RuntimeError(f"two actions of kind {action.kind}")
    _registry[action.kind] = action()  # type: ignore[assignment]
    return action


def find(kind: str) -> Action[BaseModel]:
    """The action of that kind. KeyError when there is none."""
    return _registry[kind]


def kinds() -> list[str]:
    return sorted(_registry)
