"""Whatever comes in, a proper answer goes out: never a 500, never an exception, always in the service's own format."""

from __future__ import annotations

import datetime
import json
import logging
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.aws import models, registry
from sandbox.tests.core.asgi import ask
from sandbox.world import World

HOST = "127.0.0.1:1"
SIGNING_NAMES = {"service-quotas": "servicequotas", "resourcegroupstaggingapi": "tagging"}
SERVICES = ("sts", "iam", "ec2", "cloudformation", "eks", "sagemaker", "s3", "logs", "service-quotas", "resourcegroupstaggingapi")
FUZZ = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(Path(tmp_path_factory.mktemp("garbage")), speed=60)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_trace(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A handler that broke leaves a trace: there must be none."""
    with caplog.at_level(logging.ERROR):
        yield
    assert [record.getMessage() for record in caplog.records if record.name.startswith("sandbox")] == []


def signed(service: str, method: str, path: str, body: bytes, headers: dict[str, str], query: str = "") -> dict[str, str]:
    """The headers of a request signed with the sandbox's key."""
    request = AWSRequest(method, f"http://{HOST}{path}" + (f"?{query}" if query else ""), data=body, headers={"host": HOST, **headers})
    SigV4Auth(Credentials("AKIASANDBOX0000000", "sandbox-secret-key"), SIGNING_NAMES.get(service, service), "us-west-2").add_auth(request)
    return dict(request.headers.items())


def well_formed(service: str, status: int, headers: dict[str, str], body: bytes) -> None:
    assert 200 <= status < 500 or status in (501, 503)
    kind = headers.get("content-type", "")
    if "xml" in kind and body:
        ET.fromstring(body)  # noqa: S314 - it is our own
    elif "json" in kind and body:
        json.loads(body)


@FUZZ
@given(
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS", "BREW"]),
    path=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60).map(
        lambda text: "/" + text.replace("?", "").replace("#", "")
    ),
    query=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60),
    headers=st.lists(
        st.tuples(
            st.sampled_from(
                [
                    b"authorization",
                    b"x-amz-target",
                    b"x-amz-date",
                    b"content-encoding",
                    b"x-amz-content-sha256",
                    b"host",
                    b"smithy-protocol",
                    b"range",
                ]
            ),
            st.one_of(
                st.binary(max_size=80),
                st.sampled_from(
                    [
                        b"AWS4-HMAC-SHA256 Credential=A/20260101/us-west-2/sagemaker/aws4_request, SignedHeaders=host, Signature=00",
                        b"AWS4-HMAC-SHA256 Credential=A/B/C, SignedHeaders=, Signature=00",
                        b"SageMaker.ListClusters",
                        b"STREAMING-UNSIGNED-PAYLOAD-TRAILER",
                        b"gzip",
                        b"rpc-v2-cbor",
                    ]
                ),
            ),
        ),
        max_size=5,
    ),
    body=st.binary(max_size=200),
)
def test_bytes_that_mean_nothing_get_an_answer(
    shared: World, method: str, path: str, query: str, headers: list[tuple[bytes, bytes]], body: bytes
) -> None:
    if path.startswith("/_sandbox"):
        return
    well_formed("", *ask(shared, method, path, query, headers, body))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def shaped(shape: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values that look like what the model wants, and now and then do not."""
    kind = shape.type_name
    if depth > 3:
        return JSON
    if kind == "structure":
        members = {name: shaped(member, depth + 1) for name, member in shape.members.items()}
        return st.fixed_dictionaries({}, optional=members)
    if kind == "list":
        return st.lists(shaped(shape.member, depth + 1), max_size=3)
    if kind == "map":
        return st.dictionaries(st.text(max_size=8), shaped(shape.value, depth + 1), max_size=3)
    if kind in ("integer", "long"):
        return st.integers(-5, 200) | st.integers() | JSON
    if kind == "boolean":
        return st.booleans() | JSON
    if kind == "string":
        enum = shape.metadata.get("enum")
        return (
            (st.sampled_from(enum) | st.text(max_size=30))
            if enum
            else st.text(max_size=30) | st.sampled_from(["demo", "arn:aws:iam::123456789012:role/x"])
        )
    return JSON


@pytest.mark.parametrize(
    "service",
    [service for service in SERVICES if models.service(service).metadata["protocol"] not in ("query", "ec2", "rest-xml", "rest-json")],
)
def test_json_of_any_shape_gets_an_answer(shared: World, service: str) -> None:
    model = models.service(service)
    prefix = model.metadata["targetPrefix"]

    @FUZZ
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from([op for svc, op in registry.registered() if svc == service]))
        shape = model.operation_model(name).input_shape
        document = data.draw(JSON | (shaped(shape) if shape is not None else JSON))
        body = json.dumps(document).encode()
        headers = signed(service, "POST", "/", body, {"x-amz-target": f"{prefix}.{name}", "content-type": "application/x-amz-json-1.1"})
        well_formed(service, *ask(shared, "POST", "/", "", headers, body))

    run()


@pytest.mark.parametrize("service", ["sts", "iam", "ec2", "cloudformation"])
def test_forms_of_any_shape_get_an_answer(shared: World, service: str) -> None:
    names = [op for svc, op in registry.registered() if svc == service]
    model = models.service(service)

    @FUZZ
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(names))
        shape = model.operation_model(name).input_shape
        members = [*(shape.members if shape is not None else ()), "X"]
        key = st.sampled_from(members).flatmap(
            lambda member: st.sampled_from(
                [
                    member,
                    f"{member}.1",
                    f"{member}.member.1",
                    f"{member}.1.Key",
                    f"{member}.member.1.Key",
                    f"{member}.1.Value.1",
                    f"{member}.",
                    ".",
                ]
            )
        )
        pairs = data.draw(
            st.lists(st.tuples(key, st.text(st.characters(codec="ascii", exclude_characters="&=%+"), max_size=20)), max_size=6)
        )
        body = "&".join([f"Action={name}", f"Version={model.api_version}", *(f"{k}={v}" for k, v in pairs)]).encode()
        headers = signed(service, "POST", "/", body, {"content-type": "application/x-www-form-urlencoded"})
        well_formed(service, *ask(shared, "POST", "/", "", headers, body))

    run()


def test_rest_bodies_of_any_shape_get_an_answer(shared: World) -> None:
    operations = [op for svc, op in registry.registered() if svc == "eks"]
    model = models.service("eks")

    @FUZZ
    @given(data=st.data())
    def run(data: st.DataObject) -> None:
        operation = model.operation_model(data.draw(st.sampled_from(operations)))
        path = operation.http["requestUri"].partition("?")[0]
        while "{" in path:
            before, _, rest = path.partition("{")
            path = before + data.draw(st.sampled_from(["demo", "x%2Fy", "%00", "a" * 200, "%ff"])) + rest.partition("}")[2]
        shape = operation.input_shape
        body = json.dumps(data.draw(JSON | (shaped(shape) if shape is not None else JSON))).encode()
        headers = signed("eks", operation.http["method"], path, body, {"content-type": "application/json"})
        well_formed("eks", *ask(shared, operation.http["method"], path, "", headers, body))

    run()


def test_xml_of_any_shape_gets_an_answer(shared: World) -> None:
    sub_resources = [
        "",
        "tagging",
        "policy",
        "versioning",
        "encryption",
        "lifecycle",
        "delete",
        "uploads",
        "publicAccessBlock",
        "ownershipControls",
        "list-type=2",
        "versions",
        "uploadId=x&partNumber=1",
    ]

    @FUZZ
    @given(
        method=st.sampled_from(["GET", "PUT", "POST", "DELETE", "HEAD"]),
        path=st.sampled_from(
            [
                "/",
                "/bucket-a",
                "/bucket-a/",
                "/bucket-a/key",
                "/bucket-a/%C3%BC%20x",
                "/B_",
                "//",
                "/bucket-a/%00",
                "/bucket-a/" + "k" * 1100,
            ]
        ),
        query=st.sampled_from(sub_resources),
        body=st.binary(max_size=60)
        | st.sampled_from(
            [
                b"<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>",
                b"<Delete><Object><Key>a</Key></Object></Delete>",
                b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
                b"<a>" * 2000,
                b"<VersioningConfiguration><Status>On</Status></VersioningConfiguration>",
                b'{"Statement": [{"Effect": "Allow"}]}',
                b'{"Statement": 3}',
            ]
        ),
    )
    def run(method: str, path: str, query: str, body: bytes) -> None:
        headers = signed("s3", method, path, body, {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"}, query)
        headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD"
        well_formed("s3", *ask(shared, method, path, query, headers, body))

    run()


@FUZZ
@given(
    path=st.sampled_from(["status", "clock", "faults", "requests", "ledger", "state", "accounts", "faults/x", "", "nothing"]),
    method=st.sampled_from(["GET", "POST", "DELETE"]),
    query=st.sampled_from(
        ["", "since=x", "since=-1", "limit=999999999999", "kind=ec2.vpc", "alive=maybe", "since=99999999999999999999999"]
    ),
    body=st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()),
)
def test_the_control_api_answers_anything_with_json(shared: World, path: str, method: str, query: str, body: bytes) -> None:
    status, _, answer = ask(shared, method, f"/_sandbox/{path}", query, {}, body)
    assert status in (200, 400, 403, 404)
    json.loads(answer)


def test_the_signing_of_these_tests_is_accepted(shared: World) -> None:
    """Else everything above would end at the signature."""
    for service, target in (("sagemaker", "SageMaker.ListClusters"), ("logs", "Logs_20140328.DescribeLogGroups")):
        headers = signed(service, "POST", "/", b"{}", {"x-amz-target": target})
        assert ask(shared, "POST", "/", "", headers, b"{}")[0] == 200
    headers = signed("eks", "GET", "/clusters", b"", {})
    assert ask(shared, "GET", "/clusters", "", headers, b"")[0] == 200
    headers = signed("s3", "GET", "/", b"", {"x-amz-content-sha256": "UNSIGNED-PAYLOAD"})
    headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD"
    status, _, body = ask(shared, "GET", "/", "", headers, b"")
    assert (status, b"ListAllMyBucketsResult" in body) == (200, True)
    assert datetime.datetime.now(datetime.UTC).year >= 2026
