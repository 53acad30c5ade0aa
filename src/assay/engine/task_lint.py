"""What is likely to be wrong with a task, from reading it. A finding names the rule, the place and the reason."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.formats.shell import Line, always, command_lines

_REWARD = re.compile(r"reward\.(json|txt)|assay reward|write_artifacts|write_reward")
_PYTHON_PACKAGES = r"\b(pip3?|uv pip|uvx) (install )?(?!.*(-r |--requirement|==|\.whl|-e |\s\.))"
_DOWNLOADS = (
    (re.compile(_PYTHON_PACKAGES), "packages without versions"),
    (re.compile(r"\bnpm (install|i) +(?!.*@\d)[\w@]"), "npm packages without versions"),
    (re.compile(r"\bapt(-get)? (-\w+ )*install\b(?!.*=)"), "Debian packages without versions"),
    (re.compile(r"\b(curl|wget)\b.*https?://"), "a file from the network"),
    (re.compile(r"\bgit clone\b"), "a repository at whatever it is today"),
)


@dataclass(frozen=True, slots=True)
class LintFinding:
    """Something that is likely to be wrong."""

    rule: str
    place: str
    why: str


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of one verifier and what is beside it, by name: text, and whether others may write to them."""

    tests: Mapping[str, str]
    solution: Mapping[str, str]
    environment: Mapping[str, str]
    writable: frozenset[str]


def lint(files: TaskFiles) -> list[LintFinding]:
    """All findings on a verifier."""
    return [
        *_reward(files),
        *_fails_early(files),
        *_solution_in_tests(files),
        *_visible_tests(files),
        *_downloads(files),
    ]


def _reward(files: TaskFiles) -> Iterator[LintFinding]:
    script = files.tests.get("test.sh")
    mentions = [name for name, text in files.tests.items() if _writes_reward(text)]
    if not mentions:
        yield LintFinding("no-reward", "tests", "no file of the verifier writes a reward")
    elif script is not None and mentions == ["test.sh"] and not always(script, _writes_reward):
        yield LintFinding("reward-not-always", "tests/test.sh", "there is a path on which no reward is written")


def _writes_reward(text: str) -> bool:
    return _REWARD.search(text) is not None


def _fails_early(files: TaskFiles) -> Iterator[LintFinding]:
    """A verifier that ends at its first failure ends without a reward."""
    script = files.tests.get("test.sh")
    if script is None:
        return
    lines = command_lines(script)
    first = next((line.number for line in lines if _writes_reward(line.text)), None)
    for line in lines:
        if re.match(r"^set +-\w*e", line.text) and (first is None or line.number < first):
            why = "with set -e, a failed check ends the script without a reward"
            yield LintFinding("set-e", f"tests/test.sh:{line.number}", why)


def _solution_in_tests(files: TaskFiles) -> Iterator[LintFinding]:
    known = {text for text in files.solution.values() if len(text) > 40}
    for name, text in files.tests.items():
        if text in known:
            yield LintFinding("solution-in-tests", f"tests/{name}", "it is a copy of the solution")
        for line in command_lines(text) if name.endswith(".sh") else ():
            if re.search(r"/solution\b|solve\.sh", line.text):
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
            if name.endswith(".sh") or name == "Dockerfile":
                for line in command_lines(text):
                    yield from _download(f"{folder}/{name}", line)


def _download(place: str, line: Line) -> Iterator[LintFinding]:
    image = line.text.split()[1] if line.text.startswith("FROM ") else "scratch"
    if image.endswith(":latest") or (":" not in image and image != "scratch"):
        yield LintFinding("unpinned", f"{place}:{line.number}", "it takes an image at whatever it is today")
    for pattern, what in _DOWNLOADS:
        if pattern.search(line.text) and "sha256" not in line.text:
            yield LintFinding("unpinned", f"{place}:{line.number}", f"it downloads {what}")
            return
