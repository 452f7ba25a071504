"""Prompts: each source lists some and gives one by its name. Skills are a source."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import mcp_types as types

from agentapi.rest import Rest


@dataclass(frozen=True)
class Source:
    """given: the prompt of a name with its arguments filled in, None for a name that is not this source's."""

    listed: Callable[[Rest], Awaitable[list[types.Prompt]]]
    given: Callable[[Rest, str, Mapping[str, str]], Awaitable[types.GetPromptResult | None]]
