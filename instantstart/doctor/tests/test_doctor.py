"""The doctor: what it says of a healthy installation, and of each thing that is wrong."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
from collections.abc import Iterator
from email.utils import format_datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from clusters.permissions import PERMISSIONS, policy
from clusters.tests.as_role import become_role, make_role
from clusters.tests.conftest import pointed, sandbox, sandbox_process  # noqa: F401
from clusters.tests.sandbox import Sandbox
from instantstart.cloud.tests.conftest import credentials, wire  # noqa: F401
from instantstart.cloud.tests.wire import Wire
from instantstart.doctor import Finding, Health, Report, examine_connection, machine
from operations.models import Heartbeat

VALUES = {"partition": "aws", "account": "123456789012", "region": "us-west-2"}
DENIED = "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>no</Message></Error><RequestId>r</RequestId></ErrorResponse>"


def wrong(report: Report) -> list[tuple[str, str]]:
    return [(finding.code, str(finding.health)) for finding in report.findings if finding.health in (Health.ERROR, Health.WARNING)]


def finding(report: Report, code: str) -> Finding:
    found = report.find(code)
    assert found is not None, [item.code for item in report.findings]
    return found


# --- AWS ---


def test_a_healthy_connection_says_who_where_and_that_all_services_answer(sandbox: Sandbox) -> None:  # noqa: F811
    report = examine_connection("us-west-2")
    assert wrong(report) == []
    assert finding(report, "identity").facts["account"] == "123456789012"
    assert finding(report, "endpoint").facts == {"region": "us-west-2", "endpoint": sandbox.endpoint}
    assert finding(report, "permissions").detail == f"All {len({row.action for row in PERMISSIONS})} permissions are there."
    services = sorted(item.code for item in report.findings if item.code.startswith("service_"))
    assert len(services) == 10


def test_no_credentials_is_the_only_thing_said(credentials: None, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    report = examine_connection("us-west-2")
    assert [item.code for item in report.findings] == ["endpoint", "credentials"]
    assert not report.ok
    assert "AWS_ACCESS_KEY_ID" in finding(report, "credentials").fix


def test_an_aws_that_is_away_is_said_once(credentials: None) -> None:  # noqa: F811
    report = examine_connection("us-west-2")
    assert wrong(report) == [("clock", "warning"), ("identity", "error")]
    assert "AWS_ENDPOINT_URL" in finding(report, "identity").fix


@pytest.mark.parametrize(
    ("code", "fix"),
    [("ExpiredToken", "sign in again"), ("InvalidClientTokenId", "access key"), ("SignatureDoesNotMatch", "clock")],
)
def test_credentials_that_do_not_work_are_told_apart(wire: Wire, code: str, fix: str) -> None:  # noqa: F811
    wire.always = lambda _request: (403, {"date": format_datetime(dt.datetime.now(dt.UTC), usegmt=True)}, DENIED.format(code=code).encode())
    report = examine_connection("us-west-2")
    assert wrong(report) == [("identity", "error")]
    assert fix in finding(report, "identity").fix


@pytest.mark.parametrize(("seconds", "health"), [(-20, "ok"), (120, "warning"), (-900, "error")])
def test_a_clock_that_is_off_is_told_by_how_much(wire: Wire, seconds: int, health: str) -> None:  # noqa: F811
    theirs = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=seconds)
    wire.always = lambda _request: (403, {"date": format_datetime(theirs, usegmt=True)}, DENIED.format(code="RequestExpired").encode())
    clock = finding(examine_connection("us-west-2"), "clock")
    assert clock.health == health
    assert clock.facts["skew_seconds"] == pytest.approx(seconds, abs=3)


def test_each_missing_permission_is_an_error_with_its_reason(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    lacking = {"eks:CreateCluster", "s3:DeleteBucket"}
    make_role(policy(VALUES, [row for row in PERMISSIONS if row.action not in lacking]))
    become_role(monkeypatch)
    report = examine_connection("us-west-2")
    missing = [item for item in report.findings if item.code == "permission_missing"]
    assert {item.facts["action"] for item in missing} == lacking
    assert (
        missing[0].detail
        == "eks:CreateCluster is missing, which is needed to create the EKS cluster and who may sign in (phase control_plane)."
    )
    assert not report.ok


def test_a_service_that_denies_its_probe_is_a_warning_that_names_the_action(sandbox: Sandbox) -> None:  # noqa: F811
    sandbox.fault(kind="access_denied", service="logs", count=None)
    denied = finding(examine_connection("us-west-2"), "service_logs")
    assert (denied.health, denied.facts) == (Health.WARNING, {"denied": "logs:DescribeLogGroups"})
    sandbox.no_faults()


def test_a_service_that_fails_is_an_error(sandbox: Sandbox) -> None:  # noqa: F811
    sandbox.fault(kind="error:InternalFailure", service="sagemaker", operation="ListClusters", count=None)
    report = examine_connection("us-west-2")
    assert ("service_sagemaker", "error") in wrong(report)
    sandbox.no_faults()


# --- this machine ---


def on_this_machine() -> Report:
    return Report(tuple(machine.examine()))


@pytest.mark.django_db
def test_a_machine_without_a_dispatcher_is_told(settings: Any) -> None:
    assert finding(on_this_machine(), "dispatcher").fix == "Start `.venv/bin/python manage.py dispatcher`."
    Heartbeat.objects.create(name="dispatcher:host:1", at=timezone.now())
    assert finding(on_this_machine(), "dispatcher").health == Health.OK


@pytest.mark.django_db
def test_versions_of_the_programs_are_told() -> None:
    report = on_this_machine()
    for name in ("helm", "kubectl"):
        assert finding(report, f"program_{name}").facts["version"].count(".") == 2
    assert finding(report, "python").health == Health.OK


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "health"), [("helm", "error"), ("kubectl", "warning")])
def test_a_missing_program_counts_by_whether_the_product_runs_it(monkeypatch: pytest.MonkeyPatch, name: str, health: str) -> None:
    from instantstart import tools

    real = tools.path

    def without(asked: str) -> str:
        if asked == name:
            raise tools.MissingTool(f"{asked} is not installed: run `make up` once.")
        return real(asked)

    monkeypatch.setattr(tools, "path", without)
    found = finding(on_this_machine(), f"program_{name}")
    assert (found.health, found.fix) == (health, f"{name} is not installed: run `make up` once.")


@pytest.mark.django_db
def test_a_program_that_does_not_run_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "helm"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("INSTANTSTART_TOOLS", str(tmp_path))
    assert "does not run" in finding(on_this_machine(), "program_helm").detail


@pytest.mark.django_db
def test_a_full_disk_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 10**9

    monkeypatch.setattr("instantstart.doctor.machine.shutil.disk_usage", lambda _path: Usage)
    assert finding(on_this_machine(), "disk").health == Health.WARNING


@pytest.mark.django_db
def test_missing_migrations_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instantstart.doctor.machine.MigrationExecutor.migration_plan", lambda _self, _targets: [("a", False)])
    found = finding(on_this_machine(), "database")
    assert (found.health, found.fix) == (Health.ERROR, "Run `.venv/bin/python manage.py migrate`.")


# --- manage.py doctor ---


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Finding]]:
    made: list[Finding] = []
    monkeypatch.setattr("instantstart.management.commands.doctor.examine", lambda _region: Report(tuple(made)))
    yield made


def test_the_command_ends_with_1_when_something_is_an_error(findings: list[Finding]) -> None:
    findings.append(Finding("x", "X", Health.ERROR, "It is broken.", "Mend it."))
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=out)
    assert ended.value.code == 1
    assert "ERROR" in out.getvalue() and "→ Mend it." in out.getvalue()


def test_a_warning_is_shown_and_is_no_failure(findings: list[Finding]) -> None:
    findings.append(Finding("x", "X", Health.WARNING, "It may break.", "Look."))
    out = StringIO()
    call_command("doctor", stdout=out)
    assert "1 of 1 need a look." in out.getvalue()


def test_json_is_one_document(findings: list[Finding]) -> None:
    findings.append(Finding("x", "X", Health.OK, "Well.", facts={"n": 1}))
    out = StringIO()
    call_command("doctor", "--json", stdout=out)
    assert json.loads(out.getvalue()) == {
        "ok": True,
        "findings": [{"code": "x", "title": "X", "health": "ok", "detail": "Well.", "fix": "", "facts": {"n": 1}}],
    }


def test_no_secret_is_in_what_the_doctor_says(sandbox: Sandbox) -> None:  # noqa: F811
    said = json.dumps(examine_connection("us-west-2").document())
    assert "sandbox-secret-key" not in said


@pytest.mark.slow
def test_the_command_runs_as_a_process_without_a_database(sandbox: Sandbox, tmp_path: Path) -> None:  # noqa: F811
    import os
    import sys

    from django.conf import settings

    environment = {**os.environ, **sandbox.environment(), "INSTANTSTART_STATE_DIR": str(tmp_path / "state")}
    environment.pop("DATABASE_URL", None)
    done = subprocess.run(
        [sys.executable, "manage.py", "doctor", "--json"],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"]) == (1, False)
    assert [item["code"] for item in report["findings"] if item["health"] == "error"] == ["database"]
