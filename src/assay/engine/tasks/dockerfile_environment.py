"""Read the parts of a Dockerfile that need no image: WORKDIR, ENV, COPY and ADD of the task's own files."""

import copy
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from assay.engine.sandbox import PATH
from assay.engine.tasks.task import DEFAULT_WORKDIR, Copy, TaskEnvironment
from assay.engine.tasks.task_reading import BuildContext
from assay.formats.dockerfile import Instruction, parse_dockerfile, substitute

MAIN = "main"
# Settings that say how harbor starts the container, or repeat what task.toml and the Dockerfile say.
_HARBORS_OWN = frozenset(
    {"build", "command", "container_name", "deploy", "environment", "image", "init", "stdin_open"}
)
_HARBORS_OWN |= {"tty", "volumes", "working_dir", "restart"}


def beyond_one_container(text: str) -> str | None:
    """Why a compose file can't be done without; None if it only describes the container of the Dockerfile."""
    from assay.detectors.settings.settings_text import load_yaml  # noqa: PLC0415 - few tasks have YAML

    documents = load_yaml(text)
    content = documents[0] if documents else None
    services = content.get("services") if isinstance(content, dict) else None
    if not isinstance(services, dict) or not services:
        return "it must have services, but it has none"
    others = [str(name) for name in services if name != MAIN]
    if others:
        return f"a task must have a single container, but it has the services {', '.join(map(str, services))}"
    return next(_of_main(services[MAIN]), None)


def _of_main(main: Any) -> Iterator[str]:
    if not isinstance(main, dict):
        yield "services.main must be a mapping"
        return
    for name, value in main.items():
        if name not in _HARBORS_OWN:
            yield f"services.main.{name} is not supported"
        elif name == "build" and not _is_the_dockerfile(value):
            yield "services.main.build must name the folder of the task's own Dockerfile"
        elif name == "volumes" and not all(_is_variable(volume) for volume in value or ()):
            yield "services.main.volumes must only name harbor's own folders"
        elif name == "environment" and not all(_is_variable(one) for one in _values(value)):
            yield "services.main.environment must be set in task.toml or the Dockerfile"


def _is_the_dockerfile(build: Any) -> bool:
    context = build.get("context", ".") if isinstance(build, dict) else build
    file = build.get("dockerfile", "Dockerfile") if isinstance(build, dict) else "Dockerfile"
    more = set(build) - {"context", "dockerfile"} if isinstance(build, dict) else set()
    return (_is_variable(context) or context in (".", "./")) and file == "Dockerfile" and not more


def _is_variable(value: Any) -> bool:
    """Whether harbor fills a value in: ``${HOST_AGENT_LOGS_PATH}:…``."""
    return isinstance(value, str) and value.startswith("${")


def _values(environment: Any) -> Iterator[Any]:
    if isinstance(environment, dict):
        return iter(environment.values())
    return (str(one).partition("=")[2] for one in environment or ())


# Images of a plain system, which the host's system can replace.
PLAIN_IMAGES = ("scratch", "debian", "ubuntu")

# Instructions that don't change the files or variables that a command sees in its sandbox.
_HARMLESS = frozenset(
    {"LABEL", "EXPOSE", "CMD", "ENTRYPOINT", "MAINTAINER", "STOPSIGNAL", "HEALTHCHECK", "SHELL", "VOLUME"}
)
_SYSTEM = (
    *("/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/proc", "/run", "/sbin"),
    *("/sys", "/usr"),
    *("/logs", "/solution", "/tests"),
)


def read_environment(
    dockerfile: str, context: BuildContext, path: str, tests: str | None = None
) -> TaskEnvironment:
    """The environment that a Dockerfile describes. ``path`` is that of the Dockerfile, for errors.

    ``tests`` is where the sandbox shows its whole folder anyway, so that copying a file to its place there needs
    no image.
    """
    reader = _DockerfileReader(context, path, tests)
    for instruction in parse_dockerfile(dockerfile):
        reader.take(instruction)
    last = reader.stage
    return TaskEnvironment(
        workdir=last.workdir or DEFAULT_WORKDIR,
        env=last.env,
        copies=tuple(last.copies),
        needs_image=last.needs_image,
        broken=reader.broken,
        dockerfile=path,
    )


def in_system(path: str) -> bool:
    """Whether a path is in a folder of the system or of harbor."""
    return any(path == one or path.startswith(f"{one}/") for one in _SYSTEM)


