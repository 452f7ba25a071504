"""The unmodified kubectl against the sandbox: what of Kubernetes is ours. Sign-in, logs, exec, drain, rollout."""

from __future__ import annotations

import base64
import json
import subprocess
import time

import pytest

from sandbox.identity import AccessKey, Principal, stable_id
from sandbox.tests.kube.rig import ACCOUNT, ClusterUnderTest, Rig, token

pytestmark = pytest.mark.kube


def person(rig: Rig, name: str) -> AccessKey:
    """An IAM user with an access key."""
    arn = f"arn:aws:iam::{ACCOUNT}:user/{name}"
    principal = Principal(arn=arn, account=ACCOUNT, kind="user", user_id=stable_id("AIDA", name))
    return rig.call(lambda: rig.world.identity.add_key(principal, f"AKIA{name.upper():0<16}"[:20], f"secret of {name}"))


def session(rig: Rig, role: str, path: str = "/", name: str = "me", seconds: float = 900) -> AccessKey:
    """Somebody's session of an IAM role."""
    principal = Principal(
        arn=f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/{name}",
        account=ACCOUNT,
        kind="assumed-role",
        user_id=f"{stable_id('AROA', role)}:{name}",
        role_arn=f"arn:aws:iam::{ACCOUNT}:role{path}{role}",
    )
    return rig.call(lambda: rig.world.identity.new_session(principal, seconds))


def can(cluster: ClusterUnderTest, key: AccessKey, *question: str) -> bool:
    config = cluster.kubeconfig(token(cluster.name, key), f"{key.access_key}.json")
    done = cluster.tool("kubectl", "auth", "can-i", *question, kubeconfig=config)
    assert done.stdout.strip() in ("yes", "no"), done.stderr
    return done.stdout.strip() == "yes"


# what kubectl makes of a 401: without and with the API's groups in its cache
UNAUTHORIZED = ("the server has asked for the client to provide credentials", "You must be logged in to the server (Unauthorized)")


def unauthorized(error: str) -> bool:
    return any(sentence in error for sentence in UNAUTHORIZED)


def refusal(cluster: ClusterUnderTest, bearer: str) -> str:
    done = cluster.tool("kubectl", "get", "namespaces", kubeconfig=cluster.kubeconfig(bearer, "refused.json"))
    assert done.returncode == 1
    return done.stderr


# --- sign-in


ABILITIES = {
    ("get", "nodes"): {"AmazonEKSClusterAdminPolicy", "AmazonEKSAdminViewPolicy"},
    ("create", "namespaces"): {"AmazonEKSClusterAdminPolicy"},
    ("create", "rolebindings", "-n", "team"): {"AmazonEKSClusterAdminPolicy", "AmazonEKSAdminPolicy"},
    ("create", "deployments", "-n", "team"): {"AmazonEKSClusterAdminPolicy", "AmazonEKSAdminPolicy", "AmazonEKSEditPolicy"},
    ("get", "secrets", "-n", "team"): {
        "AmazonEKSClusterAdminPolicy",
        "AmazonEKSAdminPolicy",
        "AmazonEKSAdminViewPolicy",
        "AmazonEKSEditPolicy",
    },
    ("list", "configmaps", "-n", "team"): {
        "AmazonEKSClusterAdminPolicy",
        "AmazonEKSAdminPolicy",
        "AmazonEKSAdminViewPolicy",
        "AmazonEKSEditPolicy",
        "AmazonEKSViewPolicy",
    },
}
EVERYWHERE = (
    "AmazonEKSClusterAdminPolicy",
    "AmazonEKSAdminPolicy",
    "AmazonEKSAdminViewPolicy",
    "AmazonEKSEditPolicy",
    "AmazonEKSViewPolicy",
    "AmazonSagemakerHyperpodInferenceMonitoringPolicy",
)


