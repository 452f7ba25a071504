"""How long things take at speed 1, in virtual seconds, by name; where it is known from AWS, the source stands beside it.

`duration("eks.cluster.create")`; others add their entries here, sorted by name.
"""

from __future__ import annotations

DURATIONS: dict[str, float] = {
    "cloudformation.delete": 5,
    "cloudformation.delete-blocked": 300,  # how long a deletion waits for what still uses the resource
    "cloudformation.delete-unfinished": 3600,  # and for a resource that is still being made
    "cloudformation.drift": 20,  # a detection looks at one resource after another
    "cloudformation.change-set": 5,
    "cloudformation.iam": 15,  # CloudFormation waits for IAM to be consistent
    "cloudformation.resource": 5,  # resources that exist at once: a stack's events are some seconds apart
    "cloudformation.s3-bucket": 20,
    "cloudformation.stack": 3,
    "cloudtrail.delivery": 300,  # CloudTrail: typically within 5 minutes on average
    "ec2.nat-gateway.create": 120,  # issue 3 §2
    "ec2.nat-gateway.delete": 60,
    "ec2.vpc-endpoint.create": 10,
    "eks.access-entry": 0,
    "eks.addon.create": 90,  # issue 3 §2: 1 to 3 minutes
    "eks.addon.delete": 60,
    "eks.addon.update": 90,
    "eks.cluster.create": 600,  # issue 3 §2: 10 minutes
    "eks.cluster.delete": 300,
    "eks.cluster.network": 20,
    "eks.cluster.network.delete": 20,  # EKS's interfaces outlive the cluster by a little
    "eks.cluster.update": 120,
    "eks.nodegroup.create": 120,  # a machine from its launch until it has joined: one to three minutes
    "eks.nodegroup.delete": 120,
    "eks.nodegroup.give-up": 1500,  # EKS waits about 15 to 25 minutes for nodes before CREATE_FAILED
    "eks.nodegroup.launch": 20,
    "eks.nodegroup.retry": 60,
    "eks.nodegroup.update": 30,
    "sagemaker.autoscaling.disable": 60,
    "sagemaker.autoscaling.enable": 90,
    "sagemaker.autoscaling.retry": 180,  # upstream Karpenter leaves an offering without capacity alone for 3 minutes
    "sagemaker.cluster.create": 30,
    "sagemaker.cluster.delete": 180,
    "sagemaker.group.minimum": 10_800,  # reference/aws.md §1.1: three hours to reach MinInstanceCount
    "sagemaker.health": 60,  # how often HyperPod looks for failed instances
    "sagemaker.node.create": 480,  # issue 3 §2: nodes 6 to 15 minutes
    "sagemaker.node.deep-check": 7_200,  # reference/aws.md §11: 60 to 120 minutes
    "sagemaker.node.delete": 120,
    "service-quotas.case": 600,
    "service-quotas.review": 3000,
    "sagemaker.node.recovery": 60,
    "sagemaker.node.retry": 300,
    "sagemaker.node.software": 600,
    "sagemaker.spot.notice": 120,  # reference/aws.md §3: two minutes' notice
}


def duration(name: str) -> float:
    return DURATIONS[name]
