"""Enough of a shell for `kubectl exec` and for the commands of test pods: words, quotes, variables, `;`, `&&`, `||`, `>&2`.

No pipes, loops or files: what is not understood is said to be so (exec) or not played (a container's own command).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sandbox.kube.doubles import commands
from sandbox.kube.doubles.double import Play, Terminal
from sandbox.kube.doubles.surroundings import Surroundings

__all__ = ["Surroundings", "execute", "play", "understood"]

_SHELLS = ("sh", "bash", "ash", "dash")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+|\?))")
_NOT_FOUND = 127
_UNSUPPORTED = 2


class NotUnderstood(Exception):
    """The text uses more of the shell than is simulated."""


@dataclass
class Word:
    """Pieces of text, each with whether variables in it are replaced."""

    pieces: list[tuple[str, bool]] = field(default_factory=list)

    def value(self, variables: Mapping[str, str]) -> str:
        return "".join(
            _VARIABLE.sub(lambda match: variables.get(match[1] or match[2], ""), text) if replaced else text
            for text, replaced in self.pieces
        )


@dataclass
class Command:
    """`when` is the operator before it: ";", "&&" or "||"."""

    when: str
    words: list[Word] = field(default_factory=list)
    to_error: bool = False


Program = list[Command]


def understood(command: list[str]) -> Program | None:
    """The command line as a program, if every command in it is one that is simulated."""
    if not command:
        return None
    try:
        program = _program(command)
    except NotUnderstood:
        return None
    names = [step.words[0].value({}) for step in program if step.words]
    return program if names and all(commands.find(name) for name in names) else None


async def play(program: Program, run: Play) -> int:
    """Run a container's own program; its output is the log. A resumed run goes through it once more, fast, and
    writes only what is not in the log yet: what it would have said while the sandbox was away comes too."""
    terminal = _LogTerminal(run)
    surroundings = Surroundings.of(run)
    if run.resumed:
        surroundings.catch_up = run.elapsed
    code = await _run(program, surroundings, terminal)
    terminal.flush()
    return code


async def execute(command: list[str], surroundings: Surroundings, terminal: Terminal) -> int:
    """Run one command line; its exit code."""
    try:
        program = _program(command)
    except NotUnderstood as error:
        await terminal.write_error(f"sandbox: {error}\n".encode())
        return _UNSUPPORTED
    return await _run(program, surroundings, terminal)


def _program(command: list[str]) -> Program:
    name = command[0].rpartition("/")[2]
    if name in _SHELLS:
        options = [word for word in command[1:] if word.startswith("-")]
        if len(command) >= 3 and options and options[0].endswith("c"):
            return _parse(command[2])
        if len(command) == 1:
            return [Command(";", [Word([("sh", False)])])]
        raise NotUnderstood(f"only `{name} -c '…'` is simulated")
    return [Command(";", [Word([(word, False)]) for word in command])]


async def _run(program: Program, surroundings: Surroundings, terminal: Terminal) -> int:
    code = 0
    for step in program:
        if (step.when == "&&" and code != 0) or (step.when == "||" and code == 0) or not step.words:
            continue
        words = [word.value(surroundings.environment | {"?": str(code)}) for word in step.words]
        assignment = re.fullmatch(r"(?:export )?(\w+)=(.*)", " ".join(words))
        if assignment and (len(words) == 1 or words[0] == "export"):
            surroundings.environment[assignment[1]] = assignment[2]
            code = 0
            continue
        if words[0] == "exec" and len(words) > 1:
            words = words[1:]
        if words[0] == "exit":
            return int(words[1]) & 255 if len(words) > 1 and words[1].isdigit() else code
        if words[0].rpartition("/")[2] in _SHELLS and len(words) > 2:
            code = await execute(words, surroundings, terminal)
            continue
        function = commands.find(words[0])
        if function is None:
            await terminal.write_error(f"sh: {words[0]}: not found\n".encode())
            code = _NOT_FOUND
            continue
        code = await function(words[1:], surroundings, _ErrorTerminal(terminal) if step.to_error else terminal)
    return code


def _parse(text: str) -> Program:
    """Split a script into commands. NotUnderstood for anything beyond."""
    program = [Command(";")]
    word: Word | None = None
    index = 0

    def end_word() -> None:
        nonlocal word
        if word is not None:
            program[-1].words.append(word)
            word = None

    while index < len(text):
        character = text[index]
        rest = text[index:]
        if character in " \t":
            end_word()
        elif character == "#" and word is None:
            index = text.find("\n", index) % (len(text) + 1)
            continue
        elif character in ";\n" or rest.startswith(("&&", "||")):
            end_word()
            operator = rest[:2] if rest.startswith(("&&", "||")) else ";"
            program.append(Command(operator))
            index += len(operator) if operator != ";" else 1
            continue
        elif match := re.match(r"1?>\s*&2|>\s*/dev/stderr|2>&1", rest):
            end_word()
            program[-1].to_error = not match[0].startswith("2")
            index += len(match[0])
            continue
        elif character == "'":
            end = text.find("'", index + 1)
            if end < 0:
                raise NotUnderstood("a quote is not closed")
            word = word or Word()
            word.pieces.append((text[index + 1 : end], False))
            index = end
        elif character == '"':
            end = _closing_quote(text, index + 1)
            word = word or Word()
            word.pieces.append((re.sub(r'\\(["\\])', r"\1", text[index + 1 : end]), True))
            index = end
        elif character == "\\" and index + 1 < len(text):
            word = word or Word()
            word.pieces.append((text[index + 1], False))
            index += 1
        elif character in "|&<>`(){}[]*" or rest.startswith("$("):
            if character in "{}" and word is not None and word.pieces and "$" in word.pieces[-1][0]:
                word.pieces[-1] = (word.pieces[-1][0] + character, True)
            else:
                raise NotUnderstood(f"{character!r} is more of a shell than is simulated here")
        else:
            word = word or Word()
            if word.pieces and word.pieces[-1][1]:
                word.pieces[-1] = (word.pieces[-1][0] + character, True)
            else:
                word.pieces.append((character, True))
        index += 1
    end_word()
    return [step for step in program if step.words]


def _closing_quote(text: str, start: int) -> int:
    index = start
    while index < len(text):
        if text[index] == "\\":
            index += 1
        elif text[index] == '"':
            if "$(" in text[start:index] or "`" in text[start:index]:
                raise NotUnderstood("command substitution is not simulated")
            return index
        index += 1
    raise NotUnderstood("a quote is not closed")


class _ErrorTerminal:
    """Standard output goes to standard error."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.read = terminal.read
        self.write = terminal.write_error
        self.write_error = terminal.write_error


class _LogTerminal:
    """Whole lines go to the container's log."""

    def __init__(self, run: Play) -> None:
        self._run = run
        self._rest = b""
        self._skipped = run.lines_before

    async def read(self) -> bytes:
        return b""

    async def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            if self._skipped:
                self._skipped -= 1
            else:
                self._run.log(line.decode(errors="replace"))

    async def write_error(self, data: bytes) -> None:
        await self.write(data)

    def flush(self) -> None:
        if self._rest:
            self._run.log(self._rest.decode(errors="replace"))
