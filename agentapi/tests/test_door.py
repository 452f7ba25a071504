"""Who comes in at /mcp, and who is turned away, with which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from accounts.models import ApiToken, User
from agentapi.tests.conftest import Web

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
Make = Callable[..., tuple[ApiToken, str]]


def post(web: Web, secret: str = "", *, path: str = "/mcp", body: Any = LIST, **headers: str) -> httpx2.Response:
    """One message, as a client of 2025 sends it."""
    authorization = {"Authorization": f"Bearer {secret}"} if secret else {}
    return httpx2.post(f"{web.url}{path}", json=body, headers={**HEADERS, **authorization, **headers})


def test_without_a_token_the_answer_says_how_to_get_one_and_starts_no_sign_in(web: Web) -> None:
    answer = post(web)
    assert (answer.status_code, answer.headers["WWW-Authenticate"], answer.json()["code"]) == (401, "Bearer", "token_needed")
    assert '"agent": true' in answer.json()["hint"]
    for name in ("oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server", "openid-configuration"):
        assert httpx2.get(f"{web.url}/.well-known/{name}").status_code == 404


def test_a_token_that_is_unknown_is_told_so(web: Web) -> None:
    answer = post(web, "is_nobodys")
    assert (answer.status_code, answer.headers["WWW-Authenticate"], answer.json()["code"]) == (401, "Bearer", "token_needed")


def test_a_token_that_is_not_marked_agent_is_refused_with_the_way_to_one(web: Web, operator: User, make_token: Make) -> None:
    answer = post(web, make_token(operator)[1])
    assert (answer.status_code, answer.json()["code"]) == (403, "not_an_agents_token")
    assert "POST /api/v1/tokens/" in answer.json()["hint"]


def test_an_agents_token_lists_the_tools(web: Web, operator: User, make_token: Make) -> None:
    answer = post(web, make_token(operator, agent=True)[1])
    assert answer.status_code == 200, answer.text
    assert "cluster_create" in [tool["name"] for tool in answer.json()["result"]["tools"]]


def test_pages_of_other_origins_and_other_host_names_are_turned_away(web: Web, operator: User, make_token: Make) -> None:
    secret = make_token(operator, agent=True)[1]
    assert post(web, secret, Origin=web.url).status_code == 200
    elsewhere = post(web, secret, Origin="https://elsewhere.example")
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (403, "wrong_origin")
    bent = post(web, secret, Host="elsewhere.example")
    assert (bent.status_code, bent.json()["code"]) == (421, "unknown_host")


def test_only_post_is_answered_since_nothing_is_kept_between_calls(web: Web, operator: User, make_token: Make) -> None:
    secret = make_token(operator, agent=True)[1]
    for method in ("GET", "DELETE"):
        answer = httpx2.request(method, f"{web.url}/mcp", headers={**HEADERS, "Authorization": f"Bearer {secret}"})
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_body_is_limited(web: Web, operator: User, make_token: Make) -> None:
    secret = make_token(operator, agent=True)[1]
    answer = post(web, secret, body={**LIST, "params": {"cursor": "x" * 300_000}})
    assert answer.status_code == 413


def test_an_unknown_toolset_is_refused_with_those_there_are(web: Web, operator: User, make_token: Make) -> None:
    secret = make_token(operator, agent=True)[1]
    for answer, where in (
        (post(web, secret, path="/mcp?toolsets=core,everything"), "toolsets of the address"),
        (post(web, secret, **{"X-InstantStart-Toolsets": "everything"}), "The header X-InstantStart-Toolsets"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, "unknown_toolset")
        assert answer.json()["detail"] == f"{where}: there is no toolset everything."
        assert answer.json()["hint"].startswith("There are: core, ")


@pytest.mark.parametrize("how", [{"path": "/mcp?toolsets=governance"}, {"X-InstantStart-Toolsets": "governance"}, {}])
def test_toolsets_are_switched_on_by_address_by_header_and_by_the_token(
    web: Web, operator: User, make_token: Make, how: dict[str, str]
) -> None:
    own = None if how else ["governance"]
    listed = post(web, make_token(operator, agent=True, toolsets=own)[1], **how).json()["result"]["tools"]
    names = {tool["name"] for tool in listed}
    assert "catalog_regions" in names and "cluster_list" not in names


def test_an_address_shows_no_more_than_the_tokens_own_toolsets(web: Web, operator: User, make_token: Make) -> None:
    secret = make_token(operator, agent=True, toolsets=["core", "nodes"])[1]
    names = {tool["name"] for tool in post(web, secret, path="/mcp?toolsets=nodes,groups").json()["result"]["tools"]}
    assert "node_list" in names and not names & {"group_list", "cluster_list"}
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "group_list", "arguments": {}}}
    refused = post(web, secret, body=call).json()["result"]["structuredContent"]["error"]
    assert (refused["code"], refused["call_next"]) == ("tool_not_switched_on", None)


def test_too_many_calls_are_told_when_to_come_back(settings: Any, transactional_db: None, operator: User, make_token: Make) -> None:
    settings.MCP_CALLS_A_MINUTE = 2
    web = Web()
    try:
        secret = make_token(operator, agent=True)[1]
        answers = [post(web, secret) for _ in range(3)]
    finally:
        web.stop()
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert (answers[2].json()["code"], answers[2].headers["Retry-After"]) == ("rate_limited", "30")


@pytest.mark.parametrize("how", [{"path": "/mcp?read_only"}, {"X-InstantStart-Read-Only": "true"}, {}])
def test_read_only_hides_what_writes_whether_asked_for_or_the_tokens_own(
    web: Web, operator: User, make_token: Make, how: dict[str, str]
) -> None:
    secret = make_token(operator, agent=True, read_only=not how)[1]
    listed = post(web, secret, **how).json()["result"]["tools"]
    assert listed and all(tool["annotations"]["readOnlyHint"] for tool in listed)
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "cluster_prefer", "arguments": {"cluster": "demo"}}}
    refused = post(web, secret, body=call, **how).json()["result"]
    assert refused["isError"] is True
    assert refused["structuredContent"]["error"]["code"] == "read_only_token"
