"""Instances that do not come: capacity, quotas, zones, addresses, training plans, Spot."""

from __future__ import annotations

from clusters.diagnosis.entry import HYPERPOD, Clue, Confidence, KnownError, Noun
from clusters.diagnosis.evidence import Level, Source

_EVENTS = frozenset({Source.HYPERPOD_EVENT, Source.INSTANCE})

ROWS: tuple[KnownError, ...] = (
    KnownError(
        "insufficient_capacity",
        Noun.CAPACITY,
        "AWS has no free instances",
        "AWS has no free instances of the type in the Availability Zone of the group's subnets. HyperPod goes on trying.",
        "Wait, or add a group in another Availability Zone or of another type; Spot or a training plan are other stocks.",
        (Clue(r"sufficient (\S+ )?capacity|insufficient ?(instance)? ?capacity|capacity (is )?not available|no capacity", HYPERPOD),),
        "AWS, EC2 error messages: InsufficientInstanceCapacity; HyperPod events",
    ),
    KnownError(
        "quota_reached",
        Noun.CAPACITY,
        "A quota of the account is reached",
        "The account may not have more of this: the quota for the instance type, or one over all HyperPod clusters, is used up.",
        'Ask for a higher quota ("<instance type> for cluster usage" and the totals over all clusters), or remove what is not needed.',
        (
            Clue(r"(ResourceLimitExceeded|account-level service limit|service limit)", HYPERPOD | {Source.STACK}),
            Clue(r"(maximum number|limit) of .{0,60}(reached|exceeded)|LimitExceeded", HYPERPOD | {Source.STACK}, Confidence.MEDIUM),
        ),
        "AWS, SageMaker API: ResourceLimitExceeded; Service Quotas, SageMaker",
    ),
    KnownError(
        "spot_reclaimed",
        Noun.CAPACITY,
        "AWS took Spot instances back",
        "Spot capacity was reclaimed: AWS gives two minutes' notice, taints the node, and HyperPod asks for another instance.",
        "Nothing to repair. Keep checkpoints frequent; use on-demand or a training plan for what must not be interrupted.",
        (Clue(r"spot.{0,60}(interrupt|reclaim|terminat)|(interrupt|reclaim)\w* .{0,40}spot", _EVENTS | {Source.HEALTH_LABEL}),),
        "AWS, HyperPod and Spot instances: two minutes' notice",
    ),
    KnownError(
        "training_plan_ended",
        Noun.CAPACITY,
        "The training plan has ended",
        "The reserved time of the training plan is over: its instances were terminated and no new ones start on it.",
        "Buy another plan or extend it, and add a group on that; delete the group of the plan that ended.",
        (Clue(r"training ?plan .{0,120}\b(expired|ended|is over)\b", HYPERPOD),),
        "AWS, SageMaker API: TrainingPlanStatus Expired",
    ),
    KnownError(
        "training_plan_elsewhere",
        Noun.CAPACITY,
        "The training plan is in another Availability Zone",
        "A training plan holds capacity in one Availability Zone, and the group's subnets are not in it.",
        "Add a group with a subnet in the plan's zone (OverrideVpcConfig), and delete this one.",
        (Clue(r"training ?plan .{0,120}\bis in \S+, but|training ?plan.{0,80}availability zone.{0,40}(match|differ)", HYPERPOD),),
        "AWS documentation, training plans: subnet in the plan's Availability Zone",
    ),
    KnownError(
        "zone_without_subnet",
        Noun.CAPACITY,
        "No subnet in the Availability Zone that was asked for",
        "The Availability Zone (or its id) that was asked for is none of the group's subnets: names like us-west-2a mean another "
        "physical zone in each account, ids like usw2-az1 do not.",
        "Ask for a zone in which the group has a subnet; compare zone ids, not names.",
        (
            Clue(
                r"has no subnet in the Availability Zones?|availability zone.{0,60}(invalid|does not (exist|match)|not supported)", HYPERPOD
            ),
        ),
        "AWS, EC2 documentation: Availability Zone IDs",
    ),
    KnownError(
        "subnet_out_of_addresses",
        Noun.CAPACITY,
        "The nodes' subnet has no free addresses",
        "A node takes many addresses of its subnet (interfaces, EFA, pods), and not enough are left. A subnet's CIDR can't grow.",
        "Use fewer nodes, or add a group with a larger subnet of its own (OverrideVpcConfig).",
        (Clue(r"InsufficientFreeAddresses|(free|available|enough) (ip )?addresses|IpNotAvailable", HYPERPOD),),
        "AWS, EC2 error messages: InsufficientFreeAddressesInSubnet",
    ),
    KnownError(
        "group_waits_for_instances",
        Noun.CAPACITY,
        "A group has fewer nodes than it asked for",
        "Instances were asked for and have not come yet. A node takes 6 to 15 minutes, with deep health checks up to two hours.",
        "Wait; if events tell of an error, that is the cause.",
        (Clue(r"asked for \d+ nodes and has \d+", frozenset({Source.GROUP}), Confidence.LOW, Level.INFO),),
        "Observed: durations of HyperPod's provisioning",
        after=(
            "insufficient_capacity",
            "quota_reached",
            "training_plan_ended",
            "training_plan_elsewhere",
            "zone_without_subnet",
            "subnet_out_of_addresses",
            "lifecycle_script_failed",
            "efa_check_failed",
            "deep_check_failed",
        ),
    ),
)
