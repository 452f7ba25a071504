"""A small skill and the few tools that it needs, to be spoiled by the tests."""

from __future__ import annotations

from agentapi.skills.linting import KnownTool

TOOLS = {
    "thing_get": KnownTool("thing_get", "core", True, frozenset({"name", "limit"}), frozenset({"name"})),
    "thing_make": KnownTool(
        "thing_make", "core", False, frozenset({"name", "dry_run", "plan_fingerprint"}), frozenset({"name"}), "thing_get"
    ),
}

TEXT = """---
name: make-a-thing
version: 3
description: Makes a thing. Use it when somebody wants one.
tools: [thing_make, thing_get]
toolsets: [core]
writes: true
---

# Make a thing

Words for the agent.

## 1. Plan it

Ask for a name, then see what would happen.

```yaml
id: plan
ask:
  - name: name
    question: What is it called?
call: thing_make
args: {name: "${input.name}", dry_run: true}
expect: ["plan.errors == `0`"]
on_fail: {say: "It can't be made: ${plan.sentence}"}
```

## 2. Make it

With the plan's fingerprint.

```yaml
id: make
call: thing_make
args: {name: "${input.name}", plan_fingerprint: "${plan.fingerprint}"}
on_fail: {say: "It was not made."}
```

## 3. Look at it

Until it is there.

```yaml
id: look
call: thing_get
args: {name: "${make.name}"}
until: look.state == 'ready'
on_fail: {say: "It can't be seen."}
```

## 4. Tell

```yaml
id: tell
say: "${input.name} is ${look.state}."
```
Say it in these words.

## What to do after a break

Begin again.
"""
