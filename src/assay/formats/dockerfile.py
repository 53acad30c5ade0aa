"""Parse Dockerfiles into instructions with their line numbers.

Handles continuation lines, comments, parser directives, JSON arrays, flags and here-documents, whose lines belong
to their instruction. Nothing is executed.
"""

import json
import re
import shlex
from dataclasses import dataclass

from assay.formats.shell import here_documents

_FLAG = re.compile(r"--([a-z][a-z-]*)(?:=(\S+))?(?:\s+|$)")
_VARIABLE = re.compile(
    r"(?P<escaped>\\\$)|\$(?:(?P<plain>[A-Za-z_]\w*)|"
    r"\{(?P<braced>[A-Za-z_]\w*)(?:(?P<sign>:[-+])(?P<other>[^}]{0,2000}+))?\})"
)
_DIRECTIVE = re.compile(r"^\s*#\s*(\w+)\s*=\s*(\S+)\s*$")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its keyword in capitals, the text after it, and the line on which it begins."""

    keyword: str
    text: str
    line: int

    @property
    def flags(self) -> dict[str, str]:
        """The ``--name`` and ``--name=value`` options at the front."""
        return {name: value for name, value, _ in self._flags()}

    @property
    def words(self) -> list[str]:
        """The arguments after the flags: the items of a JSON array, or words as a shell would split them."""
        found = self._flags()
        rest = self.text[found[-1][2] :] if found else self.text
        if rest.startswith("["):
            try:
                array = json.loads(rest)
            except (ValueError, RecursionError):
                array = None
            if isinstance(array, list) and all(isinstance(item, str) for item in array):
                return array
        try:
            return shlex.split(rest)
        except ValueError:
            return rest.split()

    def _flags(self) -> list[tuple[str, str, int]]:
        """Name, value and end of each flag."""
        found: list[tuple[str, str, int]] = []
        at = 0
        while match := _FLAG.match(self.text, at):
            at = match.end()
            found.append((match[1], match[2] or "", at))
        return found


def parse_dockerfile(text: str) -> list[Instruction]:
    """The instructions of a Dockerfile, in order."""
    escape = _escape(text)
    found: list[Instruction] = []
    pending: list[str] = []
    here: list[str] = []
    start = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if here:
            here = here[1:] if line == here[0] else here
            continue
        if not line or line.startswith("#"):
            continue
        start = start if pending else number
        continued = line.endswith(escape)
        pending.append(line[:-1].rstrip() if continued else line)
        if not continued and any(pending):
            found.append(_instruction(" ".join(pending), start))
            here = here_documents(found[-1].text) if found[-1].keyword in ("RUN", "COPY", "ADD") else []
            pending = []
    return found + ([_instruction(" ".join(pending), start)] if any(pending) else [])


def substitute(text: str, values: dict[str, str]) -> str:
    """Replace ``$NAME``, ``${NAME}``, ``${NAME:-default}`` and ``${NAME:+other}``.

    A name without a value becomes an empty string; a dollar after a backslash stays a dollar.
    """

    def value_of(match: re.Match[str]) -> str:
        if match["escaped"]:
            return "$"
        name = match["plain"] or match["braced"]
        value = values.get(name, "")
        if match["sign"] == ":+":
            return match["other"] if value else ""
        return value or (match["other"] or "" if match["sign"] else "")

    return _VARIABLE.sub(value_of, text)


def _escape(text: str) -> str:
    """The escape character, which a directive in the first lines may change."""
    for line in text.splitlines():
        found = _DIRECTIVE.match(line)
        if found is None:
            break
        if found[1].lower() == "escape":
            return found[2]
    return "\\"


def _instruction(text: str, line: int) -> Instruction:
    keyword, *rest = text.split(maxsplit=1)
    return Instruction(keyword.upper(), rest[0].strip() if rest else "", line)
