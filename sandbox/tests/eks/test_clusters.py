"""EKS clusters: what is checked, how they live, what they make and leave behind. Kubernetes itself is not simulated here."""

from __future__ import annotations

import pytest

from sandbox.tests.landscape import Landscape


def test_a_cluster_is_creating_for_ten_minutes_and_has_an_endpoint_only_then(land: Landscape) -> None:
    made = land.call("eks", "CreateCluster", **land.eks_request())["cluster"]
    assert made["status"] == "CREATING"
    land.skip(599)
    early = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert (early["status"], "endpoint" in early, early["certificateAuthority"]) == ("CREATING", False, {})
    land.skip(1.1)
    ready = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert ready["status"] == "ACTIVE"
    assert ready["endpoint"].startswith("https://")
    assert ready["identity"]["oidc"]["issuer"].startswith(f"https://oidc.eks.{land.region}.amazonaws.com/id/")
    assert ready["version"] == "1.36"


def test_a_cluster_makes_its_security_group_and_an_interface_in_two_zones(land: Landscape) -> None:
    cluster = land.eks()
    group_id = cluster["resourcesVpcConfig"]["clusterSecurityGroupId"]
    group = land.call("ec2", "DescribeSecurityGroups", GroupIds=[group_id])["SecurityGroups"][0]
    assert group["GroupName"].startswith("eks-cluster-sg-demo-")
    assert {"Key": "aws:eks:cluster-name", "Value": "demo"} in group["Tags"]
    interfaces = land.interfaces()
    assert sorted(interface["SubnetId"] for interface in interfaces) == sorted([land.wide, land.other])
    assert {interface["Description"] for interface in interfaces} == {"Amazon EKS demo"}


def test_a_deleted_cluster_is_gone_within_five_minutes_and_its_interfaces_a_little_later(land: Landscape) -> None:
    land.eks()
    assert land.call("eks", "DeleteCluster", name="demo")["cluster"]["status"] == "DELETING"
    land.skip(179)
    assert land.call("eks", "DescribeCluster", name="demo")["cluster"]["status"] == "DELETING"
    while land.call("eks", "ListClusters")["clusters"]:
        land.world.fast_forward("next")
    assert len(land.interfaces()) == 2
    land.settle()
    assert land.interfaces() == []
    names = [group["GroupName"] for group in land.call("ec2", "DescribeSecurityGroups")["SecurityGroups"]]
    assert not [name for name in names if name.startswith("eks-cluster-sg")]


def test_the_same_token_gives_the_same_cluster_and_another_is_refused(land: Landscape) -> None:
    first = land.call("eks", "CreateCluster", **land.eks_request(clientRequestToken="once"))["cluster"]
    assert land.call("eks", "CreateCluster", **land.eks_request(clientRequestToken="once"))["cluster"] == first
    code, message = land.refused("eks", "CreateCluster", **land.eks_request(clientRequestToken="twice"))
    assert (code, message) == ("ResourceInUseException", "Cluster already exists with name: demo")


def test_what_eks_refuses_is_refused(land: Landscape) -> None:
    def message(**changes: object) -> str:
        code, text = land.refused("eks", "CreateCluster", **land.eks_request(**changes))
        assert code == "InvalidParameterException"
        return text

    assert message(resourcesVpcConfig={"subnetIds": [land.wide]}) == "Subnets specified must be in at least two different AZs"
    assert "subnet-0aaaaaaaaaaaaaaaa" in message(resourcesVpcConfig={"subnetIds": [land.wide, "subnet-0aaaaaaaaaaaaaaaa"]})
    assert "could not be assumed" in message(roleArn=land.execution_role)
    assert "could not be assumed" in message(roleArn=f"{land.eks_role}-absent")
    assert message(version="1.29") == "unsupported Kubernetes version 1.29"
    network = {"subnetIds": [land.wide, land.other]}
    closed = {**network, "endpointPublicAccess": False, "endpointPrivateAccess": False}
    assert message(resourcesVpcConfig=closed) == "Private and public endpoint access cannot be false"
    assert "10.0.0.0/8" in message(resourcesVpcConfig={**network, "publicAccessCidrs": ["10.0.0.0/8"]})
    assert "overlaps" in message(kubernetesNetworkConfig={"serviceIpv4Cidr": "10.1.0.0/20"})
    assert "sg-0aaaaaaaaaaaaaaaa" in message(resourcesVpcConfig={**network, "securityGroupIds": ["sg-0aaaaaaaaaaaaaaaa"]})
    assert land.call("eks", "ListClusters") == {"clusters": []}