@dataclass(slots=True)
class _Stage:
    """The state of a build stage. Only the last stage becomes the image, with the stages that it is based on."""

    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    needs_image: str | None = None


class _DockerfileReader:
    """Applies the instructions in order."""

    def __init__(self, context: BuildContext, path: str, tests: str | None) -> None:
        self._context = context
        self._tests = tests
        self._path = path
        self._stages: dict[str, _Stage] = {}
        self._before_stages: dict[str, str] = {}
        self.stage = _Stage()
        self.broken: str | None = None

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
        # PATH is the only variable of a plain image that Dockerfiles build on.
        return substitute(text, {"PATH": PATH, **self.stage.arguments, **self.stage.env})

    def _from(self, instruction: Instruction) -> None:
        """A new stage has nothing from the previous one, unless it is based on it by name."""
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
        """An ARG without a value gets that of the same name before the first stage."""
        for word in instruction.words:
            name, given, value = word.partition("=")
            self.stage.arguments[name] = self._expand(value) if given else self._before_stages.get(name, "")

    def _env(self, instruction: Instruction) -> None:
        """All values of one instruction are expanded with the variables set before it."""
        words = _quoted_words(instruction.text)
        if words and "=" not in words[0]:
            words = [f"{words[0]}={' '.join(words[1:])}"]
        pairs = [word.partition("=") for word in words]
        self.stage.env.update({name: self._expand(value) for name, _, value in pairs})

    def _workdir(self, instruction: Instruction) -> None:
        path = self._expand(" ".join(instruction.words))
        self.stage.workdir = normal_path(posixpath.join(self.stage.workdir or "/", path))
        if in_system(self.stage.workdir) and self.stage.workdir != self._tests:
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
        if not elsewhere and len(words) > 1 and self._is_shown(words, target):
            return
        if len(words) < 2 or elsewhere or not _MODE.fullmatch(mode) or target == "/" or in_system(target):
            self._needs(instruction)
            return
        sources = [found for word in words[:-1] for found in self._find(word, instruction)]
        keeps_slash = words[-1].endswith(("/", "/.")) or words[-1] == "." or len(sources) > 1
        target += "/" if keeps_slash else ""
        self.stage.copies.append(Copy(tuple(sources), target, int(mode, 8) or None, self._context.ignored))

    def _is_shown(self, words: list[str], target: str) -> bool:
        """Whether a copy brings tests to where they are shown."""
        if self._tests is None or not f"{target}/".startswith(f"{self._tests}/"):
            return False
        into = words[-1].endswith(("/", "/.")) or words[-1] == "." or len(words) > 2 or target == self._tests
        for word in words[:-1]:
            is_folder = bool(self._context.find(f"{word}/*"))
            for source in self._context.find(word):
                place = posixpath.join(self._tests, posixpath.relpath(source, self._context.folder))
                inside = into and not is_folder
                if normal_path(place) != (f"{target}/{posixpath.basename(source)}" if inside else target):
                    return False
        return True

    def _find(self, word: str, instruction: Instruction) -> list[str]:
        found = self._context.find(word)
        if not found and self.broken is None:
            self.broken = f"{self._path}:{instruction.line}: {word} doesn't exist in {self._context.folder}"
        return found


def normal_path(path: str) -> str:
    """A path in its normal form. POSIX would keep two leading slashes, which have no meaning here."""
    return "/" + posixpath.normpath(path).lstrip("/")


def _quoted_words(text: str) -> list[str]:
    """Words as a shell splits them, but a dollar that was escaped or in single quotes stays escaped."""
    kept = _QUOTED.sub(lambda part: part[0].replace("$", "\0") if part[0][0] == "'" else part[0], text)
    return [word.replace("\0", "\\$") for word in Instruction("ENV", kept.replace("\\$", "\0"), 0).words]


_HARMLESS_FLAGS = frozenset({"chmod", "chown", "link"})
_MODE = re.compile("[0-7]{1,4}")
_QUOTED = re.compile(r"""\\.|"(?:\\.|[^"\\])*"|'[^']*'""")
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".gz", ".xz", ".bz2")

_HANDLERS: dict[str, Callable[[_DockerfileReader, Instruction], None]] = {
    "FROM": _DockerfileReader._from,
    "ARG": _DockerfileReader._arg,
    "ENV": _DockerfileReader._env,
    "WORKDIR": _DockerfileReader._workdir,
    "USER": _DockerfileReader._user,
    "COPY": _DockerfileReader._add_or_copy,
    "ADD": _DockerfileReader._add,
}
