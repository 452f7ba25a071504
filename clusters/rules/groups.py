"""Rules about one instance group: its own limits, its capacity, its type, its zones."""

from __future__ import annotations

from clusters.rules.clusters import NAME
from clusters.rules.facts import Facts, GroupFacts
from clusters.rules.rule import Noun, Rule, each_group, each_group_in
from clusters.spec import Capacity
from operations.choices import Severity

PLAN_FAMILIES = frozenset({"p4d", "p4de", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200", "trn1", "trn2"})
"""Families that training plans are sold for."""
MOST_NODES, MOST_GB, MOST_TYPES, MOST_LABELS = 6758, 16384, 20, 50
_API = "SageMaker API model, CreateCluster"
_PLANS = "AWS documentation, HyperPod training plans"


def _family(instance_type: str) -> str:
    return instance_type.removeprefix("ml.").split(".")[0]


def _plan_of_other_family(group: GroupFacts) -> bool:
    return bool(group.training_plan_arn) and any(_family(name) not in PLAN_FAMILIES for name in group.instance_types)


def _minimum_without_continuous(facts: Facts, group: GroupFacts) -> bool:
    return bool(group.minimum) and facts.continuous is False


ROWS: tuple[Rule, ...] = (
    Rule(
        "group_name",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: NAME.match(group.name) is None),
        "HyperPod takes no group name like “{group.name}”: 1 to 63 letters, digits and hyphens, no hyphen at either end.",
        "Choose another name.",
        "name",
        f"{_API}: InstanceGroupName",
    ),
    Rule(
        "group_count",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: not 0 <= group.count <= MOST_NODES),
        "{group.name} is to have {group.count} instances; HyperPod takes 0 to 6758 in a group.",
        "Ask for a count in that range.",
        "count",
        f"{_API}: InstanceCount, 0 to 6758",
    ),
    Rule(
        "minimum_above_count",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.minimum is not None and not 0 <= group.minimum <= group.count),
        "{group.name} asks for at least {group.minimum} instances and for {group.count} in all.",
        "Let the minimum be at most the count.",
        "minimum",
        f"{_API}: MinInstanceCount, 0 to InstanceCount",
    ),
    Rule(
        "minimum_needs_continuous",
        Noun.GROUP,
        Severity.ERROR,
        each_group_in(_minimum_without_continuous),
        "{group.name} has a minimum count, which works with continuous provisioning only.",
        "Leave the minimum away, or use a cluster with NodeProvisioningMode Continuous.",
        "minimum",
        "AWS documentation, continuous provisioning: MinInstanceCount",
    ),
    Rule(
        "no_instance_type",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: not group.instance_types),
        "{group.name} has no instance type.",
        "Give one type, or up to twenty in the order of preference.",
        "instance_type",
        f"{_API}: InstanceType or InstanceRequirements",
    ),
    Rule(
        "too_many_types",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: len(group.instance_types) > MOST_TYPES),
        "{group.name} lists more than twenty instance types.",
        "Keep the twenty that you prefer.",
        "instance_type",
        f"{_API}: InstanceRequirements.InstanceTypes, 1 to 20",
    ),
    Rule(
        "volume_size",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.volume_gb is not None and not 1 <= group.volume_gb <= MOST_GB),
        "{group.name} asks for an EBS volume of {group.volume_gb} GB; HyperPod takes 1 to 16384.",
        "Ask for a size in that range.",
        "volume_gb",
        f"{_API}: EbsVolumeConfig.VolumeSizeInGB, 1 to 16384",
    ),
    Rule(
        "too_many_volumes",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: (group.volumes or 0) > 4),
        "{group.name} has {group.volumes} storage configurations; HyperPod takes four.",
        "Leave some away.",
        "volume_gb",
        f"{_API}: InstanceStorageConfigs, 0 to 4",
    ),
    Rule(
        "root_volume_with_size",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.root_volume and group.root_volume_size),
        "{group.name} gives its root volume a size, which HyperPod does not allow.",
        "Leave the size of the root volume away.",
        "volume_gb",
        f"{_API}: RootVolume forbids VolumeSizeInGB",
    ),
    Rule(
        "root_volume_without_key",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.root_volume and not group.root_volume_key),
        "{group.name} configures its root volume without a KMS key; a key is all that can be set there.",
        "Give VolumeKmsKeyId, or leave the entry away.",
        "volume_gb",
        f"{_API}: RootVolume needs VolumeKmsKeyId",
    ),
    Rule(
        "several_root_volumes",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.root_volumes > 1),
        "{group.name} configures its root volume {group.root_volumes} times; a node has one.",
        "Keep one entry for the root volume.",
        "volume_gb",
        f"{_API}: ClusterEbsVolumeConfig configures the root volume and the secondary one",
    ),
    Rule(
        "several_data_volumes",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: (group.data_volumes or 0) > 1),
        "{group.name} asks for {group.data_volumes} EBS volumes besides the root volume: the API takes them, and AWS's documentation tells"
        " of one, mounted at /opt/sagemaker. AWS may refuse the group.",
        "Use one larger volume, unless AWS has told you that several work.",
        "volume_gb",
        f"{_API}: InstanceStorageConfigs, 0 to 4; ClusterEbsVolumeConfig: the root and one secondary volume",
    ),
    Rule(
        "too_many_subnets",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: (group.subnets or 0) > 16),
        "{group.name} names {group.subnets} subnets; HyperPod takes 16.",
        "Name fewer.",
        "subnet",
        f"{_API}: VpcConfig.Subnets, 1 to 16",
    ),
    Rule(
        "too_many_security_groups",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: (group.security_groups or 0) > 5),
        "{group.name} names {group.security_groups} security groups; HyperPod takes five.",
        "Name fewer.",
        "security_groups",
        f"{_API}: VpcConfig.SecurityGroupIds, 1 to 5",
    ),
    Rule(
        "too_many_labels",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.labels > MOST_LABELS or group.taints > MOST_LABELS),
        "{group.name} has {group.labels} labels and {group.taints} taints; HyperPod takes 50 of each.",
        "Leave some away.",
        "labels",
        f"{_API}: KubernetesConfig, 0 to 50",
    ),
    Rule(
        "lifecycle_bucket_prefix",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: group.lifecycle.startswith("s3://") and not group.lifecycle.startswith("s3://sagemaker-")),
        "{group.name} has its lifecycle scripts in {group.lifecycle}: AWS's managed policy for instances reads buckets only whose"
        " name begins with sagemaker-.",
        "Use such a bucket, or let the execution role read this one.",
        "lifecycle",
        "AWS documentation, AmazonSageMakerClusterInstanceRolePolicy",
    ),
    Rule(
        "image_id",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: bool(group.image_id) and group.image_id != "default" and not group.image_id.startswith("ami-")),
        "{group.name} names the image “{group.image_id}”; HyperPod takes the id of an AMI, or default.",
        "Give ami-…, or default.",
        "image_id",
        f"{_API}: ImageId",
    ),
    Rule(
        "spot_with_training_plan",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.capacity is Capacity.SPOT and bool(group.training_plan_arn)),
        "{group.name} asks for Spot capacity and for a training plan: a plan's instances are reserved, Spot is what nobody reserved.",
        "Choose one: two groups can have one each.",
        "capacity",
        "SageMaker API model: CapacityRequirements and TrainingPlanArn name different pools",
    ),
    Rule(
        "training_plan_family",
        Noun.GROUP,
        Severity.ERROR,
        each_group(_plan_of_other_family),
        "Training plans are not sold for {group.types}.",
        "Choose the type that the plan reserves.",
        "instance_type",
        f"{_PLANS}: instance types",
    ),
    Rule(
        "training_plan_zones",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: bool(group.training_plan_arn) and len(group.zones) > 1),
        "{group.name} uses a training plan, whose instances are in one zone, and its subnets are in {group.where}.",
        "Give it only subnets in the zone of the plan.",
        "subnet",
        f"{_PLANS}: single AZ for HyperPod",
    ),
    Rule(
        "efa_across_zones",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: len(group.zones) > 1 and any(kind.efa for kind in group.known)),
        "{group.name} has nodes in {group.where}: EFA does not cross zones, so a job over all of them talks over TCP.",
        "Use one zone a group for distributed training; several are fine for inference.",
        "subnet",
        "AWS documentation, Elastic Fabric Adapter: traffic stays within one Availability Zone",
    ),
    Rule(
        "two_threads_on_arm",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.threads_per_core == 2 and any(kind.arm for kind in group.known)),
        "Arm cores have one thread, and {group.name} asks for two.",
        "Leave threads per core away.",
        "threads_per_core",
        "EC2's instance types: Graviton cores have one thread",
    ),
    Rule(
        "restricted_group",
        Noun.GROUP,
        Severity.WARNING,
        each_group(lambda group: group.restricted),
        "{group.name} is a restricted instance group: it serves the training of Amazon Nova models only, and no pods of one's own.",
        "Use an ordinary group for other work.",
        "name",
        "AWS documentation, restricted instance groups",
    ),
    Rule(
        "restricted_group_on_spot",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.restricted and group.capacity is Capacity.SPOT),
        "{group.name} is a restricted instance group, and those have no Spot capacity.",
        "Use on-demand capacity or a training plan.",
        "capacity",
        "SageMaker API model: ClusterRestrictedInstanceGroupSpecification has no CapacityRequirements",
    ),
    Rule(
        "restricted_group_configured",
        Noun.GROUP,
        Severity.ERROR,
        each_group(
            lambda group: group.restricted and bool(group.lifecycle or group.labels or group.taints or group.image_id or group.minimum)
        ),
        "{group.name} is a restricted instance group: it takes no lifecycle scripts, labels, taints, image or minimum count.",
        "Leave them away.",
        "name",
        "SageMaker API model: members of ClusterRestrictedInstanceGroupSpecification",
    ),
    Rule(
        "restricted_group_flexible",
        Noun.GROUP,
        Severity.ERROR,
        each_group(lambda group: group.restricted and len(group.instance_types) > 1),
        "{group.name} is a restricted instance group, and those have exactly one instance type.",
        "Choose one type.",
        "instance_type",
        "SageMaker API model: ClusterRestrictedInstanceGroupSpecification has no InstanceRequirements",
    ),
)
