"""The REST API as `up` calls it: with a token, like any other client."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import urllib3

from instantstart.up.refusal import Refusal


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Api:
    http: urllib3.PoolManager
    url: str
    token: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """One call; raises urllib3's errors when the server can't be reached."""
        reply = self.http.request(
            method,
            f"{self.url}/api/v1{path}",
            body=None if body is None else json.dumps(body),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json", **headers},
        )
        return Answer(reply.status, reply.json() if reply.data else None)

    def get(self, path: str) -> Any:
        """The body of a 200. Raises Refusal with the problem's sentence otherwise."""
        answer = self.call("GET", path)
        if answer.status != 200:
            raise Refusal(f"GET {path} answered {answer.status}: {said(answer.body)}")
        return answer.body


def said(problem: Any) -> str:
    """The sentences of problem details."""
    if not isinstance(problem, dict):
        return "no explanation"
    errors = "; ".join(
        f"{error.get('field')}: {error.get('detail')} {error.get('hint', '')}".strip() for error in problem.get("errors", [])
    )
    return " ".join(part for part in (problem.get("detail"), problem.get("hint"), errors) if part)
