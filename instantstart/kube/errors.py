"""The exceptions of the Kubernetes gateway."""

from __future__ import annotations

from dataclasses import dataclass

UNREACHABLE = "Unreachable"
TIMEOUT = "Timeout"
CONNECTION_RESET = "ConnectionReset"
TLS_FAILED = "TlsFailed"
UNREADABLE_REPLY = "UnreadableReply"
NO_SUCH_KIND = "NoSuchKind"
TRANSPORT_CODES: frozenset[str] = frozenset({UNREACHABLE, TIMEOUT, CONNECTION_RESET, TLS_FAILED, UNREADABLE_REPLY})


@dataclass
class KubeError(Exception):
    """A call to a Kubernetes API that failed.

    code: the Status' reason ("Forbidden", "NotFound", "Invalid" …) or one of the words above. sent: as in CloudError, None
    when a write may have had its effect. operation: verb and path, without query.
    """

    operation: str
    code: str
    message: str
    status: int | None = None
    sent: bool | None = None
    service: str = "kubernetes"
    request_id: str = ""

    def __str__(self) -> str:
        return f"{self.operation}: {self.code}: {self.message}"

    @property
    def missing(self) -> bool:
        """Whether the answer says that the thing asked for does not exist."""
        return self.code in ("NotFound", NO_SUCH_KIND)


@dataclass
class HelmError(Exception):
    """Helm ended with an error, or was stopped. code: "HelmFailed", "Timeout", "PendingOperation", "NotFound", "MissingTool" …"""

    operation: str
    code: str
    message: str
    status: int | None = None
    sent: bool | None = None
    service: str = "helm"
    request_id: str = ""

    def __str__(self) -> str:
        return f"helm {self.operation}: {self.code}: {self.message}"

    @property
    def missing(self) -> bool:
        return self.code == "NotFound"
