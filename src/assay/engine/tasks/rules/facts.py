"""Facts for the rules: every path that tests read, write or run, and who names it."""

import ast
import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.engine.tasks.task_reading import TaskFiles, is_shell
from assay.formats.dockerfile import Instruction, parse_dockerfile
from assay.formats.python_paths import (
    NO_PATHS,
    EqualityTest,
    Mention,
    PythonPaths,
    Use,
    parse_python,
    python_paths,
)
from assay.formats.shell import CommandLine, command_lines

_SHELL_PATH = re.compile(
    r"(?<![\w./:~$}*-])(?P<before>(?:[12&]?>>?|\btee(?:\s+-a)?|(?<=\s)(?:-[od]|--out(?:put)?[=\s])\s)\s*['\"]?)?(?P<path>/[\w.+@-]+(?:/[\w.+@-]+)*)"
)
_RUNS = re.compile(
    r"(?:^|[;&|(]\s{0,9}|\b(?:python[\d.]{0,9}|bash|sh|node|perl|ruby|then|do|if|!|timeout\s{1,9}\S{1,19})\s{1,9}"
    r"(?:-\S{1,99}\s{1,9}){0,9})['\"]?$"
)
# Words for what only a verifier should have, in the names of files and variables.
ANSWER = re.compile(
    r"(?<![a-z])(?:expected|truths?|ground_?truth|answers?|golden?|oracle|solutions?|reference|correct|baseline)(?![a-z])"
    r"|\.(?:sha256|sha512|sha1|md5)$",
    re.IGNORECASE,
)
CHECKER = re.compile(
    r"(?<![a-z])(?:verif(?:y|ier)|grad(?:e|er|ing)|check(?:er)?|validat(?:e|or)|scorer?|judge)(?![a-z])"
)
CODE = (".py", ".js", ".ts", ".sh", ".c", ".cpp", ".rs", ".go", ".java", ".kt", ".rb", ".pl")
_BUILT = (".o", ".so", ".a", ".class", ".pyc", ".wasm", ".jar")
# Folders for what compilers and package managers make.
_MADE_BY_TOOLS = frozenset(("build", "builddir", "dist", "node_modules", "target"))
_NOT_THERE = re.compile(r"(?:non|does|not)[_-]?(?:not)?[_-]?exist|no[_-]?such", re.IGNORECASE)
_TOOLS_FOLDER = re.compile(r"/(?:root|home/[\w.-]+)/\.[^/]+/")
_OWN = ("/tests", "/solution", "/logs")
# Folders of the system, where nobody looks for an output.
_SYSTEM = tuple(
    f"/{name}"
    for name in ("usr", "etc", "bin", "sbin", "lib", "lib64", "proc", "dev", "sys", "run", "tmp", "var", "boot")
)
_FETCHED = re.compile(
    r"\b(?:clone|checkout|extract|unpack|unzip|install|download)\w*\b[^\n]{0,120}?(/[\w.+@-]{1,99}(?:/[\w.+@-]{1,99}){1,20})"
)
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
    def unseen(self) -> tuple[str, ...]:
        """The folders of the image that get a folder which isn't here: anything may be in them."""
        copies = [one for one in self.instructions if one.keyword in ("COPY", "ADD") and "from" not in one.flags]
        return tuple(
            posixpath.normpath(posixpath.join(self.workdir, one.words[-1]))
            for one in copies
            for source in one.words[:-1]
            if "." not in posixpath.basename(source) and not any(self._targets(source, "/", several=True))
        )

    @cached_property
    def given(self) -> dict[str, str]:
        """The files beside the Dockerfile that it copies into the image, by name."""
        copied = {name for name, _ in self.copied.values()}
        return {name: text for name, text in self.files.items() if name in copied or not self.instructions}

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
                return f"environment/{name}:{text.count(chr(10), 0, text.index(path)) + 1}"
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


@dataclass(frozen=True, slots=True)
class MentionPlace:
    """A path in the tests, and the file and line that name it."""

    mention: Mention
    file: str

    @property
    def path(self) -> str:
        return self.mention.path

    @property
    def at(self) -> str:
        return f"tests/{self.file}:{self.mention.line}"


