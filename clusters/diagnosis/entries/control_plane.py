"""The control plane, and our own way to it."""

from __future__ import annotations

from clusters.diagnosis.entry import Clue, KnownError, Noun
from clusters.diagnosis.evidence import Source

_OURS = frozenset({Source.PHASE, Source.OPERATION, Source.STACK})

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "kubernetes_unreachable",
        Noun.CONTROL_PLANE,
        "The Kubernetes API can't be reached",
        "The cluster's endpoint does not answer from here: it is private only, its allowed networks exclude this machine, or a network "
        "between is down.",
        "Let the endpoint be public for this machine's address, or run InstantStart within reach of the VPC.",
        (Clue(r"Kubernetes API .{0,120}(reach|answer|connection)|ClusterUnreachable", _OURS | {Source.ADDON}),),
        "AWS, EKS: cluster endpoint access",
    ),
    KnownError(
        "credentials_expired",
        Noun.CONTROL_PLANE,
        "The portal's AWS credentials have expired",
        "AWS does not take InstantStart's credentials any more, so that nothing can be read or changed.",
        "Renew the portal's AWS credentials; what waits goes on by itself.",
        (Clue(r"ExpiredToken|credentials have expired|ExpiredCredentials|InvalidClientTokenId", _OURS),),
        "AWS, common errors: ExpiredToken",
    ),
)
