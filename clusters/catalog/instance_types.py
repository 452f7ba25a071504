"""Facts about HyperPod's instance types, as data.

Sources: vCPU, memory, accelerators and EFA of the accelerated types: `sagemaker-hyperpod` 3.12.0 and AWS documentation
(reference/aws.md §9); sizes of the general types follow EC2's rule (2^n × 4 vCPU, a fixed memory per vCPU in a family).
Prices: us-east-1, cluster usage, on demand, surveyed in October 2026; None where no source was found. IPv4 addresses a node
takes on EKS: 50 on the first network card and one on each further card.
"""

from __future__ import annotations

from dataclasses import dataclass

PRICE_REGION = "us-east-1"
PRICE_DATE = "2026-10"


@dataclass(frozen=True)
class InstanceType:
    """One type.

    memory_gib: GiB of RAM. accelerator: model name, "" for none; accelerators: how many; None: there are some, but how many
    is not known. accelerator_gb: memory of one, GB. efa: EFA interfaces that HyperPod attaches. addresses: IPv4 addresses
    one node takes. threads_per_core: HyperPod's default here. price_per_hour: US dollars in PRICE_REGION, None when unknown.
    """

    name: str
    vcpus: int
    memory_gib: float
    accelerator: str = ""
    accelerators: int | None = 0
    accelerator_gb: int | None = None
    efa: int = 0
    addresses: int = 50
    threads_per_core: int = 1
    arm: bool = False
    price_per_hour: float | None = None

    @property
    def family(self) -> str:
        """ "g5" of "ml.g5.8xlarge"."""
        return self.name.split(".")[1]

    @property
    def ec2_name(self) -> str:
        """EC2's own name, without "ml."."""
        return self.name.removeprefix("ml.")

    @property
    def gpu(self) -> bool:
        """Whether its accelerators are NVIDIA's."""
        return bool(self.accelerator) and not self.accelerator.startswith("Trainium")


_A100_40, _A100_80, _H100, _H200 = ("A100", 40), ("A100", 80), ("H100", 80), ("H200", 141)
_B200, _B300, _GB200 = ("B200", 180), ("B300", 269), ("GB200", 186)
_TRN1, _TRN2 = ("Trainium", 32), ("Trainium2", 96)
_T4, _A10G, _L4, _L40S, _RTX6000 = ("T4", 16), ("A10G", 24), ("L4", 24), ("L40S", 48), ("RTX PRO 6000", 96)

# type, vCPU, GiB, (accelerator, GB each), how many, EFA interfaces, network cards, threads per core, price
_ACCELERATED: tuple[tuple[str, int, float, tuple[str, int], int, int, int, int, float | None], ...] = (
    ("p4d.24xlarge", 96, 1152, _A100_40, 8, 4, 4, 2, 25.91),
    ("p4de.24xlarge", 96, 1152, _A100_80, 8, 4, 4, 2, None),
    ("p5.4xlarge", 16, 256, _H100, 1, 1, 1, 2, None),
    ("p5.48xlarge", 192, 2048, _H100, 8, 32, 32, 2, 66.05),
    ("p5e.48xlarge", 192, 2048, _H200, 8, 32, 32, 2, None),
    ("p5en.48xlarge", 192, 2048, _H200, 8, 16, 16, 2, 75.96),
    ("p6-b200.48xlarge", 192, 2048, _B200, 8, 8, 8, 2, None),
    ("p6-b300.48xlarge", 192, 4096, _B300, 8, 16, 16, 2, None),
    ("p6e-gb200.36xlarge", 144, 960, _GB200, 4, 0, 1, 2, None),
    ("trn1.32xlarge", 128, 512, _TRN1, 16, 8, 8, 1, None),
    ("trn1n.32xlarge", 128, 512, _TRN1, 16, 16, 16, 1, None),
    ("trn2.3xlarge", 12, 128, _TRN2, 1, 1, 1, 1, None),
    ("trn2.48xlarge", 192, 2048, _TRN2, 16, 16, 16, 1, None),
    ("g4dn.xlarge", 4, 16, _T4, 1, 0, 1, 1, None),
    ("g4dn.2xlarge", 8, 32, _T4, 1, 0, 1, 1, None),
    ("g4dn.4xlarge", 16, 64, _T4, 1, 0, 1, 1, None),
    ("g4dn.8xlarge", 32, 128, _T4, 1, 1, 1, 1, None),
    ("g4dn.12xlarge", 48, 192, _T4, 4, 1, 1, 1, None),
    ("g4dn.16xlarge", 64, 256, _T4, 1, 1, 1, 1, None),
    ("g5.xlarge", 4, 16, _A10G, 1, 0, 1, 1, None),
    ("g5.2xlarge", 8, 32, _A10G, 1, 0, 1, 1, None),
    ("g5.4xlarge", 16, 64, _A10G, 1, 0, 1, 1, None),
    ("g5.8xlarge", 32, 128, _A10G, 1, 1, 1, 1, None),
    ("g5.12xlarge", 48, 192, _A10G, 4, 1, 1, 1, None),
    ("g5.16xlarge", 64, 256, _A10G, 1, 1, 1, 1, None),
    ("g5.24xlarge", 96, 384, _A10G, 4, 1, 1, 1, None),
    ("g5.48xlarge", 192, 768, _A10G, 8, 1, 1, 1, None),
    ("g6.xlarge", 4, 16, _L4, 1, 0, 1, 1, None),
    ("g6.2xlarge", 8, 32, _L4, 1, 0, 1, 1, None),
    ("g6.4xlarge", 16, 64, _L4, 1, 0, 1, 1, None),
    ("g6.8xlarge", 32, 128, _L4, 1, 1, 1, 1, None),
    ("g6.12xlarge", 48, 192, _L4, 4, 1, 1, 1, None),
    ("g6.16xlarge", 64, 256, _L4, 1, 1, 1, 1, None),
    ("g6.24xlarge", 96, 384, _L4, 4, 1, 1, 1, None),
    ("g6.48xlarge", 192, 768, _L4, 8, 1, 1, 1, None),
    ("gr6.4xlarge", 16, 128, _L4, 1, 0, 1, 1, None),
    ("gr6.8xlarge", 32, 256, _L4, 1, 0, 1, 1, None),
    ("g6e.xlarge", 4, 32, _L40S, 1, 0, 1, 1, None),
    ("g6e.2xlarge", 8, 64, _L40S, 1, 0, 1, 1, None),
    ("g6e.4xlarge", 16, 128, _L40S, 1, 0, 1, 1, None),
    ("g6e.8xlarge", 32, 256, _L40S, 1, 1, 1, 1, None),
    ("g6e.12xlarge", 48, 384, _L40S, 4, 1, 1, 1, None),
    ("g6e.16xlarge", 64, 512, _L40S, 1, 1, 1, 1, None),
    ("g6e.24xlarge", 96, 768, _L40S, 4, 2, 2, 1, None),
    ("g6e.48xlarge", 192, 1536, _L40S, 8, 4, 4, 1, 37.66),
    ("g7e.2xlarge", 8, 64, _RTX6000, 1, 0, 1, 1, None),
    ("g7e.4xlarge", 16, 128, _RTX6000, 1, 0, 1, 1, None),
    ("g7e.8xlarge", 32, 256, _RTX6000, 1, 1, 1, 1, None),
    ("g7e.12xlarge", 48, 512, _RTX6000, 2, 1, 1, 1, None),
    ("g7e.24xlarge", 96, 1024, _RTX6000, 4, 2, 2, 1, None),
    ("g7e.48xlarge", 192, 2048, _RTX6000, 8, 4, 4, 1, None),
)

