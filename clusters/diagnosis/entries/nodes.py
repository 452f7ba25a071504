"""Nodes that Kubernetes or health monitoring call unwell."""

from __future__ import annotations

from clusters.diagnosis.entry import MACHINES, REBOOT, REPLACE, Clue, Confidence, KnownError, Noun
from clusters.diagnosis.evidence import Source

_CONDITIONS = frozenset({Source.NODE_CONDITION, Source.KUBERNETES_EVENT})
_KUBERNETES = "Kubernetes documentation, node conditions"
_HARDWARE = (
    "nvlink_error",
    "gpu_memory_error",
    "gpu_fell_off_bus",
    "gpu_count_mismatch",
    "dcgm_failure",
    "neuron_error",
    "gpu_hardware_failure",
    "deep_check_failed",
    "spot_reclaimed",
)

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "marked_for_replacement",
        Noun.NODE,
        "Marked for replacement",
        "HyperPod's health monitoring marked the node for replacement without a reason that is known here. Where automatic recovery is "
        "on it is replaced by itself; plain CPU nodes are not.",
        "Wait for the replacement, or replace it.",
        (Clue(r"UnschedulablePendingReplacement", MACHINES),),
        "AWS, HyperPod documentation: node health labels",
        REPLACE,
        after=_HARDWARE,
    ),
    KnownError(
        "marked_for_reboot",
        Noun.NODE,
        "Marked for a reboot",
        "HyperPod's health monitoring wants the node rebooted.",
        "Wait for the reboot, or reboot it.",
        (Clue(r"UnschedulablePendingReboot", MACHINES),),
        "AWS, HyperPod documentation: node health labels",
        REBOOT,
        after=_HARDWARE,
    ),
    KnownError(
        "kubelet_silent",
        Noun.NODE,
        "The node does not answer",
        "Its kubelet has stopped reporting: the machine hangs, reboots, or its network to the control plane is broken.",
        "If it is not rebooting now, reboot it; if that does not help, replace it.",
        (Clue(r"NodeStatusUnknown|kubelet stopped posting node status", _CONDITIONS),),
        _KUBERNETES,
        REBOOT,
    ),
    KnownError(
        "network_plugin_missing",
        Noun.NODE,
        "The network plugin does not run on the node",
        "Without the VPC CNI's pod a node can't be Ready: it was just started, or aws-node can't run there.",
        "Look at the add-on vpc-cni and at the pod aws-node on that node; a node that has just joined needs a minute.",
        (Clue(r"NetworkPluginNotReady|cni plugin not initialized", _CONDITIONS),),
        f"{_KUBERNETES}; AWS, Amazon VPC CNI troubleshooting",
    ),
    KnownError(
        "disk_full",
        Noun.NODE,
        "The node's disk is full",
        "The kubelet evicts pods and takes no new ones until disk is free: images, logs and emptyDir volumes share the root volume.",
        "Clean up what fills it, or replace the node; give the group a larger volume.",
        (Clue(r"\bDiskPressure\b|no space left on device|ephemeral-storage", _CONDITIONS | {Source.POD}),),
        f"{_KUBERNETES}: DiskPressure",
        REPLACE,
    ),
    KnownError(
        "memory_short",
        Noun.NODE,
        "The node is short of memory",
        "Pods use more memory than they ask for, and the kubelet begins to evict.",
        "Set memory requests and limits to what the pods need, or use a larger type.",
        (Clue(r"\bMemoryPressure\b|SystemOOM|low on resource: memory", _CONDITIONS | {Source.POD}),),
        f"{_KUBERNETES}: MemoryPressure",
    ),
    KnownError(
        "node_not_ready",
        Noun.NODE,
        "The node is not Ready",
        "Kubernetes says that the node is not Ready, for a reason that is not known here.",
        "Look at the node's conditions; reboot it if it stays so.",
        (Clue(r"^Ready is (False|Unknown)", frozenset({Source.NODE_CONDITION}), Confidence.LOW),),
        _KUBERNETES,
        REBOOT,
        after=(*_HARDWARE, "kubelet_silent", "network_plugin_missing", "disk_full", "marked_for_reboot", "marked_for_replacement"),
    ),
)
