"""What the cheap AWS of bench.fake_aws says of a cluster: at rest, or with one of its nodes still to come."""

from __future__ import annotations

import base64
import gzip
import json
import time
from typing import Any

ACCOUNT, REGION = "123456789012", "us-west-2"
NODES = 4
NOW = time.time()


def world(names: list[str], moving: set[str], each: int = NODES) -> dict[str, dict[str, Any]]:
    """Replies by service; see bench.fake_aws. each: how many nodes a cluster is to have."""
    made: dict[str, dict[str, Any]] = {"eks": {}, "sagemaker": {}, "cloudformation": {}, "kube": {}}
    for number, name in enumerate(names):
        nodes = each - 1 if name in moving else each
        ids = [f"i-{number * each + node:017x}" for node in range(nodes)]
        _eks(made["eks"], name)
        _sagemaker(made["sagemaker"], name, ids, each)
        _cloudformation(made["cloudformation"], name)
        _kube(made["kube"], name, ids)
    _account(made, names)
    return made


def _account(made: dict[str, dict[str, Any]], names: list[str]) -> None:
    """Who we are, and the lists of clusters, each in one page."""
    made["eks"]["/clusters"] = {"clusters": names}
    made["sagemaker"]["ListClusters/"] = {
        "ClusterSummaries": [
            {
                "ClusterArn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{name}",
                "ClusterName": name,
                "CreationTime": NOW,
                "ClusterStatus": "InService",
            }
            for name in names
        ]
    }
    made["cloudformation"]["GetCallerIdentity/"] = (
        '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>'
        f"<Arn>arn:aws:iam::{ACCOUNT}:user/bench</Arn><UserId>AIDA</UserId><Account>{ACCOUNT}</Account></GetCallerIdentityResult>"
        "</GetCallerIdentityResponse>"
    )
    ec2 = 'xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"'
    subnet = (
        "<item><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><cidrBlock>10.0.0.0/20</cidrBlock>"
        "<availabilityZone>us-west-2a</availabilityZone></item>"
    )
    made["cloudformation"]["DescribeSubnets/"] = f"<DescribeSubnetsResponse {ec2}><subnetSet>{subnet}</subnetSet></DescribeSubnetsResponse>"
    vpc = "<item><vpcId>vpc-1</vpcId><cidrBlock>10.0.0.0/16</cidrBlock></item>"
    made["cloudformation"]["DescribeVpcs/"] = f"<DescribeVpcsResponse {ec2}><vpcSet>{vpc}</vpcSet></DescribeVpcsResponse>"


def _eks(made: dict[str, Any], name: str) -> None:
    from clusters.dependencies import REGISTRY
    from clusters.dependencies.addon import AddonDependency

    cluster = {
        "name": name,
        "arn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{name}",
        "version": "1.36",
        "status": "ACTIVE",
        "endpoint": f"http://fake/kube/{name}",
        "certificateAuthority": {"data": ""},
        "resourcesVpcConfig": {"vpcId": "vpc-1", "clusterSecurityGroupId": "sg-1"},
        "health": {"issues": []},
        "tags": {"instantstart:cluster": name},
        "createdAt": NOW,
    }
    addons = [entry.name for entry in REGISTRY if isinstance(entry, AddonDependency) and entry.name != "aws-fsx-csi-driver"]
    made[f"/clusters/{name}"] = {"cluster": cluster}
    made[f"/clusters/{name}/addons"] = {"addons": addons}
    for addon in addons:
        made[f"/clusters/{name}/addons/{addon}"] = {
            "addon": {
                "addonName": addon,
                "clusterName": name,
                "status": "ACTIVE",
                "addonVersion": "v1.0.0-eksbuild.1",
                "health": {"issues": []},
                "addonArn": f"arn:aws:eks:{REGION}:{ACCOUNT}:addon/{name}/{addon}/1",
                "tags": {},
            }
        }


