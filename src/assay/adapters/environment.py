"""What a Dockerfile asks for that needs no image: WORKDIR, ENV, COPY and ADD of the task's own files."""

import glob
import os
import posixpath

from assay.core.errors import InputError
from assay.engine.task import Copy, Environment
from assay.formats.dockerfile import Instruction, parse_dockerfile, substitute

DEFAULT_WORKDIR = "/workspace"

# Images that are a plain system and little else: the host's own will do in their place.
PLAIN_IMAGES = ("scratch", "debian", "ubuntu")

# Nothing in these changes what a command finds in its sandbox.
_HARMLESS = frozenset(
    {"LABEL", "EXPOSE", "CMD", "ENTRYPOINT", "MAINTAINER", "STOPSIGNAL", "HEALTHCHECK", "SHELL", "VOLUME"}
)
_SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/etc",
    "/proc",
    "/dev",
    "/sys",
    "/run",
    "/tests",
    "/logs",
    "/solution",
)


def read_environment(dockerfile: str, context: str, path: str) -> Environment:
    """The environment that a Dockerfile describes. ``context`` is the folder that COPY reads from."""
    reader = _Reader(context, path)
    for instruction in parse_dockerfile(dockerfile):
        reader.take(instruction)
    return Environment(
        workdir=reader.workdir or DEFAULT_WORKDIR,
        env=reader.env,
        copies=tuple(reader.copies),
        needs_image=reader.needs_image,
        dockerfile=path,
    )


def in_system(path: str) -> bool:
    """Whether a path lies where the system or harbor keeps its own."""
    return any(path == one or path.startswith(f"{one}/") for one in _SYSTEM)


class _Reader:
    """Goes through the instructions in order."""

    def __init__(self, context: str, path: str) -> None:
        self._context = context
        self._path = path
        self._arguments: dict[str, str] = {}
        self.workdir: str | None = None
        self.env: dict[str, str] = {}
        self.copies: list[Copy] = []
        self.needs_image: str | None = None

    def take(self, instruction: Instruction) -> None:
        handler = getattr(self, f"_{instruction.keyword.lower()}", None)
        if handler is not None:
            handler(instruction)
        elif instruction.keyword not in _HARMLESS:
            self._needs(instruction)

    def _needs(self, instruction: Instruction) -> None:
        if self.needs_image is None:
            what = f"{instruction.keyword} {instruction.text}"
            self.needs_image = f"{self._path}:{instruction.line}: {what[:80]}"

    def _expand(self, text: str) -> str:
        return substitute(text, {**self._arguments, **self.env})

    def _from(self, instruction: Instruction) -> None:
        image = self._expand(instruction.words[0]) if instruction.words else ""
        name = image.removeprefix("docker.io/").removeprefix("library/").partition(":")[0].partition("@")[0]
        if name not in PLAIN_IMAGES:
            self._needs(instruction)

    def _arg(self, instruction: Instruction) -> None:
        for word in instruction.words:
            name, _, value = word.partition("=")
            self._arguments[name] = self._expand(value)

    def _env(self, instruction: Instruction) -> None:
        words = instruction.words
        if words and "=" not in words[0]:
            self.env[words[0]] = self._expand(" ".join(words[1:]))
            return
        for word in words:
            name, _, value = word.partition("=")
            self.env[name] = self._expand(value)

    def _workdir(self, instruction: Instruction) -> None:
        path = self._expand(" ".join(instruction.words))
        self.workdir = posixpath.normpath(posixpath.join(self.workdir or "/", path))

    def _user(self, instruction: Instruction) -> None:
        if self._expand(instruction.text) not in ("root", "0", "0:0", "root:root"):
            self._needs(instruction)

    def _copy(self, instruction: Instruction) -> None:
        self._add_or_copy(instruction)

    def _add(self, instruction: Instruction) -> None:
        sources = instruction.words[:-1]
        if any("://" in source or source.endswith((".tar", ".tgz", ".gz", ".xz", ".bz2")) for source in sources):
            self._needs(instruction)
        else:
            self._add_or_copy(instruction)

    def _add_or_copy(self, instruction: Instruction) -> None:
        words = [self._expand(word) for word in instruction.words]
        target = posixpath.join(self.workdir or "/", words[-1]) if words else ""
        if len(words) < 2 or "from" in instruction.flags or "<<" in instruction.text or in_system(target):
            self._needs(instruction)
            return
        sources = [found for word in words[:-1] for found in self._find(word, instruction)]
        keeps_slash = words[-1].endswith(("/", "/.")) or words[-1] == "." or len(sources) > 1
        self.copies.append(Copy(tuple(sources), posixpath.normpath(target) + ("/" if keeps_slash else "")))

    def _find(self, word: str, instruction: Instruction) -> list[str]:
        pattern = os.path.normpath(os.path.join(glob.escape(self._context), word.lstrip("/")))
        found = sorted(glob.glob(pattern))
        inside = [one for one in found if os.path.realpath(one).startswith(os.path.realpath(self._context))]
        if not inside:
            raise InputError(f"{self._path}:{instruction.line}: there is no {word} in {self._context}")
        return inside