def test_each_access_policy_gives_its_rights_and_no_others(cluster: ClusterUnderTest) -> None:
    for policy in EVERYWHERE:
        key = person(cluster.rig, policy.removeprefix("Amazon").lower()[:14])
        cluster.give_access(key.principal.arn, policy)
        allowed = {question for question in ABILITIES if can(cluster, key, *question)}
        assert allowed == {question for question, policies in ABILITIES.items() if policy in policies}, policy


def test_a_policy_for_namespaces_counts_only_there(cluster: ClusterUnderTest) -> None:
    cluster.kubectl("create", "namespace", "team-a")
    cluster.kubectl("create", "namespace", "other")
    key = person(cluster.rig, "scoped")
    cluster.give_access(key.principal.arn, "AmazonEKSEditPolicy", namespaces=("team-*",))
    assert can(cluster, key, "create", "deployments", "-n", "team-a")
    assert not can(cluster, key, "create", "deployments", "-n", "other")
    assert not can(cluster, key, "list", "pods", "-A")


def test_an_entry_without_policies_signs_in_and_may_nothing(cluster: ClusterUnderTest) -> None:
    key = person(cluster.rig, "nothing")
    cluster.give_access(key.principal.arn)
    assert 'is forbidden: User "arn:aws:iam::123456789012:user/nothing" cannot list resource' in refusal(cluster, token(cluster.name, key))


def test_groups_of_an_entry_work_with_the_clusters_own_role_bindings(cluster: ClusterUnderTest) -> None:
    key = person(cluster.rig, "grouped")
    cluster.give_access(key.principal.arn, groups=("readers",))
    assert not can(cluster, key, "get", "pods")
    cluster.kubectl("create", "clusterrolebinding", "readers", "--clusterrole=view", "--group=readers")
    assert can(cluster, key, "get", "pods")


def test_a_session_signs_in_by_the_entry_of_its_role_whatever_the_roles_path(cluster: ClusterUnderTest) -> None:
    key = session(cluster.rig, "Engineer", path="/teams/ml/", name="ann@example.com")
    cluster.give_access(key.principal.role_arn, "AmazonEKSViewPolicy")
    config = cluster.kubeconfig(token(cluster.name, key), "session.json")
    who = json.loads(cluster.kubectl("auth", "whoami", "-o", "json", kubeconfig=config))["status"]["userInfo"]
    assert who["username"] == "arn:aws:sts::123456789012:assumed-role/Engineer/ann-example.com"
    assert who["extra"]["sessionName"] == ["ann@example.com"]
    assert who["extra"]["canonicalArn"] == ["arn:aws:iam::123456789012:role/teams/ml/Engineer"]
    assert who["groups"] == ["eks-access-policy:AmazonEKSViewPolicy", "system:authenticated"]


def test_a_principal_without_an_entry_is_asked_for_credentials(cluster: ClusterUnderTest) -> None:
    assert unauthorized(refusal(cluster, token(cluster.name, person(cluster.rig, "stranger"))))


def test_a_token_for_another_cluster_is_refused(cluster: ClusterUnderTest) -> None:
    assert unauthorized(refusal(cluster, token("another")))


def test_a_forged_token_is_refused(cluster: ClusterUnderTest) -> None:
    assert unauthorized(refusal(cluster, token(cluster.name, secret_key="guessed")))


def test_a_token_of_a_session_that_has_ended_is_refused(cluster: ClusterUnderTest) -> None:
    key = session(cluster.rig, "Short")
    cluster.give_access(key.principal.role_arn, "AmazonEKSClusterAdminPolicy")
    cluster.rig.call(lambda: cluster.rig.world.identity.expire(key.access_key))
    assert unauthorized(refusal(cluster, token(cluster.name, key)))


