"""Instances that come and do not become nodes."""

from __future__ import annotations

from clusters.diagnosis.entry import HYPERPOD, MACHINES, Clue, KnownError, Noun
from clusters.diagnosis.evidence import Source

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "lifecycle_script_failed",
        Noun.INSTANCE,
        "The lifecycle script failed",
        "The script that HyperPod runs on a new instance ended with an error. HyperPod tries again with another instance, which will "
        "fail in the same way. Often: no access to the bucket, Windows line ends, no #! line.",
        "Read the log stream LifecycleConfig/<group>/<instance> in the cluster's log group, correct the script in the bucket, and let "
        "HyperPod's next attempt run it.",
        (
            Clue(
                r"lifecycle ?(config|configuration)? ?(script|scripts|execution)?.{0,40}(fail|exit|error|timed out)"
                r"|LcsExecution.*fail|on_create\.sh",
                HYPERPOD,
            ),
        ),
        "AWS, HyperPod troubleshooting: lifecycle scripts",
    ),
    KnownError(
        "efa_check_failed",
        Noun.INSTANCE,
        "The EFA health check failed",
        "Nodes with EFA must reach one another over it. Almost always the security group does not allow all traffic to and from "
        "itself; 0.0.0.0/0 as the only way out is not enough.",
        "Let the nodes' security group allow all traffic from itself and to itself, both as rules that name the group.",
        (Clue(r"EFA health check", HYPERPOD | {Source.HEALTH_LABEL}),),
        "AWS, HyperPod prerequisites: security group for EFA",
    ),
    KnownError(
        "deep_check_failed",
        Noun.INSTANCE,
        "A deep health check failed",
        "The stress or connectivity tests found a bad machine. HyperPod replaces it by itself.",
        "Wait for the replacement; the stream DeepHealthCheckResults/<instance> in the cluster's log group says which test failed.",
        (Clue(r"deep.?health.?checks?.{0,60}fail", MACHINES | HYPERPOD),),
        "AWS, HyperPod documentation: deep health checks",
    ),
)