@dataclass(frozen=True)
class TaskFacts:
    """The files of a task, read once for all rules."""

    files: TaskFiles

    @cached_property
    def image(self) -> Image:
        return Image(self.files.environment)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """task.toml as it is written; empty if it isn't TOML, which is refused elsewhere."""
        try:
            return tomllib.loads(self.files.settings)
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The Python files of the tests that can be parsed."""
        trees = {name: parse_python(text) for name, text in self.files.tests.items() if name.endswith(".py")}
        return {name: tree for name, tree in trees.items() if tree is not None}

    @cached_property
    def python(self) -> dict[str, PythonPaths]:
        return {name: python_paths(tree) for name, tree in self.trees.items()}

    @cached_property
    def places(self) -> list[MentionPlace]:
        """Every path in the tests."""
        found = [MentionPlace(mention, name) for name, paths in self.python.items() for mention in paths.mentions]
        for name, line in self.shell_lines:
            found += [MentionPlace(mention, name) for mention in _in_shell(line)]
        return found

    @cached_property
    def shell_lines(self) -> list[tuple[str, CommandLine]]:
        scripts = (
            (name, text) for name, text in self.files.tests.items() if name.endswith(".sh") and is_shell(text)
        )
        return [(name, line) for name, text in scripts for line in command_lines(text)]

    @cached_property
    def comparisons(self) -> list[tuple[str, EqualityTest]]:
        return [(name, one) for name, paths in self.python.items() for one in paths.comparisons]

    def used(self, use: Use) -> frozenset[str]:
        return frozenset(place.path for place in self.places if place.mention.use is use)

    def outputs(self) -> Iterator[MentionPlace]:
        """The files that tests read and that nobody but the agent can have made."""
        written = {posixpath.basename(path) for path in self.used(Use.WRITTEN)}
        optional = frozenset[str]().union(*(paths.optional for paths in self.python.values()))
        for place in self.places:
            name = posixpath.basename(place.path)
            theirs = is_below(place.path, *_OWN, *_SYSTEM, *self.image.unseen) or place.path in optional
            theirs = theirs or name in written or name in self.files.tests
            theirs = theirs or not _MADE_BY_TOOLS.isdisjoint(place.path.split("/"))
            theirs = theirs or any((_TOOLS_FOLDER.match(place.path), _NOT_THERE.search(name)))
            looked_at = place.mention.use is not Use.WRITTEN and place.path.startswith("/") and is_file(place.path)
            if looked_at and not (
                theirs or name.startswith(".") or self._is_given(name) or self._only_named(place)
            ):
                yield place

    def _only_named(self, place: MentionPlace) -> bool:
        """Whether tests move a file there, or have the path in a variable that is unused or an expected value."""
        text, path = self.files.tests[place.file], re.escape(place.path)
        if re.search(rf"\b(?:cp|mv|ln|tee)\b[^\n]{{0,200}}\s['\"]?{path}\b", text):
            return True
        assigned = re.match(r"\s*+(\w++)\s*+=", text.splitlines()[place.mention.line - 1])
        if assigned is not None and len(re.findall(rf"\b{assigned[1]}\b", text)) == 1:
            return True
        found = re.search(rf"^[^\S\n]*+(\w++)[^\S\n]*+=[^\n]{{0,200}}?{path}(['\"]$)?", text, re.MULTILINE)
        if found is None or text.count(place.path) > 1:
            return False
        return text.count(found[1]) == 1 or (found[2] is not None and ANSWER.search(found[1]) is not None)

    def _is_given(self, name: str) -> bool:
        """Whether the environment names a file, or what it is built from."""
        stem = posixpath.splitext(name)[0]
        built = name.endswith(_BUILT) and (self.image.mentions(stem) or stem in self.files.instruction)
        numbered = stem.rstrip("0123456789")
        if (
            len(numbered) > 2
            and numbered != stem
            and any(map(self.image.mentions, (f"{numbered}{{", f"{numbered}%")))
        ):
            return True
        return built or name == "__init__.py" or self.image.mentions(name)

    def instructed(self, path: str) -> bool:
        """Whether the instruction names a path or at least its last part, with or without the suffix."""
        text, written = self.files.instruction.lower(), posixpath.splitext(posixpath.basename(path))[0]
        stem = written.lower()
        if named_otherwise(path.lower(), text, or_ending=not self.image.mentions(written)):
            return False
        folder = posixpath.dirname(path).lower()
        fetched = [found for found in _FETCHED.findall(text) if is_below(folder, found.rstrip("/"))]
        if fetched or (
            folder.count("/") > 2 and (folder in text or self.image.mentions(posixpath.basename(folder)))
        ):
            return True  # What a tool writes into a folder of its own has the tool's names.
        return stem in text or (re.search(r"\d", stem) is not None and stem.rstrip("0123456789") in text)

    def instructed_folder(self, path: str) -> bool:
        """Whether the instruction names a folder that a path is in."""
        folder = posixpath.dirname(path)
        while folder not in ("/", ""):
            if folder in self.files.instruction:
                return True
            folder = posixpath.dirname(folder)
        return False


def copied_from(text: str, originals: Mapping[str, str]) -> str | None:
    """The name of the file that a text is a copy of; of a file of code, with lines of its own, too."""
    lines = {line.strip() for line in text.splitlines()}
    for name, original in originals.items():
        own = {line.strip() for line in original.splitlines()}
        if len(original) > 40 and (
            text == original or (name.endswith(CODE) and len(own) > 5 and own <= lines | {""})
        ):
            return name
    return None


def named_otherwise(path: str, text: str, *, or_ending: bool = True) -> bool:
    """Whether a text names a file only in another folder, or only one with another ending."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    named = re.findall(rf"(?<![\w./@+-])((?:[\w.@+-]*+/)*+){re.escape(stem)}(\.\w{{1,8}}\b)?(?![\w-])", text)
    mentions = [found for found in named if any(found)]
    folders = [found[0] for found in mentions if found[1] == ending]
    if folders:
        return all(one.startswith("/") for one in folders) and f"{folder}/" not in folders
    return or_ending and bool(mentions) and all(found[1] for found in mentions)


def is_below(path: str, *folders: str) -> bool:
    """Whether a path is one of these folders, or in one of them."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def is_file(path: str) -> bool:
    """Whether a path looks like that of a file."""
    return re.search(r"[^/.]\.\w{1,8}$", path) is not None


def _in_shell(line: CommandLine) -> Iterator[Mention]:
    for found in _SHELL_PATH.finditer(line.text):
        runs = _RUNS.search(line.text[: found.start("path")]) is not None
        use = Use.WRITTEN if found["before"] else Use.RUN if runs else Use.READ
        yield Mention(found["path"], line.number, use)
    tree = parse_python(line.code) if line.code else None
    for mention in (python_paths(tree) if tree is not None else NO_PATHS).mentions:
        yield Mention(mention.path, line.number + mention.line, mention.use, mention.name)


def _names(text: str, path: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(path)}(?![\w/-])", text) is not None