def test_a_token_that_is_too_old_is_refused(cluster: ClusterUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    made = token(cluster.name)
    now = time.time()
    monkeypatch.setattr("sandbox.kube.token.time.time", lambda: now + 16 * 60)
    assert unauthorized(refusal(cluster, made))


def test_expired_credentials_as_a_scenario_refuse_sign_in_until_it_is_over(cluster: ClusterUnderTest) -> None:
    key = person(cluster.rig, "unlucky")
    cluster.give_access(key.principal.arn, "AmazonEKSClusterAdminPolicy")
    fault = cluster.rig.call(lambda: cluster.rig.world.faults.add({"scenario": "expired_credentials", "access_key": key.access_key}))
    made = token(cluster.name, key)
    assert unauthorized(refusal(cluster, made))
    cluster.rig.call(lambda: cluster.rig.world.faults.remove(fault["id"]))
    config = cluster.kubeconfig(made, "lucky.json")
    cluster.until(lambda: cluster.tool("kubectl", "get", "namespaces", kubeconfig=config).returncode == 0)


def test_taking_an_access_entry_away_ends_access_within_the_cache_time(cluster: ClusterUnderTest) -> None:
    key = person(cluster.rig, "leaver")
    cluster.give_access(key.principal.arn, "AmazonEKSClusterAdminPolicy")
    config = cluster.kubeconfig(token(cluster.name, key), "leaver.json")
    cluster.kubectl("get", "namespaces", kubeconfig=config)
    cluster.take_access(key.principal.arn)
    cluster.until(lambda: unauthorized(cluster.tool("kubectl", "get", "namespaces", kubeconfig=config).stderr), timeout=15)


def test_a_token_of_another_kind_is_refused(cluster: ClusterUnderTest) -> None:
    assert unauthorized(refusal(cluster, "abcdef.0123456789abcdef"))


# --- logs


SCRIPT = "echo one; echo two; sleep 1.2; echo three; sleep 600"


@pytest.fixture
def talker(cluster: ClusterUnderTest) -> ClusterUnderTest:
    """A cluster with the pod `talker`, which says one, two and, later, three."""
    cluster.add_nodes(1)
    cluster.kubectl("run", "talker", "--image=busybox", "--command", "--", "sh", "-c", SCRIPT)
    cluster.kubectl("wait", "--for=condition=Ready", "pod/talker", "--timeout=20s")
    cluster.until(lambda: cluster.kubectl("logs", "talker") == "one\ntwo\nthree\n")
    return cluster


def test_logs_in_all_their_forms(talker: ClusterUnderTest) -> None:
    assert talker.kubectl("logs", "talker", "--tail=1") == "three\n"
    assert talker.kubectl("logs", "talker", "--limit-bytes=5") == "one\nt"
    assert talker.kubectl("logs", "talker", "--since=1h") == "one\ntwo\nthree\n"
    stamped = [line.split(" ", 1) for line in talker.kubectl("logs", "talker", "--timestamps").splitlines()]
    assert [text for _, text in stamped] == ["one", "two", "three"]
    assert talker.kubectl("logs", "talker", f"--since-time={stamped[2][0]}") == "three\n"
    assert talker.kubectl("logs", "talker", "--prefix") == "".join(f"[pod/talker/talker] {word}\n" for word in ("one", "two", "three"))
    assert talker.kubectl("logs", "talker", "-c", "talker") == "one\ntwo\nthree\n"


def test_a_followed_log_tells_new_lines_and_ends_with_the_pod(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    script = "echo begin; sleep 1; echo end"
    cluster.kubectl("run", "short", "--image=busybox", "--restart=Never", "--command", "--", "sh", "-c", script)
    cluster.until(lambda: cluster.tool("kubectl", "logs", "short").stdout == "begin\n")
    assert cluster.kubectl("logs", "-f", "short") == "begin\nend\n"


def test_the_log_of_the_run_before_a_restart_is_kept(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    done = cluster.tool("kubectl", "run", "again", "--image=busybox", "--command", "--", "sh", "-c", "echo run; sleep 0.5; exit 1")
    assert done.returncode == 0
    early = cluster.until(lambda: (answer := cluster.tool("kubectl", "logs", "again", "--previous")).returncode == 1 and answer)
    assert "previous terminated container" in early.stderr or "is waiting to start" in early.stderr or "not found" in early.stderr
    cluster.until(lambda: cluster.tool("kubectl", "logs", "again", "--previous").stdout == "run\n")


def test_logs_of_a_container_that_waits_say_what_for(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    cluster.kubectl("run", "stuck", "--image=nowhere", "--annotations=sandbox.instantstart.dev/fault=ImagePullBackOff")
    cluster.until(lambda: cluster.get("pod", "stuck")["status"].get("containerStatuses"))
    done = cluster.tool("kubectl", "logs", "stuck")
    assert 'container "stuck" in pod "stuck" is waiting to start' in done.stderr


def test_logs_of_all_pods_of_a_deployment(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(2)
    cluster.kubectl("create", "deployment", "many", "--image=busybox", "--replicas=3", "--", "sh", "-c", "echo hello; sleep 600")
    cluster.kubectl("rollout", "status", "deployment/many", "--timeout=30s")
    assert cluster.kubectl("logs", "-l", "app=many") == "hello\n" * 3


# --- exec


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_exec_ends_with_the_commands_exit_code(talker: ClusterUnderTest, code: int) -> None:
    done = talker.tool("kubectl", "exec", "talker", "--", "sh", "-c", f"echo said; exit {code}")
    assert (done.returncode, done.stdout) == (code, "said\n")


def test_exec_passes_input_output_and_error_apart(talker: ClusterUnderTest) -> None:
    done = talker.tool("kubectl", "exec", "-i", "talker", "--", "sh", "-c", "cat; echo oops >&2", stdin="typed\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "typed\n", "oops\n")


def test_exec_of_much_input_loses_nothing(talker: ClusterUnderTest) -> None:
    text = base64.b64encode(bytes(range(256)) * 2000).decode() + "\n"
    assert talker.tool("kubectl", "exec", "-i", "talker", "--", "cat", stdin=text).stdout == text


def test_exec_knows_the_pods_environment(talker: ClusterUnderTest) -> None:
    assert talker.kubectl("exec", "talker", "--", "sh", "-c", "hostname; echo $HOSTNAME") == "talker\ntalker\n"
    assert "HOSTNAME=talker\n" in talker.kubectl("exec", "talker", "--", "env")


def test_exec_of_an_unknown_command_ends_with_127(talker: ClusterUnderTest) -> None:
    done = talker.tool("kubectl", "exec", "talker", "--", "train-everything")
    assert done.returncode == 127
    assert "train-everything: not found" in done.stderr


def test_nvidia_smi_shows_the_gpus_that_the_pod_asked_for(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    limits = {"spec": {"containers": [{"name": "gpu", "image": "cuda", "resources": {"limits": {"nvidia.com/gpu": 2}}}]}}
    cluster.kubectl("run", "gpu", "--image=cuda", f"--overrides={json.dumps(limits)}")
    cluster.kubectl("wait", "--for=condition=Ready", "pod/gpu", "--timeout=20s")
    assert len(cluster.kubectl("exec", "gpu", "--", "nvidia-smi", "-L").splitlines()) == 2


def test_attach_shows_what_is_written_from_then_on(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    cluster.kubectl("run", "later", "--image=busybox", "--restart=Never", "--command", "--", "sh", "-c", "sleep 3; echo late")
    cluster.kubectl("wait", "--for=condition=Ready", "pod/later", "--timeout=20s")
    assert "late\n" in cluster.kubectl("attach", "later")


def test_port_forward_says_that_it_is_not_simulated(talker: ClusterUnderTest) -> None:
    process = subprocess.Popen(
        talker.command("kubectl", "port-forward", "talker", ":80"),
        env=talker.environment(),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    _, error = process.communicate(timeout=20)
    assert b"port-forward is not simulated by this sandbox" in error


# --- workloads


def test_drain_moves_pods_to_another_node(cluster: ClusterUnderTest) -> None:
    first, second = cluster.add_nodes(2)
    cluster.until(lambda: not any(node["spec"].get("taints") for node in cluster.get("nodes")["items"]))
    cluster.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=4")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert first in {pod["spec"]["nodeName"] for pod in cluster.get("pods")["items"]}
    cluster.kubectl("drain", first, "--ignore-daemonsets", "--timeout=30s")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert {pod["spec"]["nodeName"] for pod in cluster.get("pods")["items"]} == {second}
    cluster.kubectl("uncordon", first)
    assert "unschedulable" not in cluster.get("node", first)["spec"]


def test_drain_waits_for_a_disruption_budget(cluster: ClusterUnderTest) -> None:
    (node,) = cluster.add_nodes(1)
    cluster.kubectl("create", "deployment", "web", "--image=nginx", "--replicas=2")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    cluster.kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=2")
    cluster.until(lambda: cluster.get("pdb", "web").get("status", {}).get("currentHealthy") == 2)
    done = cluster.tool("kubectl", "drain", node, "--timeout=3s")
    assert done.returncode == 1
    assert "Cannot evict pod as it would violate the pod's disruption budget." in done.stderr
    assert len(cluster.get("pods")["items"]) == 2


def test_a_rollout_replaces_pods_can_stall_and_be_undone(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(2)
    cluster.kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=3")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    cluster.kubectl("set", "image", "deployment/web", "nginx=nginx:2")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    cluster.until(lambda: {pod["spec"]["containers"][0]["image"] for pod in cluster.get("pods")["items"]} == {"nginx:2"})
    annotated = {"spec": {"template": {"metadata": {"annotations": {"sandbox.instantstart.dev/fault": "CrashLoopBackOff"}}}}}
    cluster.kubectl("patch", "deployment", "web", "-p", json.dumps(annotated))
    stalled = cluster.tool("kubectl", "rollout", "status", "deployment/web", "--timeout=3s")
    assert (stalled.returncode, "timed out" in stalled.stderr) == (1, True)
    cluster.kubectl("rollout", "undo", "deployment/web")
    cluster.kubectl("rollout", "status", "deployment/web", "--timeout=30s")
    assert cluster.get("deployment", "web")["status"]["readyReplicas"] == 3


def test_server_side_apply_and_diff(cluster: ClusterUnderTest) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "1"}}
    cluster.kubectl("apply", "--server-side", "-f", "-", stdin=json.dumps(manifest))
    assert cluster.get("configmap", "settings")["data"] == {"a": "1"}
    same = cluster.tool("kubectl", "diff", "--server-side", "-f", "-", stdin=json.dumps(manifest))
    assert same.returncode == 0


def test_a_daemon_set_runs_on_every_node(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(3)
    labels = {"app": "agent"}
    template = {"metadata": {"labels": labels}, "spec": {"hostNetwork": True, "containers": [{"name": "agent", "image": "agent"}]}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    manifest = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"}, "spec": spec}
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
    cluster.kubectl("rollout", "status", "daemonset/agent", "--timeout=30s")
    assert len({pod["spec"]["nodeName"] for pod in cluster.get("pods")["items"]}) == 3
    cluster.add_nodes(1, start=3)
    cluster.until(lambda: cluster.get("daemonset", "agent")["status"]["numberReady"] == 4)


def test_a_job_that_fails_is_tried_again_and_then_given_up(cluster: ClusterUnderTest) -> None:
    cluster.add_nodes(1)
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["false"]}]}}
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "fails"}, "spec": {"backoffLimit": 0, "template": template}}
    cluster.kubectl("apply", "-f", "-", stdin=json.dumps(manifest))
    cluster.kubectl("wait", "--for=condition=failed", "job/fails", "--timeout=30s")
    assert cluster.get("job", "fails")["status"]["failed"] == 1
