"""The command lines of a shell script: continuation lines joined, comments and here-documents left out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ARITHMETIC = re.compile(r"\(\([^)\n]{0,1000}+(?:\)(?!\))[^)\n]{0,1000}+){0,50}+\)\)")
_HERE = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)([A-Za-z_]\w*)\1(?!<)")


_INTERPRETER = re.compile(r"\b(python3?|node|ruby|perl|(ba|da|z)?sh)\b")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One command line, and the number of the line on which it begins.

    ``code`` is a here-document that the line hands to an interpreter.
    """

    text: str
    number: int
    code: str = ""


def command_lines(script: str) -> list[CommandLine]:
    """The command lines of a script."""
    return list(_lines(script))


def here_documents(line: str) -> list[str]:
    """The words that end the here-documents which a line begins. A shift in arithmetic begins none."""
    return [found[2] for found in _HERE.finditer(_ARITHMETIC.sub("", line))]


def _lines(script: str) -> Iterator[CommandLine]:
    pending, start = "", 0
    here: list[str] = []
    body: list[str] = []
    waiting: CommandLine | None = None
    for number, raw in enumerate(script.splitlines(), start=1):
        text = raw.strip()
        if here:
            here, body = (here[1:], body) if text == here[0] else (here, [*body, raw])
            continue
        if waiting is not None:
            yield _handed_over(waiting, body)
            waiting, body = None, []
        if not text or text.startswith("#"):
            continue
        start = start or number
        if text.endswith("\\"):
            pending += text[:-1] + " "
            continue
        here = here_documents(text)
        waiting = CommandLine(pending + text, start)
        pending, start = "", 0
    if waiting is not None:
        yield _handed_over(waiting, body)
    if pending:
        yield CommandLine(pending.rstrip(), start)


def _handed_over(line: CommandLine, body: list[str]) -> CommandLine:
    return (
        CommandLine(line.text, line.number, "\n".join(body)) if body and _INTERPRETER.search(line.text) else line
    )
