"""What a Dockerfile puts into the image, as far as one can read: copied files, and paths in its commands."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.formats.dockerfile import Instruction, parse_dockerfile

_HIDES = re.compile(
    r"\bchmod\s+(?:-R\s+)?(?:0?[0-7]00|[ugoa]{0,9}-(?=[wx]{0,9}r)\S{1,99}|go=)\s+(?P<paths>[^;&|]+)"
)


@dataclass(frozen=True)
class Image:
    """The Dockerfile of a task, and the files beside it by name."""

    files: Mapping[str, str]

    @cached_property
    def instructions(self) -> list[Instruction]:
        return parse_dockerfile(self.files.get("Dockerfile", ""))

    @cached_property
    def copied(self) -> dict[str, tuple[str, int]]:
        """Paths in the image, with the file that is copied there and the line of the Dockerfile."""
        found: dict[str, tuple[str, int]] = {}
        for instruction in self.instructions:
            words = instruction.words
            if instruction.keyword not in ("COPY", "ADD") or len(words) < 2 or "from" in instruction.flags:
                continue
            for source in words[:-1]:
                for name, path in self._targets(source, words[-1], several=len(words) > 2):
                    found[path] = (name, instruction.line)
        return found

    def _targets(self, source: str, target: str, *, several: bool) -> Iterator[tuple[str, str]]:
        inside = posixpath.normpath(source).lstrip("/")
        target = posixpath.join(self.workdir, target)
        if inside in self.files:
            into = several or target.endswith("/")
            yield inside, posixpath.join(target, posixpath.basename(inside)) if into else target
        for name in self.files:
            if inside == "." or name.startswith(f"{inside}/"):
                yield name, posixpath.join(target, name.removeprefix("" if inside == "." else f"{inside}/"))

    @cached_property
    def workdir(self) -> str:
        folders = [one.words[0] for one in self.instructions if one.keyword == "WORKDIR" and one.words]
        return folders[-1] if folders else "/"

    @cached_property
    def changes_user(self) -> bool:
        """Whether the image runs as somebody else than root."""
        users = [one.words[0] for one in self.instructions if one.keyword == "USER" and one.words]
        return bool(users) and users[-1].partition(":")[0] not in ("root", "0")

    def makes(self, path: str) -> str | None:
        """Where in the task a path of the image comes from; None if nothing here names it."""
        if path in self.copied:
            name, line = self.copied[path]
            return f"environment/Dockerfile:{line}" if name else None
        for instruction in self.instructions:
            if instruction.keyword == "RUN" and _names(instruction.text, path):
                return f"environment/Dockerfile:{instruction.line}"
        for name, text in self.files.items():
            if name != "Dockerfile" and name.endswith((".sh", ".py")) and self._runs(name) and _names(text, path):
                return f"environment/{name}:{_line_of(text, path)}"
        return None

    def _runs(self, name: str) -> bool:
        base = posixpath.basename(name)
        return any(one.keyword in ("RUN", "CMD", "ENTRYPOINT") and base in one.text for one in self.instructions)

    def mentions(self, word: str) -> bool:
        """Whether a name stands anywhere in the environment: as a file, or in the text of one."""
        return any(word in name or word in text for name, text in self.files.items())

    def hidden(self) -> Iterator[tuple[str, int]]:
        """Paths whose mode keeps others than their owner from reading them, and the line that sets it."""
        for instruction in self.instructions:
            for found in _HIDES.finditer(instruction.text) if instruction.keyword == "RUN" else ():
                yield from ((path, instruction.line) for path in found["paths"].split() if path.startswith("/"))

    def removed(self) -> frozenset[str]:
        """The names of files that a command of the Dockerfile removes."""
        runs = (one.text for one in self.instructions if one.keyword == "RUN")
        removals = (found for text in runs for found in re.findall(r"\brm\s+([^;&|]+)", text))
        return frozenset(posixpath.basename(word) for words in removals for word in words.split())


def _names(text: str, path: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text) is not None


def _line_of(text: str, path: str) -> int:
    return text.count("\n", 0, text.index(path)) + 1
