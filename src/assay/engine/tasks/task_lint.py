"""Find likely mistakes in a task by reading it. A finding names the rule, the place and the reason."""

import posixpath
import re
import shlex
from collections.abc import Iterator

from assay.dialects.harbor.task_config import FILE_NAME, converted_values
from assay.engine.tasks.reward_lint import reward_findings
from assay.engine.tasks.rules.answers import answer_findings, grader_findings
from assay.engine.tasks.rules.facts import TaskFacts, copied_from
from assay.engine.tasks.rules.names import name_findings, output_path_findings
from assay.engine.tasks.rules.settings import SEEDED, setting_findings, verdict_findings
from assay.engine.tasks.task_reading import LintFinding, TaskFiles, is_shell
from assay.formats.dockerfile import parse_dockerfile
from assay.formats.downloads import FETCH, downloads
from assay.formats.shell import CommandLine, command_lines

_PYTHON = re.compile(r"(?:[^\s'\"]*/)?python[\d.]*")
_CHANGES_FOLDER = re.compile(r"(?:^|[;&|] *)cd +['\"]?(/[^\s;&|'\"]*)")
_FILE_PATH = re.compile(r"(?<![\w.~/$}:-])(?:/[\w.+@-]{1,255}){1,40}\.\w{1,5}(?![\w/])")


_MAY_FAIL = re.compile(r"\|\|\s*(?:true|:)\s*$")
# A copy of other files is often one of the inputs, which a test compares with what became of them.
_TEST_NAME = re.compile(r"test|spec|check|verif|grade|score|judge|expected|answer|truth|golden")
_DRAWS = re.compile(
    r"^(?![^\S\n]*#).*(?:\b(?:random|rng|secrets)\.(?!seed|Random|default_rng|Generator|RandomState|SystemRandom)[a-z]\w*\("
    r"|\b(?:default_rng|Random|RandomState)\(\s*\)|\bos\.urandom\(|^from random import (?!Random\b|seed\b))",
    re.MULTILINE,
)
_USES_SOLUTION = re.compile(
    r"(?:^|[;&|(]\s*|\b(?:bash|sh|source|\.|cp|cat|diff|cmp|python[\d.]*|then|do)\s(?:[^;&|]{0,300}\s)?)['\"]?"
    r"(?:/solution\b|(?:\./)?solve\.sh\b)"
)
_REQUIREMENTS = re.compile(r"(?:.*/)?requirements[\w-]*\.txt")
_WITHOUT_VERSION = re.compile(r"^[\w.\[\],-]++[^\S\n]*+(?:[<>~!]=?[^=@#\n]*+)?(?:#.*)?$", re.MULTILINE)
_ANSWER_NAME = re.compile(r"expected|answer|truth|golden")
_PYTEST = re.compile(r"\bpytest\b")


def lint(files: TaskFiles) -> list[LintFinding]:
    """All findings on a verifier."""
    facts = TaskFacts(files)
    return [
        *reward_findings(facts),
        *verdict_findings(facts),
        *answer_findings(facts),
        *grader_findings(facts),
        *output_path_findings(facts),
        *name_findings(facts),
        *setting_findings(facts),
        *_line_ends(files),
        *_agents_modules(files),
        *_agents_settings(files),
        *_randomness(facts),
        *_solution_in_tests(files),
        *_visible_tests(facts),
        *_not_kept(files),
        *_downloads(files),
        *_no_network(files),
        *(LintFinding("converted", FILE_NAME, said) for said in converted_values(files.settings)),
    ]


def _line_ends(files: TaskFiles) -> Iterator[LintFinding]:
    """With Windows line ends, the system looks for an interpreter whose name ends with a carriage return."""
    for name, text in files.tests.items():
        if text.startswith("#!") and text.partition("\n")[0].endswith("\r"):
            why = "it has Windows line ends (CRLF), so the program in its first line can't be found; use LF"
            yield LintFinding("line-ends", f"tests/{name}:1", why)