def test_a_role_with_a_path_is_known_only_by_its_whole_arn(land: Landscape) -> None:
    arn = land.role("deep", "eks.amazonaws.com", path="/team/")
    code, _ = land.refused("eks", "CreateCluster", **land.eks_request(roleArn=arn.replace("/team/", "/")))
    assert code == "InvalidParameterException"
    assert land.eks(roleArn=arn)["roleArn"] == arn


def test_a_cluster_that_is_busy_or_protected_is_not_deleted(land: Landscape) -> None:
    land.call("eks", "CreateCluster", **land.eks_request(deletionProtection=True))
    land.settle()
    assert land.refused("eks", "DeleteCluster", name="demo")[0] == "InvalidRequestException"
    land.call("eks", "UpdateClusterConfig", name="demo", deletionProtection=False)
    land.call("eks", "DeleteCluster", name="demo")
    land.settle()
    assert land.refused("eks", "DescribeCluster", name="demo") == ("ResourceNotFoundException", "No cluster found for name: demo.")
    land.call("eks", "CreateCluster", **land.eks_request())
    assert land.refused("eks", "DeleteCluster", name="demo")[0] == "ResourceInUseException"


def test_a_creation_whose_subnet_is_taken_away_fails_with_a_health_issue(land: Landscape) -> None:
    spare = land.subnet("10.1.17.0/24", "c")
    land.call("eks", "CreateCluster", **land.eks_request(resourcesVpcConfig={"subnetIds": [land.wide, spare]}))
    land.call("ec2", "DeleteSubnet", SubnetId=spare)
    land.settle()
    cluster = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert cluster["status"] == "FAILED"
    assert [issue["code"] for issue in cluster["health"]["issues"]] == ["Ec2SubnetNotFound"]


def test_logging_leaves_a_log_group_behind_that_eks_made(land: Landscape) -> None:
    land.eks(logging={"clusterLogging": [{"types": ["api", "audit"], "enabled": True}]})
    streams = land.call("logs", "DescribeLogStreams", logGroupName="/aws/eks/demo/cluster")["logStreams"]
    assert sorted(stream["logStreamName"].rsplit("-", 1)[0] for stream in streams) == ["kube-apiserver", "kube-apiserver-audit"]
    land.call("eks", "DeleteCluster", name="demo")
    land.call("logs", "DeleteLogGroup", logGroupName="/aws/eks/demo/cluster")  # too early: the last lines make it anew
    land.settle()
    assert land.log_groups() == ["/aws/eks/demo/cluster"]


def test_a_cluster_without_logging_makes_no_log_group(land: Landscape) -> None:
    land.eks()
    assert land.log_groups() == []


@pytest.mark.parametrize(
    ("change", "kind", "shown"),
    [
        ({"logging": {"clusterLogging": [{"types": ["api"], "enabled": True}]}}, "LoggingUpdate", "logging"),
        ({"resourcesVpcConfig": {"endpointPrivateAccess": True}}, "EndpointAccessUpdate", "resourcesVpcConfig"),
        ({"accessConfig": {"authenticationMode": "API"}}, "AccessConfigUpdate", "accessConfig"),
        ({"upgradePolicy": {"supportType": "STANDARD"}}, "UpgradePolicyUpdate", "upgradePolicy"),
    ],
)
def test_an_update_takes_effect_when_it_is_successful(land: Landscape, change: dict[str, object], kind: str, shown: str) -> None:
    before = land.eks()
    update = land.call("eks", "UpdateClusterConfig", name="demo", **change)["update"]
    assert (update["status"], update["type"]) == ("InProgress", kind)
    during = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert (during["status"], during[shown]) == ("UPDATING", before[shown])
    assert land.refused("eks", "UpdateClusterConfig", name="demo", **change)[0] == "ResourceInUseException"
    land.settle()
    after = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert after["status"] == "ACTIVE"
    assert after[shown] != before[shown]
    assert land.call("eks", "DescribeUpdate", name="demo", updateId=update["id"])["update"]["status"] == "Successful"
    assert land.call("eks", "ListUpdates", name="demo")["updateIds"] == [update["id"]]


