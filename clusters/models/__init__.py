"""Rows about clusters: one noun a file."""

from clusters.models.account import AwsAccount
from clusters.models.cluster import Cluster, ClusterDocument
from clusters.models.dependency import Dependency
from clusters.models.drift import Desired, Drift, DriftLook
from clusters.models.event import ClusterEvent
from clusters.models.feature import ClusterFeature
from clusters.models.found import FoundCluster, FoundHyperPod, SearchedRegion
from clusters.models.group import InstanceGroup
from clusters.models.kept import KeptReading
from clusters.models.node import Node
from clusters.models.node_group import NodeGroup
from clusters.models.orphan import Orphan
from clusters.models.phase import Phase
from clusters.models.price import Price
from clusters.models.quota import Quota
from clusters.models.resource import Resource
from clusters.models.stack import ClusterStack

__all__ = [
    "AwsAccount",
    "Cluster",
    "ClusterDocument",
    "ClusterEvent",
    "ClusterFeature",
    "ClusterStack",
    "Dependency",
    "Desired",
    "Drift",
    "DriftLook",
    "FoundCluster",
    "FoundHyperPod",
    "InstanceGroup",
    "KeptReading",
    "Node",
    "NodeGroup",
    "Orphan",
    "Phase",
    "Price",
    "Quota",
    "Resource",
    "SearchedRegion",
]
