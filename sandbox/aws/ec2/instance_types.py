"""Instance types: what a machine has, as DescribeInstanceTypes tells it, and in which zones EC2 offers it.

vCPUs, memory, accelerators and EFA interfaces: reference/aws.md §9 (there marked as taken from AWS's own packages). Where a type is
offered is our choice, made so that it differs by zone: real offerings change from month to month.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sandbox.aws.ec2 import filters
from sandbox.aws.ec2.zones import zones
from sandbox.aws.errors import AWSError
from sandbox.aws.registry import operation

if TYPE_CHECKING:
    from sandbox.aws.context import Context


@dataclass(frozen=True)
class Accelerator:
    kind: str
    """`gpu` or `neuron`."""
    maker: str
    model: str
    memory_gib: int


_A10G = Accelerator("gpu", "NVIDIA", "A10G", 24)
_A100_40 = Accelerator("gpu", "NVIDIA", "A100", 40)
_A100_80 = Accelerator("gpu", "NVIDIA", "A100", 80)
_B200 = Accelerator("gpu", "NVIDIA", "B200", 180)
_B300 = Accelerator("gpu", "NVIDIA", "B300", 269)
_GB200 = Accelerator("gpu", "NVIDIA", "GB200", 186)
_H100 = Accelerator("gpu", "NVIDIA", "H100", 80)
_H200 = Accelerator("gpu", "NVIDIA", "H200", 141)
_L4 = Accelerator("gpu", "NVIDIA", "L4", 24)
_L40S = Accelerator("gpu", "NVIDIA", "L40S", 48)
_RTX6000 = Accelerator("gpu", "NVIDIA", "RTX PRO Server 6000", 96)
_T4 = Accelerator("gpu", "NVIDIA", "T4", 16)
_TRAINIUM = Accelerator("neuron", "AWS", "Trainium", 32)
_TRAINIUM2 = Accelerator("neuron", "AWS", "Trainium2", 96)


@dataclass(frozen=True)
class InstanceType:
    name: str
    vcpus: int
    memory_gib: int
    accelerators: int = 0
    accelerator: Accelerator | None = None
    efa: int = 0
    network_cards: int = 1
    nvme_gb: int = 0
    threads_per_core: int = 2
    arm: bool = False

    @property
    def family(self) -> str:
        return self.name.partition(".")[0]


def _sizes(family: str, sizes: dict[str, tuple[int, int]], *, threads: int = 2, arm: bool = False) -> list[InstanceType]:
    return [InstanceType(f"{family}.{size}", vcpus, memory, threads_per_core=threads, arm=arm) for size, (vcpus, memory) in sizes.items()]


def _gpu_sizes(family: str, accelerator: Accelerator, rows: list[tuple[str, int, int, int, int]]) -> list[InstanceType]:
    """Rows: size, vCPUs, GiB, GPUs, EFA interfaces."""
    return [
        InstanceType(f"{family}.{size}", vcpus, memory, gpus, accelerator, efa, max(1, efa), nvme_gb=250 * max(1, vcpus // 4))
        for size, vcpus, memory, gpus, efa in rows
    ]


_GENERAL = {
    "large": (2, 8),
    "xlarge": (4, 16),
    "2xlarge": (8, 32),
    "4xlarge": (16, 64),
    "8xlarge": (32, 128),
    "12xlarge": (48, 192),
    "16xlarge": (64, 256),
    "24xlarge": (96, 384),
}
_COMPUTE = {
    "large": (2, 4),
    "xlarge": (4, 8),
    "2xlarge": (8, 16),
    "4xlarge": (16, 32),
    "9xlarge": (36, 72),
    "12xlarge": (48, 96),
    "18xlarge": (72, 144),
    "24xlarge": (96, 192),
}
_MEMORY = {
    "large": (2, 16),
    "xlarge": (4, 32),
    "2xlarge": (8, 64),
    "4xlarge": (16, 128),
    "8xlarge": (32, 256),
    "12xlarge": (48, 384),
    "16xlarge": (64, 512),
    "24xlarge": (96, 768),
}
_BURST = {"micro": (2, 1), "small": (2, 2), "medium": (2, 4), "large": (2, 8), "xlarge": (4, 16), "2xlarge": (8, 32)}
_G5 = [
    ("xlarge", 4, 16, 1, 0),
    ("2xlarge", 8, 32, 1, 0),
    ("4xlarge", 16, 64, 1, 0),
    ("8xlarge", 32, 128, 1, 1),
    ("12xlarge", 48, 192, 4, 1),
    ("16xlarge", 64, 256, 1, 1),
    ("24xlarge", 96, 384, 4, 1),
    ("48xlarge", 192, 768, 8, 1),
]
_G6E = [(size, vcpus, memory * 2, gpus, {"24xlarge": 2, "48xlarge": 4}.get(size, efa)) for size, vcpus, memory, gpus, efa in _G5]
_G4DN = [
    ("xlarge", 4, 16, 1, 0),
    ("2xlarge", 8, 32, 1, 0),
    ("4xlarge", 16, 64, 1, 0),
    ("8xlarge", 32, 128, 1, 1),
    ("12xlarge", 48, 192, 4, 1),
    ("16xlarge", 64, 256, 1, 1),
]
_G7E = [
    ("2xlarge", 8, 64, 1, 0),
    ("4xlarge", 16, 128, 1, 0),
    ("8xlarge", 32, 256, 1, 1),
    ("12xlarge", 48, 512, 2, 1),
    ("24xlarge", 96, 1024, 4, 2),
    ("48xlarge", 192, 2048, 8, 4),
]

_ALL = [
    InstanceType("p4d.24xlarge", 96, 1152, 8, _A100_40, 4, 4, 8000),
    InstanceType("p4de.24xlarge", 96, 1152, 8, _A100_80, 4, 4, 8000),
    InstanceType("p5.4xlarge", 16, 256, 1, _H100, 1, 1, 3800),
    InstanceType("p5.48xlarge", 192, 2048, 8, _H100, 32, 32, 30720),
    InstanceType("p5e.48xlarge", 192, 2048, 8, _H200, 32, 32, 30720),
    InstanceType("p5en.48xlarge", 192, 2048, 8, _H200, 16, 16, 30720),
    InstanceType("p6-b200.48xlarge", 192, 2048, 8, _B200, 8, 8, 30720),
    InstanceType("p6-b300.48xlarge", 192, 4096, 8, _B300, 16, 17, 30720),
    InstanceType("p6e-gb200.36xlarge", 144, 960, 4, _GB200, 0, 1, 22500, threads_per_core=1, arm=True),
    InstanceType("trn1.32xlarge", 128, 512, 16, _TRAINIUM, 8, 8, 7600),
    InstanceType("trn1n.32xlarge", 128, 512, 16, _TRAINIUM, 16, 16, 7600),
    InstanceType("trn2.3xlarge", 12, 128, 1, _TRAINIUM2, 1, 1, 470),
    InstanceType("trn2.48xlarge", 192, 2048, 16, _TRAINIUM2, 16, 16, 7600),
    *_gpu_sizes("g4dn", _T4, _G4DN),
    *_gpu_sizes("g5", _A10G, _G5),
    *_gpu_sizes("g6", _L4, _G5),
    *_gpu_sizes("g6e", _L40S, _G6E),
    *_gpu_sizes("g7e", _RTX6000, _G7E),
    *_sizes("c5", _COMPUTE),
    *_sizes("c6i", {size: _COMPUTE[size] for size in ("large", "xlarge", "2xlarge", "4xlarge", "12xlarge", "24xlarge")}),
    *_sizes("m5", _GENERAL),
    *_sizes("m6i", _GENERAL),
    *_sizes("m7i", _GENERAL),
    *_sizes("m7g", {size: _GENERAL[size] for size in ("large", "xlarge", "2xlarge", "4xlarge")}, threads=1, arm=True),
    *_sizes("r6i", _MEMORY),
    *_sizes("r7i", _MEMORY),
    *_sizes("t3", _BURST),
]
INSTANCE_TYPES = {one.name: one for one in _ALL}

# Letters of the zones that offer a family; "" stands for every zone of the region.
_EVERYWHERE = ""
_OFFERED: dict[str, dict[str, str]] = {
    "us-east-1": {
        "p4d": "acd",
        "p4de": "bd",
        "p5": "abcdf",
        "p5e": "b",
        "p5en": "bd",
        "p6-b200": "b",
        "p6-b300": "d",
        "trn1": "df",
        "trn1n": "df",
        "g7e": "bcd",
    },
    "us-east-2": {
        "p4d": "abc",
        "p5": "abc",
        "p5e": "ab",
        "p5en": "ac",
        "p6-b200": "bc",
        "p6e-gb200": "c",
        "trn1": "c",
        "trn2": "c",
        "g7e": "ab",
    },
    "us-west-2": {
        "p4d": "abc",
        "p4de": "bc",
        "p5": "abcd",
        "p5e": "c",
        "p5en": "acd",
        "p6-b200": "cd",
        "p6-b300": "d",
        "p6e-gb200": "d",
        "trn1": "bd",
        "trn1n": "bd",
        "trn2": "d",
        "g7e": "abc",
    },
    "eu-west-1": {"p4d": "abc", "p5": "b"},
    "eu-central-1": {"p4d": "b", "p5en": "c"},
    "eu-north-1": {"p5": "ab", "p5en": "c", "trn1": "b"},
    "eu-west-2": {"p5": "a", "p5en": "b"},
    "ap-northeast-1": {"p4d": "ac", "p4de": "c", "p5": "ad", "p5e": "d", "p5en": "a", "trn2": "c"},
    "ap-south-1": {"p5": "b", "p5en": "b"},
    "ap-southeast-2": {"p5": "c"},
    "sa-east-1": {"p5": "b"},
}
_MOST_ZONES = {"g4dn", "g5", "g6", "g6e", "m7i", "r7i"}
"""Families that every region has, in all zones but its last one where it has more than two."""
_ACCELERATED = {one.family for one in _ALL if one.accelerators} - _MOST_ZONES


def offered_zones(region: str, name: str) -> list[str]:
    """Names of the zones that offer an EC2 instance type (no `ml.` prefix); empty when none does."""
    known = INSTANCE_TYPES.get(name)
    names = [one.name for one in zones(region)]
    if known is None:
        return []
    if known.family in _ACCELERATED:
        letters = _OFFERED.get(region, {}).get(known.family, "-")
        return [one for one in names if one[-1] in letters]
    # us-east-1e is old and gets no new types; p5.4xlarge follows its family.
    names = [one for one in names if one != "us-east-1e"] if known.family != "t3" else names
    if known.family in _MOST_ZONES and len(names) > 2:
        return names[:-1]
    return names


def offered(region: str, zone_name: str, name: str) -> bool:
    return zone_name in offered_zones(region, name)


def _described(one: InstanceType) -> dict[str, Any]:
    description: dict[str, Any] = {
        "InstanceType": one.name,
        "CurrentGeneration": True,
        "FreeTierEligible": one.name == "t3.micro",
        "SupportedUsageClasses": ["on-demand", "spot"],
        "SupportedRootDeviceTypes": ["ebs"],
        "SupportedVirtualizationTypes": ["hvm"],
        "BareMetal": False,
        "Hypervisor": "nitro",
        "ProcessorInfo": {"SupportedArchitectures": ["arm64" if one.arm else "x86_64"]},
        "VCpuInfo": {
            "DefaultVCpus": one.vcpus,
            "DefaultCores": one.vcpus // one.threads_per_core,
            "DefaultThreadsPerCore": one.threads_per_core,
            "ValidThreadsPerCore": list(range(1, one.threads_per_core + 1)),
        },
        "MemoryInfo": {"SizeInMiB": one.memory_gib * 1024},
        "InstanceStorageSupported": one.nvme_gb > 0,
        "EbsInfo": {"EbsOptimizedSupport": "default", "EncryptionSupport": "supported", "NvmeSupport": "required"},
        "NetworkInfo": {
            "NetworkPerformance": f"{100 * one.network_cards} Gigabit" if one.efa else "Up to 25 Gigabit",
            "MaximumNetworkInterfaces": 15 * one.network_cards if one.network_cards > 1 else 8,
            "MaximumNetworkCards": one.network_cards,
            "DefaultNetworkCardIndex": 0,
            "Ipv4AddressesPerInterface": 50 if one.vcpus > 16 else 15,
            "Ipv6AddressesPerInterface": 50 if one.vcpus > 16 else 15,
            "Ipv6Supported": True,
            "EnaSupport": "required",
            "EfaSupported": one.efa > 0,
            "EncryptionInTransitSupported": True,
            **({"EfaInfo": {"MaximumEfaInterfaces": one.efa}} if one.efa else {}),
        },
        "PlacementGroupInfo": {"SupportedStrategies": ["cluster", "partition", "spread"]},
        "HibernationSupported": False,
        "BurstablePerformanceSupported": one.family.startswith("t"),
        "DedicatedHostsSupported": not one.family.startswith("t"),
        "AutoRecoverySupported": one.nvme_gb == 0,
        "SupportedBootModes": ["uefi"] if one.arm else ["legacy-bios", "uefi"],
    }
    if one.nvme_gb:
        description["InstanceStorageInfo"] = {"TotalSizeInGB": one.nvme_gb, "NvmeSupport": "required", "EncryptionSupport": "required"}
    if one.accelerator is not None:
        device = {
            "Name": one.accelerator.model,
            "Count": one.accelerators,
            "MemoryInfo": {"SizeInMiB": one.accelerator.memory_gib * 1024},
        }
        total = one.accelerators * one.accelerator.memory_gib * 1024
        if one.accelerator.kind == "gpu":
            description["GpuInfo"] = {"Gpus": [{"Manufacturer": one.accelerator.maker, **device}], "TotalGpuMemoryInMiB": total}
        else:
            description["NeuronInfo"] = {"NeuronDevices": [device], "TotalNeuronDeviceMemoryInMiB": total}
    return description


_READERS: dict[str, filters.Reader] = {
    "instance-type": lambda one: one["InstanceType"],
    "current-generation": lambda one: one["CurrentGeneration"],
    "processor-info.supported-architecture": lambda one: one["ProcessorInfo"]["SupportedArchitectures"],
    "memory-info.size-in-mib": lambda one: one["MemoryInfo"]["SizeInMiB"],
    "vcpu-info.default-vcpus": lambda one: one["VCpuInfo"]["DefaultVCpus"],
    "network-info.efa-supported": lambda one: one["NetworkInfo"]["EfaSupported"],
    "instance-storage-supported": lambda one: one["InstanceStorageSupported"],
    "supported-usage-class": lambda one: one["SupportedUsageClasses"],
    "bare-metal": lambda one: one["BareMetal"],
    "hypervisor": lambda one: one["Hypervisor"],
}


@operation("ec2", "DescribeInstanceTypes")
def describe_instance_types(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    """Types the region offers somewhere. Errors: InvalidInstanceType for a name that is none or not offered."""
    here = {one.name: one for one in _ALL if offered_zones(context.region, one.name)}
    wanted = params.get("InstanceTypes")
    if wanted:
        unknown = [name for name in wanted if name not in here]
        if unknown:
            raise AWSError("InvalidInstanceType", f"The following supplied instance types do not exist: [{', '.join(unknown)}]")
        here = {name: here[name] for name in wanted}
    return {"InstanceTypes": filters.apply([_described(one) for one in here.values()], params.get("Filters"), _READERS)}


@operation("ec2", "DescribeInstanceTypeOfferings")
def describe_instance_type_offerings(context: Context, params: dict[str, Any]) -> dict[str, Any]:
    kind = params.get("LocationType") or "region"
    ids = {one.name: one.id for one in zones(context.region)}
    if kind not in ("region", "availability-zone", "availability-zone-id"):
        raise AWSError(
            "InvalidParameterValue", f"The location type '{kind}' is invalid; use region, availability-zone or availability-zone-id"
        )
    rows = []
    for one in _ALL:
        where = offered_zones(context.region, one.name)
        if kind == "region":
            places = [context.region] if where else []
        else:
            places = where if kind == "availability-zone" else [ids[name] for name in where]
        rows += [{"InstanceType": one.name, "LocationType": kind, "Location": place} for place in places]
    readers = filters.members(instance_type="InstanceType", location="Location")
    return {"InstanceTypeOfferings": filters.apply(rows, params.get("Filters"), readers)}