def _sagemaker(made: dict[str, Any], name: str, ids: list[str], each: int) -> None:
    group = {
        "CurrentCount": len(ids),
        "TargetCount": each,
        "InstanceGroupName": "workers",
        "InstanceType": "ml.g5.8xlarge",
        "LifeCycleConfig": {"SourceS3Uri": "s3://bucket/x", "OnCreate": "on_create.sh"},
        "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/x",
        "ThreadsPerCore": 1,
        "Status": "InService" if len(ids) == each else "Updating",
    }
    made[f"DescribeCluster/{name}"] = {
        "ClusterArn": f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{name}",
        "ClusterName": name,
        "ClusterStatus": "InService",
        "CreationTime": NOW,
        "InstanceGroups": [group],
        "NodeRecovery": "Automatic",
        "Orchestrator": {"Eks": {"ClusterArn": f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/{name}"}},
    }
    made[f"ListClusterNodes/{name}"] = {
        "ClusterNodeSummaries": [
            {
                "InstanceGroupName": "workers",
                "InstanceId": one,
                "NodeLogicalId": one,
                "InstanceType": "ml.g5.8xlarge",
                "LaunchTime": NOW,
                "InstanceStatus": {"Status": "Running"},
            }
            for one in ids
        ]
    }
    made[f"ListClusterEvents/{name}"] = {"Events": []}


def _cloudformation(made: dict[str, Any], name: str) -> None:
    from clusters import names

    stack = names.stack(name)
    identity = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{stack}/1"
    made[f"DescribeStacks/{stack}"] = (
        '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>'
        f"<StackName>{stack}</StackName><StackId>{identity}</StackId><StackStatus>CREATE_COMPLETE</StackStatus>"
        "<CreationTime>2026-12-01T00:00:00Z</CreationTime></member></Stacks></DescribeStacksResult>"
        "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></DescribeStacksResponse>"
    )
    resources = "".join(
        f"<member><LogicalResourceId>Thing{one}</LogicalResourceId><PhysicalResourceId>thing-{one}</PhysicalResourceId>"
        "<ResourceType>AWS::EC2::Subnet</ResourceType><ResourceStatus>CREATE_COMPLETE</ResourceStatus>"
        "<LastUpdatedTimestamp>2026-12-01T00:00:00Z</LastUpdatedTimestamp></member>"
        for one in range(40)
    )
    made[f"ListStackResources/{stack}"] = (
        '<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult>'
        f"<StackResourceSummaries>{resources}</StackResourceSummaries></ListStackResourcesResult>"
        "<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></ListStackResourcesResponse>"
    )


def _kube(made: dict[str, Any], name: str, ids: list[str]) -> None:
    from clusters import names
    from clusters.dependencies import REGISTRY
    from clusters.dependencies.addon import AddonDependency

    made[f"{name}/version"] = {"gitVersion": "v1.36.0", "major": "1", "minor": "36"}
    nodes = [
        {
            "metadata": {"name": f"hyperpod-{one}", "labels": {"topology.kubernetes.io/zone": "us-west-2a"}},
            "spec": {},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        }
        for one in ids
    ]
    made[f"{name}/api/v1/nodes"] = {"items": nodes, "metadata": {}}
    made[f"{name}/api/v1/pods"] = {"items": [], "metadata": {}}
    workloads = [one for entry in REGISTRY if isinstance(entry, AddonDependency) for one in entry.workloads]
    deployments, daemonsets = [], []
    for one in workloads:
        metadata = {"namespace": one.namespace, "name": one.name, "generation": 1}
        if one.kind == "Deployment":
            status = {"observedGeneration": 1, "readyReplicas": 2}
            deployments.append({"metadata": metadata, "spec": {"replicas": 2}, "status": status})
        else:
            counts = {"desiredNumberScheduled": len(ids), "numberReady": len(ids)}
            daemonsets.append({"metadata": metadata, "spec": {}, "status": {"observedGeneration": 1, **counts}})
    made[f"{name}/apis/apps/v1/deployments"] = {"items": deployments, "metadata": {}}
    made[f"{name}/apis/apps/v1/daemonsets"] = {"items": daemonsets, "metadata": {}}
    release = {
        "name": names.DEPENDENCIES_RELEASE,
        "version": 1,
        "info": {"status": "deployed", "last_deployed": "2026-12-01T00:00:00Z", "description": "Install complete"},
        "chart": {"metadata": {"name": "hyperpod-dependencies", "version": "1.0.0"}},
        "config": {"region": REGION},
    }
    packed = base64.b64encode(base64.b64encode(gzip.compress(json.dumps(release).encode()))).decode()
    secret = {
        "metadata": {
            "namespace": names.DEPENDENCIES_RELEASE_NAMESPACE,
            "name": f"sh.helm.release.v1.{names.DEPENDENCIES_RELEASE}.v1",
            "labels": {"owner": "helm", "name": names.DEPENDENCIES_RELEASE, "version": "1"},
        },
        "data": {"release": packed},
    }
    made[f"{name}/api/v1/namespaces/{names.DEPENDENCIES_RELEASE_NAMESPACE}/secrets"] = {"items": [secret], "metadata": {}}
    claim = {"metadata": {"name": "shared", "namespace": names.STORAGE_NAMESPACE}, "status": {"phase": "Bound"}}
    made[f"{name}/api/v1/namespaces/{names.STORAGE_NAMESPACE}/persistentvolumeclaims/shared"] = claim
    volume = {"metadata": {"name": names.volume("shared")}, "status": {"phase": "Bound"}}
    made[f"{name}/api/v1/persistentvolumes/{names.volume('shared')}"] = volume
