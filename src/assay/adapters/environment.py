"""What a Dockerfile asks for that needs no image: WORKDIR, ENV, COPY and ADD of the task's own files."""

import copy
import glob
import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from assay.adapters.dockerignore import ignored_paths
from assay.core.errors import InputError
from assay.engine.sandbox import PATH
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
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/proc", "/run", "/sbin"),
    *("/sys", "/usr"),
    *("/logs", "/solution", "/tests"),
)


def read_environment(dockerfile: str, context: str, path: str) -> Environment:
    """The environment that a Dockerfile describes. ``context`` is the folder that COPY reads from."""
    reader = _Reader(context, path)
    for instruction in parse_dockerfile(dockerfile):
        reader.take(instruction)
    last = reader.stage
    return Environment(
        workdir=last.workdir or DEFAULT_WORKDIR,
        env=last.env,
        copies=tuple(last.copies),
        needs_image=last.needs_image,
        dockerfile=path,
    )


def in_system(path: str) -> bool:
    """Whether a path lies where the system or harbor keeps its own."""
    return any(path == one or path.startswith(f"{one}/") for one in _SYSTEM)


@dataclass(slots=True)
class _Stage:
    """What a stage has come to. Only the last one becomes the image, with those that it begins from."""

    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    needs_image: str | None = None


class _Reader:
    """Goes through the instructions in order."""

    def __init__(self, context: str, path: str) -> None:
        self._context = context
        self._path = path
        self._ignored = ignored_paths(context)
        self._stages: dict[str, _Stage] = {}
        self._before_stages: dict[str, str] = {}
        self.stage = _Stage()

    def take(self, instruction: Instruction) -> None:
        handler = _HANDLERS.get(instruction.keyword)
        if handler is not None:
            handler(self, instruction)
        elif instruction.keyword not in _HARMLESS:
            self._needs(instruction)

    def _needs(self, instruction: Instruction) -> None:
        if self.stage.needs_image is None:
            what = f"{instruction.keyword} {instruction.text}"
            self.stage.needs_image = f"{self._path}:{instruction.line}: {what[:80]}"

    def _expand(self, text: str) -> str:
        # Of the variables that a plain image sets, Dockerfiles build on this one.
        return substitute(text, {"PATH": PATH, **self.stage.arguments, **self.stage.env})

    def _from(self, instruction: Instruction) -> None:
        """A new stage has nothing of the one before, unless it begins from it by name."""
        if not self._stages:
            self._before_stages = self.stage.arguments
        words = [substitute(word, self._before_stages) for word in instruction.words]
        image = words[0] if words else ""
        known = self._stages.get(image.lower())
        self.stage = _Stage() if known is None else copy.deepcopy(known)
        name = image.removeprefix("docker.io/").removeprefix("library/").partition(":")[0].partition("@")[0]
        if known is None and name not in PLAIN_IMAGES:
            self._needs(instruction)
        named = words[2] if len(words) == 3 and words[1].lower() == "as" else str(len(self._stages))
        self._stages[named.lower()] = self.stage

    def _arg(self, instruction: Instruction) -> None:
        """One without a value has that of the same name before the first stage."""
        for word in instruction.words:
            name, given, value = word.partition("=")
            self.stage.arguments[name] = self._expand(value) if given else self._before_stages.get(name, "")

    def _env(self, instruction: Instruction) -> None:
        """All values of one instruction are expanded with what held before it."""
        words = _quoted_words(instruction.text)
        if words and "=" not in words[0]:
            words = [f"{words[0]}={' '.join(words[1:])}"]
        pairs = [word.partition("=") for word in words]
        self.stage.env.update({name: self._expand(value) for name, _, value in pairs})

    def _workdir(self, instruction: Instruction) -> None:
        path = self._expand(" ".join(instruction.words))
        self.stage.workdir = normal_path(posixpath.join(self.stage.workdir or "/", path))
        if in_system(self.stage.workdir):
            self._needs(instruction)

    def _user(self, instruction: Instruction) -> None:
        if self._expand(instruction.text) not in ("root", "0", "0:0", "root:root"):
            self._needs(instruction)

    def _add(self, instruction: Instruction) -> None:
        sources = instruction.words[:-1]
        if any("://" in source or source.startswith("git@") or source.endswith(_ARCHIVES) for source in sources):
            self._needs(instruction)
        else:
            self._add_or_copy(instruction)

    def _add_or_copy(self, instruction: Instruction) -> None:
        words = [self._expand(word) for word in instruction.words]
        target = normal_path(posixpath.join(self.stage.workdir or "/", words[-1])) if words else ""
        mode = instruction.flags.get("chmod", "0")
        elsewhere = "<<" in instruction.text or bool(set(instruction.flags) - _HARMLESS_FLAGS)
        if len(words) < 2 or elsewhere or not _MODE.fullmatch(mode) or target == "/" or in_system(target):
            self._needs(instruction)
            return
        sources = [found for word in words[:-1] for found in self._find(word, instruction)]
        keeps_slash = words[-1].endswith(("/", "/.")) or words[-1] == "." or len(sources) > 1
        target += "/" if keeps_slash else ""
        self.stage.copies.append(Copy(tuple(sources), target, int(mode, 8) or None, self._ignored))

    def _find(self, word: str, instruction: Instruction) -> list[str]:
        """The files that a word names. Nothing outside of the folder can be named, by links or otherwise."""
        root = os.path.realpath(self._context)
        pattern = os.path.normpath(os.path.join(glob.escape(self._context), word.lstrip("/")))
        found = [
            one
            for one in sorted(glob.glob(pattern, include_hidden=True))
            if _inside(one, root) and one not in self._ignored
        ]
        if not found:
            raise InputError(f"{self._path}:{instruction.line}: there is no {word} in {self._context}")
        return found


def _inside(path: str, root: str) -> bool:
    real = os.path.realpath(path)
    return real == root or real.startswith(f"{root}/")


def normal_path(path: str) -> str:
    """One spelling: POSIX keeps two slashes at the front, which mean nothing here."""
    return "/" + posixpath.normpath(path).lstrip("/")


def _quoted_words(text: str) -> list[str]:
    """Words as a shell splits them, but with a dollar still escaped where it was, or stood in single quotes."""
    kept = _QUOTED.sub(lambda part: part[0].replace("$", "\0") if part[0][0] == "'" else part[0], text)
    return [word.replace("\0", "\\$") for word in Instruction("ENV", kept.replace("\\$", "\0"), 0).words]


_HARMLESS_FLAGS = frozenset({"chmod", "chown", "link"})
_MODE = re.compile("[0-7]{1,4}")
_QUOTED = re.compile(r"""\\.|"(?:\\.|[^"\\])*"|'[^']*'""")
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".gz", ".xz", ".bz2")

_HANDLERS: dict[str, Callable[[_Reader, Instruction], None]] = {
    "FROM": _Reader._from,
    "ARG": _Reader._arg,
    "ENV": _Reader._env,
    "WORKDIR": _Reader._workdir,
    "USER": _Reader._user,
    "COPY": _Reader._add_or_copy,
    "ADD": _Reader._add,
}
