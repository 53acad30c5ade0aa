"""Every command that a page names is one that Assay takes, also where it can't be run here."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.help.overview import options_of
from assay.cli.main import COMMANDS, parse_command, parser_of
from assay.core.errors import InputError
from tests.builders import REPO

WORKFLOWS = REPO / "examples" / "workflows"
OURS = ("docs", "examples", "src")
PAGES = [*REPO.glob("*.md"), *(page for folder in OURS for page in sorted((REPO / folder).rglob("*.md")))]
# Decisions and the history tell of commands as they were; the list of sentences has pieces of them.
OF_THE_PAST = re.compile(r"docs/decisions/|docs/evidence/(score-history|error-sentences)\.md$")
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(assay [^`\n]+)`")
BEFORE = re.compile(r"\w+=.*|!|time|nice|uvx|if")
# A sentence may name a command without all of its words, and with a placeholder for a value.
UNFINISHED = re.compile(
    r"required: |expected (one|at least one) argument|(, got '|invalid choice: ')(\$|[A-Z/]+'|…)"
)


def lines(text: str) -> Iterator[str]:
    """The lines of a page that are for a shell, and the commands in its sentences."""
    for language, body in FENCED.findall(text):
        for line in body.replace("\\\n", " ").splitlines():
            if language == "sh" or line.startswith("$ "):
                yield line.removeprefix("$ ")
    yield from INLINE.findall(FENCED.sub("", text))


def commands(line: str) -> Iterator[list[str]]:
    """The words of each command of Assay in a line. Half of a text in quotes, as in a sentence, has none."""
    words = shlex.shlex(re.sub(r"(^|\s)#.*", "", line), posix=True, punctuation_chars=True)
    words.whitespace_split = True
    try:
        split = [*words, ";"]
    except ValueError:
        return
    command: list[str] = []
    for word in split:
        if not set(word) <= set(";&|()<>"):
            command.append(word)
            continue
        while command and BEFORE.fullmatch(command[0]):
            command.pop(0)
        if command[:1] == ["assay"]:
            yield command[1:]
        command = []


def documented() -> Iterator[tuple[Path, list[str]]]:
    for page in PAGES:
        if not OF_THE_PAST.search(page.as_posix()):
            for line in lines(page.read_text(encoding="utf-8")):
                yield from ((page, words) for words in commands(line))


QUOTED = re.compile(r"'(assay [a-z][^'\n{]*)'")
TEMPLATES = (
    "action.yml",
    ".pre-commit-hooks.yaml",
    *(f"examples/workflows/{name}" for name in os.listdir(WORKFLOWS)),
)
ARRAYS = re.compile(r'"\$\{\w+\[@\]\}"')
IN_TEMPLATE = re.compile(r"^\s*(?:- |entry: |run: )?((?:\w+=\S+ )*assay .*)$", re.MULTILINE)


def named_in_code() -> Iterator[tuple[Path, list[str]]]:
    """The commands in errors, help texts, and templates for other systems."""
    for path in (REPO / "src").rglob("*.py"):
        for line in QUOTED.findall(path.read_text(encoding="utf-8")):
            yield from ((path, words) for words in commands(line))
    for name in TEMPLATES:
        for line in IN_TEMPLATE.findall((REPO / name).read_text(encoding="utf-8")):
            yield from ((REPO / name, words) for words in commands(ARRAYS.sub("", line).removesuffix("\\")))


def refusal(words: list[str]) -> str | None:
    try:
        parse_command(words)
    except SystemExit:  # --help and --version.
        return None
    except InputError as error:
        return unknown_option(words) if UNFINISHED.search(str(error)) else str(error)
    return None


def unknown_option(words: list[str]) -> str | None:
    """The first option that the command doesn't have: what is missing is complained of before it."""
    known = options_of(parser_of(words[0]))
    return next((word for word in words if word.startswith("--") and word.partition("=")[0] not in known), None)


def test_every_documented_command_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(documented())
    assert len(found) > 300
    assert {words[0] for _, words in found if words} >= set(COMMANDS) - {"commands"}
    refused = {(str(page.relative_to(REPO)), *words): refusal(words) for page, words in found}
    capsys.readouterr()
    assert {command: why for command, why in refused.items() if why is not None} == {}


def test_every_command_that_the_code_names_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(named_in_code())
    assert len(found) > 60
    assert {path.name for path, _ in found} >= {"action.yml", ".pre-commit-hooks.yaml", "gitlab-ci.yml"}
    refused = {(str(path.relative_to(REPO)), *words): refusal(words) for path, words in found}
    capsys.readouterr()
    assert {command: why for command, why in refused.items() if why is not None} == {}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("X=1 assay report jobs/a --json | head -3  # the first lines", [["report", "jobs/a", "--json"]]),
        ("cd work && assay score; echo done", [["score"]]),
        ("./assay report x", []),
    ],
)
def test_commands_are_found_in_a_line(line: str, words: list[list[str]]) -> None:
    assert list(commands(line)) == words


@pytest.mark.parametrize("words", [["report", "--nonsense"], ["scor"], ["keys", "lose"]])
def test_a_command_that_is_not_one_is_refused(words: list[str]) -> None:
    assert refusal(words) is not None
