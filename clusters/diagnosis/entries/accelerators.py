"""GPUs and their links, as HyperPod's health monitoring (DCGM, nvidia-smi, Xid of the kernel log) tells them."""

from __future__ import annotations

from clusters.diagnosis.entry import MACHINES, REBOOT, REPLACE, Clue, Confidence, KnownError, Noun

_AGENT = "AWS, HyperPod health monitoring agent"

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "nvlink_error",
        Noun.ACCELERATOR,
        "NVLink errors",
        "The links between the GPUs of the machine (NVLink, NVSwitch) tell of errors: collective operations hang or slow down.",
        "Reboot the node once; if it comes back, replace it.",
        (Clue(r"nv(idia)?.?(link|switch)|\bxid\D{0,4}(\(.{0,40}\)\D{0,4})?74\b", MACHINES),),
        f"{_AGENT}; NVIDIA, Xid 74: NVLINK Error",
        REBOOT,
    ),
    KnownError(
        "gpu_memory_error",
        Noun.ACCELERATOR,
        "GPU memory has errors that can't be corrected",
        "A double-bit ECC error, or rows of memory that can't be remapped any more: results are not to be trusted, and jobs crash.",
        "Replace the node: a reboot does not repair memory.",
        (
            Clue(
                r"\bxid\D{0,4}(\(.{0,40}\)\D{0,4})?(48|63|64|94|95)\b|row.?remap\w*.{0,20}fail|double.?bit|ECC.?(DBE|uncorrect)", MACHINES
            ),
            Clue(r"DBE|uncorrectable|\bECC\b", MACHINES, Confidence.MEDIUM),
        ),
        f"{_AGENT}; NVIDIA, Xid 48, 63, 64, 94, 95; DCGM_FI_DEV_ROW_REMAP_FAILURE, DCGM_FI_DEV_ECC_DBE_VOL_TOTAL",
        REPLACE,
    ),
    KnownError(
        "gpu_fell_off_bus",
        Noun.ACCELERATOR,
        "A GPU has fallen off the bus",
        "The driver can't reach a GPU any more (Xid 79), or its firmware processor does not answer (Xid 119, 120).",
        "Reboot the node once; if it happens again, replace it.",
        (Clue(r"\bxid\D{0,4}(\(.{0,40}\)\D{0,4})?(79|119|120)\b|fallen off the bus", MACHINES),),
        f"{_AGENT}; NVIDIA, Xid 79, 119, 120",
        REBOOT,
    ),
    KnownError(
        "gpu_count_mismatch",
        Noun.ACCELERATOR,
        "GPUs are missing",
        "The machine shows fewer GPUs than its type has. A reboot usually brings them back.",
        "Reboot the node; if they stay away, replace it.",
        (Clue(r"gpu.?count.?mis.?match|fewer gpus|missing gpus?", MACHINES),),
        f"{_AGENT}: a mismatch of the GPU count leads to a reboot",
        REBOOT,
    ),
    KnownError(
        "dcgm_failure",
        Noun.ACCELERATOR,
        "DCGM found a failing GPU",
        "NVIDIA's data centre monitor reports a violated policy: temperature, power or PCIe, or a failed diagnosis.",
        "Look at the node's metrics; reboot it, and replace it if the report comes back.",
        (Clue(r"\bDCGM|thermal (violation|slowdown)", MACHINES),),
        f"{_AGENT}: DCGM policies",
        REBOOT,
    ),
    KnownError(
        "neuron_error",
        Noun.ACCELERATOR,
        "A Neuron device fails",
        "The Neuron driver tells of an error of the device (memory, DMA, a hang).",
        "Reboot the node; if it comes back, replace it.",
        (Clue(r"neuron.{0,40}(fail|error|hang|uncorrect)|\bNeuron(SRAM|HBM|DMA|Device)\w*", MACHINES),),
        f"{_AGENT}: Neuron checks; AWS Neuron, error messages of the driver",
        REBOOT,
    ),
    KnownError(
        "gpu_hardware_failure",
        Noun.ACCELERATOR,
        "The GPU hardware has failed",
        "Health monitoring saw an Xid of the kind that means broken hardware.",
        "Replace the node; HyperPod does it by itself where automatic recovery is on.",
        (Clue(r"XidHardwareFailure", MACHINES), Clue(r"\bxid\b", MACHINES, Confidence.MEDIUM)),
        f"{_AGENT}: HealthMonitoringAgentDetectionEvent XidHardwareFailure",
        REPLACE,
        after=("nvlink_error", "gpu_memory_error", "gpu_fell_off_bus"),
    ),
)
