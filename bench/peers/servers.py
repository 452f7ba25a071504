"""The MCP servers that are asked: ours over HTTP, the others over their standard input."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from bench.peers import install
from bench.peers.world import World

OURS, EKS, SAGEMAKER, KUBERNETES = "ours", "awslabs.eks-mcp-server", "awslabs.sagemaker-ai-mcp-server", "kubernetes-mcp-server"
OTHERS = (EKS, SAGEMAKER, KUBERNETES)
SENSITIVE = "--allow-sensitive-data-access"
"""Without it these two servers tell no events."""
PATIENCE = 120.0


@dataclass(frozen=True)
class Server:
    """command: makes sure that it is installed, and says how it is started (install.NotInstalled)."""

    name: str
    command: Callable[[], list[str]]


SERVERS = {
    EKS: Server(EKS, lambda: [str(install.python_program(EKS, "awslabs-eks.txt")), SENSITIVE]),
    SAGEMAKER: Server(SAGEMAKER, lambda: [str(install.python_program(SAGEMAKER, "awslabs-sagemaker-ai.txt")), SENSITIVE]),
    KUBERNETES: Server(KUBERNETES, lambda: [*install.node_program(KUBERNETES), "--read-only"]),
}


@asynccontextmanager
async def connected(name: str, world: World, *more: str) -> AsyncIterator[Client]:
    """A client of that server. more: further arguments of a program."""
    if name == OURS:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {world.secret}"}, timeout=PATIENCE) as http,
            Client(streamable_http_client(f"{world.stack.url}/mcp", http_client=http)) as client,
        ):
            yield client
        return
    program, *arguments = SERVERS[name].command()
    environment = {**world.environment, "FASTMCP_LOG_LEVEL": "ERROR", "LOGURU_LEVEL": "ERROR"}
    with (world.stack.choices.state_dir / f"{name}.log").open("a") as log:
        parameters = StdioServerParameters(command=program, args=[*arguments, *more], env=environment)
        async with Client(stdio_client(parameters, errlog=log)) as client:
            yield client