def test_two_changes_at_once_and_no_change_are_refused(land: Landscape) -> None:
    land.eks()
    both = {"upgradePolicy": {"supportType": "STANDARD"}, "accessConfig": {"authenticationMode": "API"}}
    assert land.refused("eks", "UpdateClusterConfig", name="demo", **both)[1] == "Only one type of update can be allowed."
    same = {"resourcesVpcConfig": {"endpointPublicAccess": True}}
    assert land.refused("eks", "UpdateClusterConfig", name="demo", **same)[1].startswith("Cluster is already at the desired configuration")
    back = {"accessConfig": {"authenticationMode": "CONFIG_MAP"}}
    assert land.refused("eks", "UpdateClusterConfig", name="demo", **back)[0] == "InvalidParameterException"


def test_only_versions_that_can_run_are_offered(land: Landscape) -> None:
    offered = land.call("eks", "DescribeClusterVersions")["clusterVersions"]
    assert [(version["clusterVersion"], version["defaultVersion"], version["versionStatus"]) for version in offered] == [
        ("1.36", True, "STANDARD_SUPPORT")
    ]
    assert land.call("eks", "DescribeClusterVersions", clusterVersions=["1.30"])["clusterVersions"] == []
    assert land.call("eks", "DescribeClusterVersions", versionStatus="EXTENDED_SUPPORT")["clusterVersions"] == []


def test_tags_are_kept_by_arn(land: Landscape) -> None:
    arn = land.eks(tags={"a": "1"})["arn"]
    land.call("eks", "TagResource", resourceArn=arn, tags={"b": "2"})
    land.call("eks", "UntagResource", resourceArn=arn, tagKeys=["a"])
    assert land.call("eks", "ListTagsForResource", resourceArn=arn) == {"tags": {"b": "2"}}
    assert land.refused("eks", "ListTagsForResource", resourceArn=f"{arn}x")[0] == "NotFoundException"


def test_clusters_are_listed_in_pages(land: Landscape) -> None:
    for name in ("c", "a", "b"):
        land.call("eks", "CreateCluster", **land.eks_request(name))
    first = land.call("eks", "ListClusters", maxResults=2)
    assert first["clusters"] == ["a", "b"]
    assert land.call("eks", "ListClusters", maxResults=2, nextToken=first["nextToken"])["clusters"] == ["c"]


def test_a_cluster_is_creating_for_as_long_as_no_control_plane_can_start(land: Landscape) -> None:
    class Backend:
        built = False

        def available(self) -> bool:
            return self.built

        def reserve(self, key: str) -> object:
            assert key == f"{land.world.settings.account}/{land.region}/demo"
            return type("Endpoint", (), {"endpoint": "https://127.0.0.1:1", "ca_pem": "PEM", "oidc_issuer": "https://issuer"})

    backend = Backend()
    land.world.kube = backend  # type: ignore[assignment]
    land.call("eks", "CreateCluster", **land.eks_request())
    land.skip(3600)
    assert land.call("eks", "DescribeCluster", name="demo")["cluster"]["status"] == "CREATING"
    backend.built = True
    land.skip(16)
    cluster = land.call("eks", "DescribeCluster", name="demo")["cluster"]
    assert (cluster["status"], cluster["endpoint"]) == ("ACTIVE", "https://127.0.0.1:1")
    assert cluster["certificateAuthority"] == {"data": "UEVN"}
