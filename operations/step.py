"""The contract of a step: one observe/apply pair, driven by operations.engine."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from operations.choices import Category, StepState

if TYPE_CHECKING:
    from operations.models import Operation


@dataclass(frozen=True)
class Fault:
    """Why something failed: a stable code, a sentence, the fix, and what it means for the driver."""

    code: str
    message: str
    hint: str = ""
    category: Category = Category.TERMINAL


@dataclass(frozen=True)
class Observation:
    """What observe() saw.

    message: one sentence a person reads while waiting ("CloudFormation creates the NAT gateway"), link: where it can be
    seen outside (console URL or API path of ours). facts: JSON-able values later steps and the page need; the engine
    stores them under the step's name (`context.facts["<step name>"]`). fault: set when state is failed or unknown.
    poll_seconds: when to look again, in seconds of AWS at speed 1 (None: the engine's default).
    """

    state: StepState
    message: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    fault: Fault | None = None
    link: str = ""
    poll_seconds: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What apply() did: `request_id` is AWS's (or the resource version / release revision in Kubernetes).

    reply: what the answer said that can't be seen afterwards (which items of a batch were refused, and why): JSON, kept with the call.
    """

    request_id: str = ""
    message: str = ""
    reply: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StepContext:
    """What a step knows: its operation and the facts that earlier steps observed. Both are read-only to it.

    attempt: number of the call that apply() would make now; rises only when the outcome of the call before is certain.
    intent_at: when this operation last (perhaps) sent this step's call, None when it never did: an observe() of a step
        that is not idempotent looks for effects after it.
    reply: Outcome.reply of this step's last call; {} when there was none, and when its answer never came.
    """

    operation: Operation
    facts: Mapping[str, Mapping[str, Any]]
    attempt: int = 1
    intent_at: datetime | None = None
    reply: Mapping[str, Any] = field(default_factory=dict)

    def token(self, step: Step, attempt: int | None = None) -> str:
        """A client token derived from the operation: the same after a crash, another for a new attempt (<= 64 chars)."""
        number = self.attempt if attempt is None else attempt
        name = step.name if len(step.name) <= 22 else f"{step.name[:13]}-{hashlib.sha256(step.name.encode()).hexdigest()[:8]}"
        return f"is-{self.operation.pk.hex}-{name}-{number}"[:64]


class Step(ABC):
    """One thing to bring about. Stateless: it can be rebuilt from its operation after a crash.

    name: unique within the operation, stable over releases (stored). title: shown to people, an imperative phrase.
    api: the one external call that apply() makes ("eks:CreateAddon", "helm:upgrade", "kubernetes:apply"); empty for a step that only waits.
    idempotent: whether the same call under the same name or token has no second effect, or its effect can be told by
        observe(). When False (reboot, replace) a lost reply that observe() can't settle makes the operation *unknown*.
    evidence_seconds: how long after a lost reply (of a step that is not idempotent) its effect may still come into view, at speed 1.
    typical_seconds: usual duration on AWS (speed 1).
    apply_timeout: longest time the external call may take, in seconds; must be shorter than the lease.
    """

    name: str
    title: str
    api: str = ""
    idempotent: ClassVar[bool] = True
    evidence_seconds: ClassVar[float] = 0.0
    typical_seconds: int | None = None
    apply_timeout: float = 20.0

    @abstractmethod
    def observe(self, context: StepContext) -> Observation:
        """Read the world; no writes. Raise CloudError/KubeError when it can't be read: the engine classifies it."""

    def apply(self, context: StepContext, seen: Observation) -> Outcome:
        """Make at most one external change, under a name or token derived from the operation."""
        raise NotImplementedError(f"step {self.name} only waits")

    def cancel(self, context: StepContext) -> Observation:
        """Where a cancelled operation must converge: READY when nothing moves any more. Default: what is running may end."""
        seen = self.observe(context)
        if seen.state is StepState.PENDING:
            return seen
        return Observation(StepState.READY, seen.message)
