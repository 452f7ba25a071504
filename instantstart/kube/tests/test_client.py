"""The gateway to a Kubernetes API, over real TLS."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction

from instantstart import kube
from instantstart.kube import target
from instantstart.kube.errors import KubeError
from instantstart.kube.target import KubeTarget
from instantstart.kube.tests.api_server import ApiServer, Asked, status

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "default"}, "data": {"x": "1"}}


def refusal(call: Any) -> KubeError:
    with pytest.raises(KubeError) as raised:
        call()
    return raised.value


def test_an_object_is_given_as_the_server_says_it(api: ApiServer) -> None:
    api.answer = lambda _asked: (200, CONFIG_MAP)
    assert kube.connect(api.target).get("v1", "ConfigMap", "a", "default") == CONFIG_MAP
    assert (api.asked[0].method, api.asked[0].path) == ("GET", "/api/v1/namespaces/default/configmaps/a")
    assert api.asked[0].token.startswith("k8s-aws-v1.")


def test_what_the_server_says_is_not_there_is_none(api: ApiServer) -> None:
    api.answer = lambda _asked: status("NotFound", 404)
    assert kube.connect(api.target).get("v1", "ConfigMap", "a", "default") is None
    assert kube.connect(api.target).delete("v1", "ConfigMap", "a", "default") is False


@pytest.mark.parametrize("answer", [(404, b"<html>not here</html>"), (404, {"error": "no route"}), (502, b"bad gateway")])
def test_a_proxys_answer_never_means_that_nothing_is_there(api: ApiServer, answer: tuple[int, Any]) -> None:
    api.answer = lambda _asked: answer
    error = refusal(lambda: kube.connect(api.target).get("v1", "ConfigMap", "a", "default"))
    assert (error.code, error.missing) == ("UnreadableReply", False)
    assert refusal(lambda: kube.connect(api.target).list("v1", "Pod")).code == "UnreadableReply"


def test_a_list_is_read_page_by_page_and_says_what_its_items_are(api: ApiServer) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        if "continue" not in asked.query:
            return 200, {"metadata": {"continue": "next", "resourceVersion": "7"}, "items": [{"metadata": {"name": "a"}}]}
        return 200, {"metadata": {"resourceVersion": "7"}, "items": [{"metadata": {"name": "b"}}]}

    api.answer = answer
    items, version = kube.connect(api.target).list_with_version("v1", "Pod", labels="app=x", fields="spec.nodeName=n")
    assert [(item["kind"], item["metadata"]["name"]) for item in items] == [("Pod", "a"), ("Pod", "b")]
    assert version == "7"
    assert api.asked[1].query == {"limit": "500", "labelSelector": "app=x", "fieldSelector": "spec.nodeName=n", "continue": "next"}


def test_apply_is_server_side_under_our_name(api: ApiServer) -> None:
    api.answer = lambda asked: (200, asked.body)
    assert kube.connect(api.target).apply(CONFIG_MAP) == CONFIG_MAP
    sent = api.asked[0]
    assert (sent.method, sent.content_type, sent.query) == (
        "PATCH",
        "application/apply-patch+yaml",
        {"fieldManager": "instantstart", "force": "true"},
    )


def test_a_namespaced_object_without_its_namespace_is_a_mistake_of_ours(api: ApiServer) -> None:
    with pytest.raises(ValueError, match="lives in a namespace"):
        kube.connect(api.target).get("v1", "ConfigMap", "a")
    assert api.asked == []


def test_a_refused_token_is_renewed_once(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens: list[bool] = []
    monkeypatch.setattr("instantstart.kube.transport.bearer_token", lambda _target, *, fresh: tokens.append(fresh) or f"t{len(tokens)}")
    api.answer = lambda asked: (200, {"gitVersion": "v1.36.3"}) if asked.token == "t2" else status("Unauthorized", 401)
    assert kube.connect(api.target).version() == "v1.36.3"
    assert tokens == [False, True]
    api.answer = lambda _asked: status("Unauthorized", 401)
    assert refusal(lambda: kube.connect(api.target).version()).code == "Unauthorized"
    assert len(api.asked) == 4


def test_a_token_is_signed_anew_after_twelve_minutes(api: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("instantstart.kube.target.time.monotonic", lambda: now[0])
    monkeypatch.setattr("instantstart.cloud.aws.Aws.eks_token", lambda _aws, name: f"{name}-{now[0]:.0f}")
    assert target.bearer_token(api.target) == "demo-100"
    now[0] += 719
    assert target.bearer_token(api.target) == "demo-100"
    now[0] += 2
    assert target.bearer_token(api.target) == "demo-821"


def test_a_kind_without_its_definition_does_not_exist(api: ApiServer) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        if asked.path == "/apis":
            return 200, {"kind": "APIGroupList", "groups": [{"versions": [{"groupVersion": "apps/v1"}]}]}
        return 404, b"404 page not found"

    api.answer = answer
    client = kube.connect(api.target)
    assert client.get("ray.io/v1", "RayCluster", "x", "default") is None
    assert client.list("ray.io/v1", "RayCluster") == []
    error = refusal(
        lambda: client.apply({"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "x", "namespace": "default"}})
    )
    assert (error.code, error.missing, error.sent) == ("NoSuchKind", True, True)


def test_a_kind_of_a_definition_is_found_by_discovery(api: ApiServer) -> None:
    def answer(asked: Asked) -> tuple[int, Any]:
        if asked.path == "/apis/ray.io/v1":
            return 200, {"resources": [{"name": "rayclusters", "kind": "RayCluster", "namespaced": True}]}
        return 200, {"metadata": {"name": "x"}}

    api.answer = answer
    client = kube.connect(api.target)
    for _ in range(2):
        assert client.get("ray.io/v1", "RayCluster", "x", "ml") == {"metadata": {"name": "x"}}
    assert [asked.path for asked in api.asked] == ["/apis/ray.io/v1", *["/apis/ray.io/v1/namespaces/ml/rayclusters/x"] * 2]


def test_a_kind_whose_definition_went_has_no_objects_and_a_404_of_a_kind_that_is_there_is_an_error(api: ApiServer) -> None:
    defined = True

    def answer(asked: Asked) -> tuple[int, Any]:
        if asked.path == "/apis/ray.io/v1":
            return (200, {"resources": [{"name": "rayclusters", "kind": "RayCluster", "namespaced": True}] if defined else []})
        return status("NotFound", 404)

    api.answer = answer
    client = kube.connect(api.target)
    assert refusal(lambda: client.list("ray.io/v1", "RayCluster")).code == "NotFound"
    defined = False
    assert client.list("ray.io/v1", "RayCluster") == []


@pytest.mark.parametrize(
    ("answer", "code", "sent"),
    [
        (status("Forbidden", 403, "nodes is forbidden"), "Forbidden", True),
        (status("Invalid", 422), "Invalid", True),
        (status("Conflict", 409), "Conflict", True),
        ((500, b"boom"), "UnreadableReply", None),
    ],
)
def test_refusals_carry_the_servers_reason(api: ApiServer, answer: tuple[int, Any], code: str, sent: bool | None) -> None:
    api.answer = lambda _asked: answer
    error = refusal(lambda: kube.connect(api.target).apply(CONFIG_MAP))
    assert (error.code, error.status, error.sent, error.service) == (code, answer[0], sent, "kubernetes")


def test_a_server_that_is_not_there_was_certainly_not_told(api: ApiServer) -> None:
    nowhere = KubeTarget("demo", "us-west-2", "https://127.0.0.1:9", api.target.ca_data)
    error = refusal(lambda: kube.connect(nowhere).apply(CONFIG_MAP))
    assert (error.code, error.sent) == ("Unreachable", False)


def test_a_server_of_another_authority_is_not_believed(api: ApiServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    import base64

    from instantstart.kube.tests.api_server import certificate

    _, other = certificate(tmp_path_factory.mktemp("other"))
    stranger = KubeTarget("demo", "us-west-2", api.target.endpoint, base64.b64encode(other.encode()).decode())
    assert refusal(lambda: kube.connect(stranger).version()).code == "TlsFailed"
    assert api.asked == []


def test_an_authority_that_is_no_certificate_is_said(api: ApiServer) -> None:
    broken = KubeTarget("demo", "us-west-2", api.target.endpoint, "bm9uc2Vuc2U=")
    error = refusal(lambda: kube.connect(broken).version())
    assert (error.code, error.sent) == ("TlsFailed", False)


def test_an_answer_that_takes_too_long_may_have_had_its_effect(api: ApiServer, settings: Any) -> None:
    import threading

    settings.AWS_READ_TIMEOUT = 0.1
    release = threading.Event()

    def answer(_asked: Asked) -> tuple[int, Any]:
        release.wait(5)
        return 200, {}

    api.answer = answer
    error = refusal(lambda: kube.connect(api.target).apply(CONFIG_MAP))
    release.set()
    assert (error.code, error.sent) == ("Timeout", None)


@pytest.mark.django_db
def test_no_call_is_made_inside_a_transaction(api: ApiServer) -> None:
    with transaction.atomic(), pytest.raises(RuntimeError, match="inside a database transaction"):
        kube.connect(api.target).version()
    assert api.asked == []


def test_a_watch_gives_events_as_they_come_and_an_error_as_an_error(api: ApiServer) -> None:
    events = [
        {"type": "ADDED", "object": {"metadata": {"name": "a"}}},
        {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}},
        {"type": "ERROR", "object": {"kind": "Status", "reason": "Expired", "message": "too old", "code": 410}},
    ]
    raw = b"".join(json.dumps(event).encode() + b"\n" for event in events)
    api.answer = lambda _asked: (200, iter([raw[:20], raw[20:70], raw[70:]]))
    watch = kube.connect(api.target).watch("v1", "Pod", "7")
    assert [next(watch)["type"], next(watch)["type"]] == ["ADDED", "BOOKMARK"]
    error = refusal(lambda: next(watch))
    assert (error.code, error.status) == ("Expired", 410)
    assert api.asked[0].query["resourceVersion"] == "7"


def test_the_log_of_a_container_is_text(api: ApiServer) -> None:
    api.answer = lambda _asked: (200, b"one\ntwo\n")
    assert kube.connect(api.target).logs("default", "p", "c", tail=2) == "one\ntwo\n"
    assert (api.asked[0].path, api.asked[0].query) == ("/api/v1/namespaces/default/pods/p/log", {"container": "c", "tailLines": "2"})