_SIZES: dict[str, int] = {"medium": 1, "large": 2, "xlarge": 4, **{f"{n}xlarge": 4 * n for n in (2, 3, 4, 6, 8, 9, 12, 16, 18, 24, 32, 48)}}

# family, GiB per vCPU, sizes, whether its cores are Arm's
_GENERAL: tuple[tuple[str, float, str, bool], ...] = (
    ("c5", 2, "large xlarge 2xlarge 4xlarge 9xlarge 12xlarge 18xlarge 24xlarge", False),
    ("c5n", 2.625, "large 2xlarge 4xlarge 9xlarge 18xlarge", False),
    ("c6a", 2, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge", False),
    ("c6g", 2, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge", True),
    ("c6i", 2, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge", False),
    ("c7g", 2, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge", True),
    ("c8a", 2, "16xlarge", False),
    ("c8g", 2, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge", True),
    ("i3en", 8, "large xlarge 2xlarge 3xlarge 6xlarge 12xlarge 24xlarge", False),
    ("m5", 4, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge", False),
    ("m6a", 4, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge 48xlarge", False),
    ("m6g", 4, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge", True),
    ("m6i", 4, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge", False),
    ("m7g", 4, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge", True),
    ("m7i", 4, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge", False),
    ("m8a", 4, "16xlarge", False),
    ("m8g", 4, "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge", True),
    ("r5d", 8, "16xlarge", False),
    ("r6i", 8, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 32xlarge", False),
    ("r7i", 8, "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge 48xlarge", False),
)

_T3: tuple[tuple[str, int, float], ...] = (("t3.medium", 2, 4), ("t3.large", 2, 8), ("t3.xlarge", 4, 16), ("t3.2xlarge", 8, 32))

NOT_DESCRIBED: frozenset[str] = frozenset(f"ml.g7.{size}" for size in ("2xlarge", "4xlarge", "8xlarge", "12xlarge", "24xlarge", "48xlarge"))
"""Types that SageMaker's model names, of which no source tells the facts: they may be used, unchecked."""


def _table() -> dict[str, InstanceType]:
    rows = [
        InstanceType(
            name=f"ml.{name}",
            vcpus=vcpus,
            memory_gib=memory,
            accelerator=model,
            accelerators=number,
            accelerator_gb=gb,
            efa=efa,
            addresses=50 + cards - 1,
            threads_per_core=threads,
            arm=name.startswith("p6e-gb"),
            price_per_hour=price,
        )
        for name, vcpus, memory, (model, gb), number, efa, cards, threads, price in _ACCELERATED
    ]
    for family, per_vcpu, sizes, arm in _GENERAL:
        rows += [InstanceType(f"ml.{family}.{size}", _SIZES[size], _SIZES[size] * per_vcpu, arm=arm) for size in sizes.split()]
    rows += [InstanceType(f"ml.{name}", vcpus, memory) for name, vcpus, memory in _T3]
    return {row.name: row for row in rows}


INSTANCE_TYPES: dict[str, InstanceType] = _table()


def find(name: str) -> InstanceType | None:
    """The facts of a type ("ml.g5.8xlarge"), None when it is not described here."""
    return INSTANCE_TYPES.get(name)


def known(name: str) -> bool:
    """Whether HyperPod takes the type, described or not."""
    return name in INSTANCE_TYPES or name in NOT_DESCRIBED