def _agents_modules(files: TaskFiles) -> Iterator[LintFinding]:
    """Python looks for modules in the working folder first, unless it runs a file."""
    in_workspace = True
    for line in command_lines(files.script):
        for goal in _CHANGES_FOLDER.findall(line.text):
            in_workspace = files.is_kept(posixpath.normpath(goal))
        if in_workspace and _looks_in_folder(line.text.split()):
            why = "python imports modules from the agent's folder, such as a json.py; run python3 -I instead"
            yield LintFinding("agents-modules", f"tests/test.sh:{line.number}", why)


def _looks_in_folder(words: list[str]) -> bool:
    """Whether a line runs Python on anything but a file, without -I or -P."""
    for start, word in enumerate(words):
        if _PYTHON.fullmatch(word.lstrip("(`$")) is None:
            continue
        for option in words[start + 1 :]:
            if option == "-" or option.startswith("<"):
                return True
            if not option.startswith("-") or {"I", "P"} & set(option):
                break
            if {"c", "m"} & set(option):
                return True
    return False


def _agents_settings(files: TaskFiles) -> Iterator[LintFinding]:
    """pytest reads conftest.py and its settings in the folder of the tests, and in those around it."""
    for line in command_lines(files.script):
        paths = _FILE_PATH.findall(line.text)
        if _PYTEST.search(line.text) and "--noconftest" not in line.text and any(map(files.is_kept, paths)):
            why = "pytest reads the agent's conftest.py there; run the tests in /tests, or with --noconftest"
            yield LintFinding("agents-settings", f"tests/test.sh:{line.number}", why)


def _randomness(facts: TaskFacts) -> Iterator[LintFinding]:
    for name in facts.trees:
        text = facts.files.tests[name]
        found = _DRAWS.search(text)
        if found and not SEEDED.search(text):
            line = text.count("\n", 0, found.start()) + 1
            yield LintFinding("randomness", f"tests/{name}:{line}", "it uses random numbers without a seed")


def _solution_in_tests(files: TaskFiles) -> Iterator[LintFinding]:
    for name, text in files.tests.items():
        if copied_from(text, files.solution) and text not in files.environment.values():
            yield LintFinding("solution-in-tests", f"tests/{name}", "it is a copy of the solution")
        for line in _shell_lines(name, text):
            if _USES_SOLUTION.search(line.text):
                yield LintFinding("solution-in-tests", f"tests/{name}:{line.number}", "it uses the solution")


def _visible_tests(facts: TaskFacts) -> Iterator[LintFinding]:
    files = facts.files
    named = ".py" in files.script
    used = [name for name in files.tests if not named or name in files.script or _ANSWER_NAME.search(name)]
    known = {name: files.tests[name] for name in used if _TEST_NAME.search(name)}
    for name, text in facts.image.given.items():
        original = copied_from(text, known)
        if original is not None:
            why = f"the agent gets a copy of tests/{original} that it can read and change"
            yield LintFinding("visible-tests", f"environment/{name}", why)
    for name in sorted(files.writable):
        yield LintFinding("writable-verifier", name, "everybody can write to it")


def _downloads(files: TaskFiles) -> Iterator[LintFinding]:
    everything = "\n".join((*files.tests.values(), *files.environment.values()))
    for folder, texts in (("tests", files.tests), ("environment", files.environment)):
        for name, text in texts.items():
            place = f"{folder}/{name}"
            listed = _REQUIREMENTS.fullmatch(name) and re.search(
                rf"-r\s{{0,9}}\S{{0,200}}?{re.escape(name)}", everything
            )
            if listed and _WITHOUT_VERSION.search(text):
                yield LintFinding("unpinned", place, "it has packages without versions")
            if name == "Dockerfile":
                for number in _unpinned_images(text):
                    yield LintFinding("unpinned", f"{place}:{number}", "it uses an image without a version")
            for line in _shell_lines(name, text):
                what = _unpinned_download(line.text)
                if what is not None:
                    yield LintFinding("unpinned", f"{place}:{line.number}", f"it downloads {what}")


def _no_network(files: TaskFiles) -> Iterator[LintFinding]:
    """Only the first download is reported. One that may fail isn't needed."""
    scripts = ((name, text) for name, text in files.tests.items() if name.endswith(".sh"))
    lines = ((name, line) for name, text in scripts for line in _shell_lines(name, text))
    needed = ((name, line) for name, line in lines if downloads(line.text) and not _MAY_FAIL.search(line.text))
    name, line = next(needed, (None, None))
    if files.network or name is None or line is None:
        return
    if files.says_no_network:
        why = 'it downloads, but the verifier has no network; set verifier.network_mode = "public"'
        yield LintFinding("no-network", f"tests/{name}:{line.number}", why)
    else:
        why = "it downloads, and the verifier has a network only if the run grants it with --verifier-network"
        yield LintFinding("needs-network", f"tests/{name}:{line.number}", why)


