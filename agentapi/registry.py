"""Every tool, resource and prompt there is: an explicit list, so that nothing is registered by accident.

`python manage.py mcp --snapshot` writes agentapi/tools.json from it; a test fails when the two differ.
"""

from __future__ import annotations

import agentapi.playbooks as playbooks
import agentapi.prompts as prompts
import agentapi.resources as resources
from agentapi.tool import Tool
from agentapi.tools import (
    alert,
    catalog,
    cluster,
    diagnose,
    drift,
    feature,
    group,
    imported,
    node,
    node_group,
    operation,
    orphan,
    phase,
    pod,
    quota,
    storage,
    training_plan,
)

TOOLS: tuple[Tool, ...] = (
    *cluster.TOOLS,
    *phase.TOOLS,
    *operation.TOOLS,
    *catalog.TOOLS,
    *quota.TOOLS,
    *diagnose.TOOLS,
    *alert.TOOLS,
    *pod.TOOLS,
    *storage.TOOLS,
    *group.TOOLS,
    *node_group.TOOLS,
    *node.TOOLS,
    *feature.TOOLS,
    *drift.TOOLS,
    *orphan.TOOLS,
    *imported.TOOLS,
    *training_plan.TOOLS,
)
RESOURCES: tuple[resources.Source, ...] = (resources.RULES, resources.CATALOG, playbooks.RESOURCES)
PROMPTS: tuple[prompts.Source, ...] = (playbooks.PROMPTS,)
BY_NAME = {tool.name: tool for tool in TOOLS}
NAMES = frozenset(BY_NAME)
