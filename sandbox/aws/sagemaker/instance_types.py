"""What an ml.* instance has. Accelerators, EFA, memory: reference/aws.md §9; sizes of plain families follow EC2's naming.

Addresses a node takes in its subnet: 50 on the primary network card and one for each further card (reference §9, IP rule).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class InstanceFacts:
    """Memory in GiB. `accelerator` is the Kubernetes resource its devices are offered as, "" for none."""

    name: str
    vcpus: int
    memory: int
    accelerators: int = 0
    accelerator: str = ""
    efa: int = 0
    cards: int = 1

    @property
    def addresses(self) -> int:
        return 50 + self.cards - 1

    @property
    def deep_checks(self) -> bool:
        """Deep health checks exist for GPU and Trainium instances."""
        return self.accelerators > 0

    @property
    def capacity(self) -> dict[str, str]:
        """Kubernetes quantities that the machine itself has; device plugins add accelerators and EFA on AWS, the sandbox at once."""
        offered = {"cpu": str(self.vcpus), "memory": f"{self.memory}Gi", "pods": str(self._pods), "ephemeral-storage": "500Gi"}
        if self.accelerators:
            offered[self.accelerator] = str(self.accelerators)
        if self.efa:
            offered["vpc.amazonaws.com/efa"] = str(self.efa)
            offered["hugepages-2Mi"] = "20Gi"
        return offered

    @property
    def _pods(self) -> int:
        # 49 on p4 and p5 (reference §9); small machines have room for fewer addresses
        return {1: 8, 2: 29}.get(self.vcpus, 49)


_GPU, _NEURON = "nvidia.com/gpu", "aws.amazon.com/neuron"

# vCPUs, GiB, accelerators, resource, EFA interfaces, network cards
_LARGE: dict[str, tuple[int, int, int, str, int, int]] = {
    "p4d.24xlarge": (96, 1152, 8, _GPU, 4, 4),
    "p4de.24xlarge": (96, 1152, 8, _GPU, 4, 4),
    "p5.4xlarge": (16, 256, 1, _GPU, 1, 1),
    "p5.48xlarge": (192, 2048, 8, _GPU, 32, 32),
    "p5e.48xlarge": (192, 2048, 8, _GPU, 32, 32),
    "p5en.48xlarge": (192, 2048, 8, _GPU, 16, 16),
    "p6-b200.48xlarge": (192, 2048, 8, _GPU, 8, 8),
    "p6-b300.48xlarge": (192, 4096, 8, _GPU, 16, 16),
    "p6e-gb200.36xlarge": (144, 960, 4, _GPU, 0, 1),
    "trn1.32xlarge": (128, 512, 16, _NEURON, 8, 8),
    "trn1n.32xlarge": (128, 512, 16, _NEURON, 16, 16),
    "trn2.3xlarge": (12, 128, 1, _NEURON, 1, 1),
    "trn2.48xlarge": (192, 2048, 16, _NEURON, 16, 16),
}
# GiB a vCPU
_RATIOS = {
    "c": 2.0,
    "m": 4.0,
    "r": 8.0,
    "t": 4.0,
    "i": 8.0,
    "g4dn": 4.0,
    "g5": 4.0,
    "g6": 4.0,
    "gr6": 8.0,
    "g6e": 8.0,
    "g7": 4.0,
    "g7e": 8.0,
}
_RATIOS["c5n"] = 2.625
_SMALL_SIZES = {"medium": 1, "large": 2, "xlarge": 4}
_GPU_COUNTS = {
    "g4dn": {"12xlarge": 4},
    "g5": {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8},
    "g7": {"12xlarge": 2, "24xlarge": 4, "48xlarge": 8},
}
_GPU_COUNTS["g6"] = _GPU_COUNTS["g6e"] = _GPU_COUNTS["g5"]
_GPU_COUNTS["g7e"] = _GPU_COUNTS["g7"]
_WIDE_EFA = {"g6e.24xlarge": 2, "g6e.48xlarge": 4, "g7e.24xlarge": 2, "g7e.48xlarge": 4}
_EFA_FROM = 8  # G instances have EFA from 8xlarge on


@cache
def facts(name: str) -> InstanceFacts:
    """Facts of an instance type that the API's enum allows, such as ml.p5.48xlarge."""
    plain = name.removeprefix("ml.")
    if plain in _LARGE:
        vcpus, memory, accelerators, resource, efa, cards = _LARGE[plain]
        return InstanceFacts(name, vcpus, memory, accelerators, resource, efa, cards)
    family, _, size = plain.partition(".")
    multiple = 0 if size in _SMALL_SIZES else int(size.removesuffix("xlarge"))
    vcpus = _SMALL_SIZES.get(size, 4 * multiple)
    if family == "t3":  # the one family whose medium and large have two vCPUs
        vcpus = {"medium": 2, "large": 2, "xlarge": 4, "2xlarge": 8}[size]
        return InstanceFacts(name, vcpus, {"medium": 4, "large": 8, "xlarge": 16, "2xlarge": 32}[size])
    ratio = _RATIOS.get(family, _RATIOS.get(family[0], 4.0))
    if not family.startswith("g"):
        return InstanceFacts(name, vcpus, int(vcpus * ratio))
    efa = _WIDE_EFA.get(plain, 1) if multiple >= _EFA_FROM else 0
    gpus = _GPU_COUNTS.get(family, {}).get(size, 1)
    return InstanceFacts(name, vcpus, int(vcpus * ratio), gpus, _GPU, efa, max(1, efa))