def _not_kept(files: TaskFiles) -> Iterator[LintFinding]:
    """A file that both the instruction and the tests name, at a path that the verifier can't see."""
    for path in dict.fromkeys(_FILE_PATH.findall(files.instruction)):
        folder = posixpath.dirname(path)
        given = any(folder in text for text in files.environment.values()) or path.startswith("/tests/")
        if not given and not files.is_kept(path) and any(path in text for text in files.tests.values()):
            why = f"files that an agent leaves at {path} aren't kept; use a path below {', '.join(files.places)}"
            yield LintFinding("not-kept", "instruction.md", why)


def _shell_lines(name: str, text: str) -> list[CommandLine]:
    """The command lines of a file, if it has any."""
    has_some = name == "Dockerfile" or (name.endswith(".sh") and is_shell(text))
    return command_lines(text) if has_some else []


_INSTALLS = tuple(
    (re.compile(rf"\b(?:{command})\b(?P<rest>[^|;&]*)"), what)
    for command, what in (
        (
            r"(?:pip3?|uv pip|pipx|uv tool|conda|mamba)\s+(?:-\S+\s+){0,9}install|uv\s+add",
            "packages without versions",
        ),
        (r"apt(?:-get)?\s+(?:-\S+\s+){0,20}install", "Debian packages without versions"),
        (r"(?:apk\s+(?:-\S+\s+){0,9}add|(?:dnf|yum|brew)\s+(?:-\S+\s+){0,9}install)", "packages without versions"),
        (r"npm\s+(?:install|i|add)|(?:yarn|pnpm|bun)\s+(?:global\s+)?add", "npm packages without versions"),
        (r"(?:go|gem|cargo)\s+install", "packages without versions"),
    )
)
_A_VERSION = re.compile(r"\s(?:--version|-v|--locked|--rev|--tag)[ =]")
_TAKE_A_VALUE = {"-r", "--requirement", "-c", "--constraint", "-t", "--target", "-p", "--python"}


def _unpinned_download(command: str) -> str | None:
    """A command's download without a pinned version; None if it downloads nothing or pins it."""
    if "sha256" in command:
        return None
    for pattern, what in _INSTALLS:
        for found in pattern.finditer(command):
            if _A_VERSION.search(found["rest"]):
                continue
            if any(not _is_pinned(package) for package in _packages(found["rest"])):
                return what
    if re.search(r"\buvx\s|\buv run\s.{0,300}--with\b", command) and "==" not in command:
        return "packages without versions"
    if FETCH.search(command):
        return "a file without a checksum"
    return "a repository without a commit" if re.search(r"\bgit clone\b", command) else None


def _unpinned_images(dockerfile: str) -> Iterator[int]:
    """The lines on which a Dockerfile uses an image without a version."""
    stages: set[str] = {"scratch"}
    for instruction in parse_dockerfile(dockerfile):
        words = instruction.words
        if instruction.keyword != "FROM" or not words:
            continue
        name = words[0].rpartition("/")[2]
        if words[0] not in stages and (name.endswith(":latest") or not re.search(r"[:@]", name)):
            yield instruction.line
        if len(words) == 3 and words[1].lower() == "as":
            stages.add(words[2])


def _packages(rest: str) -> Iterator[str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        words = rest.split()
    skip = False
    for word in words:
        if skip or word.startswith(("-", ">", "2>")):
            skip = word in _TAKE_A_VALUE
        else:
            yield word


def _is_pinned(package: str) -> bool:
    """Whether a word has a version, or isn't the name of a package: a path, an archive, a variable."""
    path = package.startswith((".", "/", "$")) or package.endswith((".whl", ".tar.gz", ".deb"))
    return path or "==" in package or bool(re.search(r"[^=<>~!]=[^=]|.@v?\d|@[0-9a-f]{7,}$", package))
