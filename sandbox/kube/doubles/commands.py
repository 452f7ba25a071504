"""The commands that simulated containers know. Each takes its arguments and answers with an exit code."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Awaitable, Callable

from sandbox.kube.doubles.double import Terminal
from sandbox.kube.doubles.surroundings import Surroundings

Function = Callable[[list[str], Surroundings, Terminal], Awaitable[int]]

_commands: dict[str, Function] = {}
_FOLDERS = "bin  dev  etc  home  lib  opt  proc  root  run  sbin  sys  tmp  usr  var"


def find(name: str) -> Function | None:
    """A command by name or path; `exit` and `exec` belong to the shell."""
    if name in ("exit", "exec", "sh", "export") or "=" in name:
        return _nothing
    return _commands.get(name.rpartition("/")[2])


def _command(*names: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        _commands.update(dict.fromkeys(names, function))
        return function

    return register


async def _nothing(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return 0


async def _say(text: str, surroundings: Surroundings, terminal: Terminal) -> int:
    await terminal.write(text.encode())
    return 0


_commands |= {"true": _nothing, ":": _nothing, "set": _nothing, "cd": _nothing, "sync": _nothing}


@_command("false")
async def _false(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return 1


@_command("echo")
async def _echo(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    ending = "\n"
    while arguments and arguments[0] in ("-n", "-e", "-ne", "-en"):
        ending = "" if "n" in arguments[0] else ending
        arguments = arguments[1:]
    return await _say(" ".join(arguments) + ending, surroundings, terminal)


@_command("printf")
async def _printf(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    if not arguments:
        return 2
    text = arguments[0].replace("\\n", "\n").replace("\\t", "\t")
    for value in arguments[1:]:
        text = text.replace("%s", value, 1).replace("%d", value, 1)
    return await _say(text, surroundings, terminal)


@_command("cat")
async def _cat(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    if not arguments or arguments == ["-"]:
        while data := await terminal.read():
            await terminal.write(data)
        return 0
    files = {"/etc/hostname": f"{surroundings.hostname}\n"}
    code = 0
    for name in arguments:
        if name in files:
            await _say(files[name], surroundings, terminal)
        else:
            await terminal.write_error(f"cat: {name}: No such file or directory\n".encode())
            code = 1
    return code


@_command("sleep")
async def _sleep(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    units = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    total = 0.0
    for argument in arguments:
        if argument in ("infinity", "inf"):
            await asyncio.Event().wait()
        number, unit = (argument[:-1], argument[-1]) if argument[-1:] in units else (argument, "s")
        try:
            total += float(number) * units[unit]
        except ValueError:
            await terminal.write_error(f"sleep: invalid time interval '{argument}'\n".encode())
            return 1
    passed = min(total, surroundings.catch_up)
    surroundings.catch_up -= passed
    await asyncio.sleep(total - passed)
    return 0


@_command("env", "printenv")
async def _env(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    if arguments:
        values = [surroundings.environment[name] for name in arguments if name in surroundings.environment]
        await _say("".join(f"{value}\n" for value in values), surroundings, terminal)
        return 0 if len(values) == len(arguments) else 1
    return await _say("".join(f"{name}={value}\n" for name, value in surroundings.environment.items()), surroundings, terminal)


@_command("ls")
async def _ls(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    folders = [argument for argument in arguments if not argument.startswith("-")]
    if folders and folders[0] not in ("/", "."):
        await terminal.write_error(f"ls: cannot access '{folders[0]}': No such file or directory\n".encode())
        return 2
    return await _say("\n".join(_FOLDERS.split()) + "\n", surroundings, terminal)


@_command("pwd")
async def _pwd(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say("/\n", surroundings, terminal)


@_command("hostname")
async def _hostname(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say(f"{surroundings.hostname}\n", surroundings, terminal)


@_command("whoami")
async def _whoami(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say("root\n", surroundings, terminal)


@_command("id")
async def _id(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say("uid=0(root) gid=0(root) groups=0(root)\n", surroundings, terminal)


@_command("date")
async def _date(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say(dt.datetime.now(dt.UTC).strftime("%a %b %e %H:%M:%S UTC %Y\n"), surroundings, terminal)


@_command("uname")
async def _uname(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    return await _say("Linux\n", surroundings, terminal)


@_command("nvidia-smi")
async def _nvidia_smi(arguments: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    count = int(surroundings.capacity.get("nvidia.com/gpu", "0"))
    if count == 0:
        await terminal.write_error(b"nvidia-smi: command not found\n")
        return 127
    if arguments[:1] == ["-L"]:
        lines = [f"GPU {index}: NVIDIA (simulated) (UUID: GPU-{index:08d})" for index in range(count)]
    else:
        lines = ["NVIDIA-SMI 570.172.08    Driver Version: 570.172.08    CUDA Version: 12.8"]
        lines += [f"|  {index}  NVIDIA (simulated)   On  |   0 %  |  0 MiB |" for index in range(count)]
    return await _say("".join(f"{line}\n" for line in lines), surroundings, terminal)
