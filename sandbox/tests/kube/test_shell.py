"""The little shell of simulated containers."""

from __future__ import annotations

import pytest

from sandbox.kube.doubles import shell


class Screen:
    """A terminal that remembers; `typed` is its input."""

    def __init__(self, typed: bytes = b"") -> None:
        self.out, self.error = b"", b""
        self._typed = [typed] if typed else []

    async def read(self) -> bytes:
        return self._typed.pop(0) if self._typed else b""

    async def write(self, data: bytes) -> None:
        self.out += data

    async def write_error(self, data: bytes) -> None:
        self.error += data


async def run(*command: str, typed: bytes = b"") -> tuple[int, str, str]:
    screen = Screen(typed)
    surroundings = shell.Surroundings("pod-1", {"NAME": "ann", "HOME": "/root"}, {"nvidia.com/gpu": "2"})
    code = await shell.execute([*command], surroundings, screen)
    return code, screen.out.decode(), screen.error.decode()


@pytest.mark.parametrize(
    ("script", "code", "out"),
    [
        ("echo hello", 0, "hello\n"),
        ("echo -n a; echo b", 0, "ab\n"),
        ("echo 'a  b' \"c d\"", 0, "a  b c d\n"),
        ("echo \"$NAME\" ${NAME}x '$NAME'", 0, "ann annx $NAME\n"),
        ("false || echo rescued", 0, "rescued\n"),
        ("false && echo never", 1, ""),
        ("true && echo yes", 0, "yes\n"),
        ("exit 7; echo never", 7, ""),
        ("false; echo $?", 0, "1\n"),
        ("false\nexit", 1, ""),
        ("X=1; echo $X", 0, "1\n"),
        ("# a remark\necho seen", 0, "seen\n"),
        ("hostname; whoami; pwd", 0, "pod-1\nroot\n/\n"),
        ("printf '%s-%s\\n' a b", 0, "a-b\n"),
        ("sh -c 'exit 3'", 3, ""),
        ("nvidia-smi -L", 0, "GPU 0: NVIDIA (simulated) (UUID: GPU-00000000)\nGPU 1: NVIDIA (simulated) (UUID: GPU-00000001)\n"),
    ],
)
async def test_a_script_says_and_ends_as_in_a_shell(script: str, code: int, out: str) -> None:
    assert await run("sh", "-c", script) == (code, out, "")


async def test_output_can_go_to_standard_error() -> None:
    assert await run("sh", "-c", "echo oh >&2") == (0, "", "oh\n")


async def test_cat_passes_its_input_on() -> None:
    assert await run("cat", typed=b"typed\n") == (0, "typed\n", "")


async def test_a_command_that_is_not_there_ends_with_127() -> None:
    assert await run("nope") == (127, "", "sh: nope: not found\n")


async def test_arguments_of_a_plain_command_are_not_expanded() -> None:
    assert await run("echo", "$NAME; exit 3") == (0, "$NAME; exit 3\n", "")


@pytest.mark.parametrize("script", ["while true; do echo; done | cat", "ls | wc", "echo $(date)", "echo 'open", "cat < file"])
async def test_what_is_not_simulated_is_said_to_be_so(script: str) -> None:
    code, out, error = await run("sh", "-c", script)
    assert (code, out) == (2, "")
    assert error.startswith("sandbox: ")


@pytest.mark.parametrize(
    ("command", "is_understood"),
    [
        ([], False),
        (["sleep", "infinity"], True),
        (["sh", "-c", "echo a && exit 3"], True),
        (["python", "train.py"], False),
        (["sh", "-c", "python train.py"], False),
        (["bash", "-c", "for i in 1 2; do echo; done"], False),
    ],
)
def test_only_a_program_of_known_commands_is_played(command: list[str], is_understood: bool) -> None:
    assert (shell.understood(command) is not None) is is_understood
