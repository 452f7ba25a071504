"""Become another program that the kernel kills as soon as the process that started it is gone.

Run as a script (`python -I -S bound_exec.py PARENT_PID PROGRAM ARGUMENT…`), by path, so that nothing else is imported.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    parent, program = int(sys.argv[1]), sys.argv[2]
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it went before we asked to be told
            sys.exit(1)
    os.execv(program, sys.argv[2:])  # noqa: S606 - the point of this file


if __name__ == "__main__":
    main()
