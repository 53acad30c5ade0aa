"""An agent's calls as what they did: its commands, the files that it named, and what went to the network.

All of it is read from the agent's own record. A file counts if a call names it, whether or not it was there. A
path in a variable, or relative to a folder that an earlier call entered, isn't understood.
"""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from assay.evidence.coding_run import ToolCall, Trajectory
from assay.formats.downloads import LOOPBACK
from assay.formats.trajectories.shell_actions import NamedFile, ShellActions, code_actions, shell_actions
from assay.formats.trajectories.values import MAX_TEXT, parse_json

_COMMANDS: Final = {"command", "cmd", "commands", "keystrokes", "script"}
_PATHS: Final = {
    *("path", "paths", "file", "files", "filepath", "filename", "targetfile", "notebookpath", "absolutepath"),
}
_URLS: Final = {"url", "urls", "uri"}
_NEW_TEXTS: Final = {
    "newstr",
    "newstring",
    "filetext",
    "content",
    "contents",
    "codeedit",
    "edits",
    "diff",
    "patch",
}
_EDITOR_COMMANDS: Final = {"view", "create", "str_replace", "insert", "undo_edit"}
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SHELLS: Final = {"bash", "sh", "zsh", "shell", "exec", "execute", "run", "command", "terminal", "action"}
_PROGRAMS: Final = {"python", "ipython", "jupyter", "node", "repl"}
_WRITES: Final = {
    *("write", "edit", "multiedit", "create", "replace", "insert", "append", "patch", "delete", "remove", "move"),
    *("rename", "save", "update", "undo", "change", "str_replace", "undo_edit"),
}
_ONLY_NAMES: Final = {"list", "ls", "glob", "find", "exists", "tree", "dir"}
_SEARCHES: Final = {"grep", "search"}
_WEB: Final = {"web", "browser", "browse", "internet", "http", "google", "navigate", "goto"}
_PATCHED: Final = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_LONGEST_SCRIPT: Final = 2**16
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True)
class Action:
    """One call. ``step`` is the number of its step; of a subagent's, its name and the number.

    ``cut`` says that not all of its arguments were read.
    """

    step: int | str
    tool: str
    arguments: str
    commands: tuple[str, ...] = ()
    files: tuple[NamedFile, ...] = ()
    goes_out: str | None = None
    cut: bool = False


def actions_of(trajectory: Trajectory, within: str = "") -> Iterator[Action]:
    """All calls in their order, those of subagents behind."""
    for step in trajectory.steps:
        for call in step.calls:
            yield _action(call, f"{within}{step.number}" if within else step.number)
    for one in trajectory.subagents:
        yield from actions_of(one.trajectory, f"{within}{one.name[:40]}/"[-120:])


def _action(call: ToolCall, step: int | str) -> Action:
    words = {word.lower() for word in _WORD.findall(call.name)}
    value = parse_json(call.arguments)
    given = list(_members(value)) if isinstance(value, dict | list) else []
    if isinstance(value, dict | list):
        scripts = [text for key, text in given if key in _COMMANDS and text not in _EDITOR_COMMANDS]
        programs = [text for key, text in given if key == "code" and words & _PROGRAMS]
    else:
        scripts = [call.arguments] if words & _SHELLS else []
        programs = [call.arguments] if words & _PROGRAMS else []
    shell = [shell_actions(text[:_LONGEST_SCRIPT]) for text in scripts]
    told = [*shell, *(code_actions(text[:_LONGEST_SCRIPT]) for text in programs)]
    return Action(
        step,
        call.name,
        call.arguments,
        tuple(dict.fromkeys((*scripts, *(text for one in shell for text in one.commands)))),
        (*_named_files(call, words, given), *(file for one in told for file in one.files)),
        _goes_out(call, words, given, told),
        len(call.arguments) > MAX_TEXT or any(len(text) > _LONGEST_SCRIPT for text in (*scripts, *programs)),
    )


def _members(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every text in a value with its key, without underscores. A command in words becomes one text."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list) and key in _COMMANDS and all(isinstance(one, str) for one in value):
        is_script = len(value) > 2 and re.fullmatch(r"-[a-z]*c", value[-2]) is not None
        yield key, value[-1] if is_script else " ".join(value)
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else ((key, one) for one in value):
            yield from _members(one, name.replace("_", "").lower(), depth + 1)


def _named_files(call: ToolCall, words: set[str], given: list[tuple[str, str]]) -> Iterator[NamedFile]:
    """The files in a call's arguments and in patches."""
    paths = [text for key, text in given if key in _PATHS]
    verbs = {text for key, text in given if key == "command" and text in _EDITOR_COMMANDS} or words
    writes = bool(verbs & _WRITES) or any(key in _NEW_TEXTS for key, _ in given)
    if writes or not words & _ONLY_NAMES:
        yield from (NamedFile(posixpath.normpath(path), writes, below=bool(words & _SEARCHES)) for path in paths)
    patches = [call.arguments, *(text for _, text in given)] if "*** " in call.arguments else []
    for patch in patches:
        yield from (NamedFile(path, True) for path in _PATCHED.findall(patch))


def _goes_out(
    call: ToolCall, words: set[str], given: list[tuple[str, str]], told: list[ShellActions]
) -> str | None:
    """The request that went to the network; None if nothing did."""
    urls = [text for key, text in given if key in _URLS]
    if urls:
        return next(
            (url for url in urls if url.startswith(("http:", "https:")) and not LOOPBACK.search(url)), None
        )
    if words & _WEB:
        return f"{call.name} {call.arguments}"
    return next((one.goes_out for one in told if one.goes_out is not None), None)
