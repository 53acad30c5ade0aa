"""Dockerfiles, as far as an environment can be made of them without building an image.

Parses instructions with their line numbers; knows continuation lines, comments, the escape directive and JSON
arrays. Here-documents are reported as such; nothing is executed.
"""

import json
import re
import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its keyword in capitals, the text behind it, and the line on which it begins."""

    keyword: str
    text: str
    line: int

    @property
    def flags(self) -> dict[str, str]:
        """The ``--name=value`` options at the front."""
        return dict(re.findall(r"^--([a-z]+)=(\S+)", part)[0] for part in self._flag_parts())

    @property
    def words(self) -> list[str]:
        """The arguments behind the flags: of a JSON array, or as a shell would split them."""
        rest = self.text
        for part in self._flag_parts():
            rest = rest.removeprefix(part).lstrip()
        if rest.startswith("["):
            try:
                array = json.loads(rest)
            except ValueError:
                array = None
            if isinstance(array, list) and all(isinstance(item, str) for item in array):
                return array
        try:
            return shlex.split(rest)
        except ValueError:
            return rest.split()

    def _flag_parts(self) -> list[str]:
        parts: list[str] = []
        for word in self.text.split():
            if not re.match(r"^--[a-z]+=\S+$", word):
                break
            parts.append(word)
        return parts


def parse_dockerfile(text: str) -> list[Instruction]:
    """The instructions of a Dockerfile, in order."""
    escape = _escape(text)
    found: list[Instruction] = []
    pending: list[str] = []
    start = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if not pending:
            start = number
        continued = line.endswith(escape)
        pending.append(line[:-1].rstrip() if continued else line)
        if not continued:
            found.append(_instruction(" ".join(pending), start))
            pending = []
    return found + ([_instruction(" ".join(pending), start)] if pending else [])


def substitute(text: str, values: dict[str, str]) -> str:
    """Replace ``$NAME``, ``${NAME}`` and ``${NAME:-default}``; a name without a value becomes nothing."""

    def value_of(match: re.Match[str]) -> str:
        name = match["plain"] or match["braced"]
        return values.get(name) or (match["default"] or "")

    pattern = r"\$(?:(?P<plain>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?::-(?P<default>[^}]*))?\})"
    return re.sub(pattern, value_of, text)


def _escape(text: str) -> str:
    match = re.match(r"\s*#\s*escape\s*=\s*(\S)", text, re.IGNORECASE)
    return match[1] if match else "\\"


def _instruction(text: str, line: int) -> Instruction:
    keyword, _, rest = text.partition(" ")
    return Instruction(keyword.upper(), rest.strip(), line)
