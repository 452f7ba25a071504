"""The sandbox as a process: start, end, kill, restart, refusals, the command line."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contract.conftest import ROOT, Sandbox


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, env=env, check=False)


def test_it_answers_within_two_seconds_in_150_mb(own_sandbox: Sandbox) -> None:
    own_sandbox.start()
    own_sandbox.client("sts").get_caller_identity()
    assert own_sandbox.process is not None
    # processor time: what it takes on a machine that does nothing else
    fields = Path(f"/proc/{own_sandbox.process.pid}/stat").read_text().rpartition(") ")[2].split()
    assert (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") <= 2.0
    for service, call in (("ec2", "describe_vpcs"), ("sagemaker", "list_clusters"), ("iam", "list_roles"), ("eks", "list_clusters")):
        getattr(own_sandbox.client(service), call)()
    status = Path(f"/proc/{own_sandbox.process.pid}/status").read_text()
    resident = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    assert resident <= 150 * 1024


def test_it_listens_on_loopback_only(own_sandbox: Sandbox) -> None:
    own_sandbox.start()
    port = int(own_sandbox.endpoint.rpartition(":")[2])
    table = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    listening = [line.split()[1] for line in table.splitlines() if line.split()[3:4] == ["0A"] and line.split()[1].endswith(f":{port:04X}")]
    assert listening == [f"0100007F:{port:04X}"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_on_a_signal(own_sandbox: Sandbox, number: int) -> None:
    own_sandbox.start()
    began = time.monotonic()
    assert own_sandbox.stop(number) == 0
    assert time.monotonic() - began < 5


def test_after_kill_9_everything_is_still_there_with_the_same_ids(own_sandbox: Sandbox) -> None:
    own_sandbox.start("--speed", "60")
    ec2, logs, s3 = (own_sandbox.client(service) for service in ("ec2", "logs", "s3"))
    vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
    logs.create_log_group(logGroupName="/kept")
    s3.create_bucket(Bucket="kept-bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    etag = s3.put_object(Bucket="kept-bucket", Key="k", Body=b"body")["ETag"]
    ledger = own_sandbox.control("GET", "ledger")["ledger"]
    own_sandbox.stop(signal.SIGKILL)
    own_sandbox.start()
    ec2, logs, s3 = (own_sandbox.client(service) for service in ("ec2", "logs", "s3"))
    assert vpc in [item["VpcId"] for item in ec2.describe_vpcs()["Vpcs"]]
    assert [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]] == ["/kept"]
    got = s3.get_object(Bucket="kept-bucket", Key="k")
    assert (got["Body"].read(), got["ETag"]) == (b"body", etag)
    assert own_sandbox.control("GET", "ledger")["ledger"] == ledger
    assert own_sandbox.control("GET", "clock")["speed"] == 60


def test_a_kill_in_the_middle_of_writes_loses_no_answered_call(own_sandbox: Sandbox) -> None:
    own_sandbox.start()
    logs = own_sandbox.client("logs")
    answered = []
    for number in range(40):
        logs.create_log_group(logGroupName=f"/g{number:02d}")
        answered.append(f"/g{number:02d}")
    own_sandbox.stop(signal.SIGKILL)
    own_sandbox.start()
    found = own_sandbox.client("logs").get_paginator("describe_log_groups").paginate().build_full_result()["logGroups"]
    assert [group["logGroupName"] for group in found] == answered


def test_a_busy_port_is_one_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("-m", "sandbox", "serve", "--port", str(port), "--state-dir", str(tmp_path / "state"))
    assert done.returncode == 2
    assert (
        done.stderr == f"Port {port} on 127.0.0.1 cannot be used (Address already in use): stop what listens there, or choose --port 0.\n"
    )
    assert not (tmp_path / "state").exists()


def test_a_second_one_on_the_same_folder_is_one_sentence(own_sandbox: Sandbox) -> None:
    own_sandbox.start()
    done = run("-m", "sandbox", "serve", "--port", "0", "--state-dir", str(own_sandbox.state_dir))
    assert done.returncode == 2
    assert done.stderr == f"Another sandbox works on {own_sandbox.state_dir}: stop it, or choose another --state-dir.\n"


def test_a_state_folder_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("-m", "sandbox", "serve", "--port", "0", "--state-dir", str(tmp_path / "file" / "state"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "choose another --state-dir" in done.stderr


def test_two_sandboxes_know_nothing_of_each_other(own_sandbox: Sandbox, sandbox: Sandbox) -> None:
    own_sandbox.start()
    own_sandbox.client("logs").create_log_group(logGroupName="/mine")
    assert sandbox.client("logs").describe_log_groups()["logGroups"] == []


class TestCommand:
    def manage(self, sandbox: Sandbox, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run(str(ROOT / "manage.py"), "sandbox", *arguments, "--state-dir", str(sandbox.state_dir))

    def test_env_gives_exports_that_the_aws_command_works_with(self, sandbox: Sandbox) -> None:
        script = self.manage(sandbox, "env")
        assert script.returncode == 0
        aws = ROOT / ".venv-aws" / "bin" / "aws"
        done = subprocess.run(
            ["bash", "-c", f'{script.stdout}\n"{aws}" sts get-caller-identity --query Arn --output text'],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": os.environ["PATH"], "HOME": str(sandbox.home), "AWS_PROFILE": "nobody"},
            check=False,
        )
        assert done.stdout == "arn:aws:iam::123456789012:user/sandbox\n", done.stderr

    def test_clock_faults_and_reset_reach_the_running_sandbox(self, sandbox: Sandbox) -> None:
        assert json.loads(self.manage(sandbox, "clock", "--speed", "120").stdout)["speed"] == 120
        assert json.loads(self.manage(sandbox, "clock", "--fast-forward", "30").stdout)["jumped"] >= 30
        added = json.loads(self.manage(sandbox, "faults", "--add", '{"kind": "throttle"}').stdout)
        assert [fault["id"] for fault in json.loads(self.manage(sandbox, "faults").stdout)["faults"]] == [added["id"]]
        assert json.loads(self.manage(sandbox, "reset").stdout)["faults"] == []

    def test_a_wrong_fault_is_told_in_one_sentence(self, sandbox: Sandbox) -> None:
        done = self.manage(sandbox, "faults", "--add", '{"kind": "x"}')
        assert done.returncode == 1
        assert done.stderr.startswith("kind must be one of")

    def test_without_a_sandbox_it_says_how_to_start_one(self, tmp_path: Path) -> None:
        done = run("-m", "sandbox", "clock", "--state-dir", str(tmp_path), "--endpoint", "http://127.0.0.1:9")
        assert done.returncode == 1
        assert done.stderr.startswith("No sandbox answers at http://127.0.0.1:9")
