"""What is likely to be wrong with a task, from reading it. A finding names the rule, the place and the reason."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.dialects.harbor.converted_values import converted_values
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.unpinned import unpinned_download, unpinned_images
from assay.formats.shell import command_lines
from assay.formats.shell_paths import always

_FILE = r"reward\.(?:json|txt)"
_HELPERS = r"assay reward|write_artifacts|write_reward"
_MENTIONS = re.compile(f"{_FILE}|{_HELPERS}")
# What writes a file in a shell, or in code that it hands to an interpreter. To look at it or remove it does not.
_WRITES = re.compile(
    rf"{_HELPERS}|(?:>\|?|\btee\b[^|;]*|\b(?:cp|mv|install|ln)\b[^|;]*|of=|--output|-o)\s*['\"]?\S*{_FILE}"
    rf"|(?:open|write_text|Path|writeFile\w*)\([^)]*{_FILE}"
)
_ENDS_AT_FAILURE = re.compile(r"^set +(?:-[a-zA-Z]+ +)*(?:-[a-z]*e|-o +errexit\b)")
_PYTHON = re.compile(r"(?:[^\s'\"]*/)?python[\d.]*")
_CHANGES_FOLDER = re.compile(r"(?:^|[;&|] *)cd +/")
_ASSIGNMENT = re.compile(rf"^\s*(?:export\s+)?(\w+)=['\"]?(\S*{_FILE})['\"]?\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something that is likely to be wrong."""

    rule: str
    place: str
    why: str


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of one verifier and what is beside it, by name: text, and whether others may write to them.

    ``settings`` is the text of task.toml.
    """

    tests: Mapping[str, str]
    solution: Mapping[str, str]
    environment: Mapping[str, str]
    writable: frozenset[str]
    settings: str


def lint(files: TaskFiles) -> list[LintFinding]:
    """All findings on a verifier."""
    return [
        *_reward(files),
        *_fails_early(files),
        *_line_ends(files),
        *_agents_modules(files),
        *_solution_in_tests(files),
        *_visible_tests(files),
        *_downloads(files),
        *(LintFinding("converted", FILE_NAME, said) for said in converted_values(files.settings)),
    ]


def _reward(files: TaskFiles) -> Iterator[LintFinding]:
    script = _with_names(files.tests.get("test.sh", ""))
    mentions = [name for name, text in files.tests.items() if _MENTIONS.search(text)]
    if not mentions:
        yield LintFinding("no-reward", "tests", "no file of the verifier writes a reward")
    elif script and mentions == ["test.sh"] and not always(script, _writes_reward):
        yield LintFinding("reward-not-always", "tests/test.sh", "there is a path on which no reward is written")


def _writes_reward(text: str) -> bool:
    return _WRITES.search(text) is not None


def _with_names(script: str) -> str:
    """The script with the path in place of each variable that stands for a reward file."""
    for name, path in _ASSIGNMENT.findall(script):
        script = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", path.replace("\\", r"\\"), script)
    return script


def _fails_early(files: TaskFiles) -> Iterator[LintFinding]:
    """A verifier that ends at its first failure ends without a reward."""
    script = files.tests.get("test.sh")
    if script is None:
        return
    lines = command_lines(_with_names(script))
    first = next((line.number for line in lines if _writes_reward(line.text)), None)
    for line in lines:
        early = first is None or line.number < first
        if early and _ENDS_AT_FAILURE.match(line.text):
            why = "with set -e, a failed check ends the script without a reward"
            yield LintFinding("set-e", f"tests/test.sh:{line.number}", why)


def _line_ends(files: TaskFiles) -> Iterator[LintFinding]:
    """The system looks for an interpreter whose name ends with the carriage return, and there is none."""
    for name, text in files.tests.items():
        if text.startswith("#!") and text.partition("\n")[0].endswith("\r"):
            why = "its lines end as on Windows, so the program in its first line is not found"
            yield LintFinding("line-ends", f"tests/{name}:1", why)


def _agents_modules(files: TaskFiles) -> Iterator[LintFinding]:
    """Code from the command line or standard input, and `-m`, look for modules in the working folder first."""
    for line in command_lines(files.tests.get("test.sh", "")):
        if _CHANGES_FOLDER.search(line.text):
            return
        if _looks_in_folder(line.text.split()):
            why = "python looks for modules where the agent worked, and would run its json.py; say python3 -I"
            yield LintFinding("agents-modules", f"tests/test.sh:{line.number}", why)


def _looks_in_folder(words: list[str]) -> bool:
    """Whether a line runs Python on something else than a file, without -I or -P."""
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


def _solution_in_tests(files: TaskFiles) -> Iterator[LintFinding]:
    known = {text for text in files.solution.values() if len(text) > 40}
    for name, text in files.tests.items():
        if text in known:
            yield LintFinding("solution-in-tests", f"tests/{name}", "it is a copy of the solution")
        for line in command_lines(text) if name.endswith(".sh") else ():
            if re.search(r"(?<![\w.-])/solution\b|\bsolve\.sh", line.text):
                yield LintFinding("solution-in-tests", f"tests/{name}:{line.number}", "it uses the solution")


def _visible_tests(files: TaskFiles) -> Iterator[LintFinding]:
    known = {text: name for name, text in files.tests.items() if len(text) > 40}
    for name, text in files.environment.items():
        if text in known:
            why = f"the agent gets a copy of tests/{known[text]} that it can read and change"
            yield LintFinding("visible-tests", f"environment/{name}", why)
    for name in sorted(files.writable):
        yield LintFinding("writable-verifier", name, "everybody may write to it")


def _downloads(files: TaskFiles) -> Iterator[LintFinding]:
    for folder, texts in (("tests", files.tests), ("environment", files.environment)):
        for name, text in texts.items():
            place = f"{folder}/{name}"
            if name == "Dockerfile":
                for number in unpinned_images(text):
                    yield LintFinding("unpinned", f"{place}:{number}", "it takes an image at whatever it is today")
            if name.endswith(".sh") or name == "Dockerfile":
                for line in command_lines(text):
                    what = unpinned_download(line.text)
                    if what is not None:
                        yield LintFinding("unpinned", f"{place}:{line.number}", f"it downloads {what}")
