"""The double of every image that has none of its own."""

from __future__ import annotations

import asyncio

from sandbox.kube.doubles import shell
from sandbox.kube.doubles.double import Double, Play

_JOB_SECONDS = 1.0


class Generic(Double):
    """Does what the command says where that is a few plain shell commands; else it runs quietly until it is stopped, or ends with 0
    after a second when it is meant to end (a Job's pod, a Helm test)."""

    async def run(self, play: Play) -> int:
        program = shell.understood(play.command)
        if program is not None:
            return await shell.play(program, play)
        if play.ends:
            await asyncio.sleep(max(0.0, _JOB_SECONDS - play.elapsed))
            return 0
        await asyncio.Event().wait()
        raise AssertionError("unreachable")
