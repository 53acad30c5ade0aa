"""Where a path through a shell script stands after a command, and what single commands make of it."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

# Commands that do not fail in a script that anybody would write.
_SURE = frozenset(
    {"true", ":", "echo", "printf", "export", "set", "shopt", "trap", "mkdir", "local", "declare", "readonly"}
)
# The folders of a task lie right below the root, and are there whatever an agent did.
_ALWAYS_THERE = re.compile(r"['\"]?/\w*/?['\"]?$")
_ASSIGNMENT = re.compile(r"\w+\+?=")
_ENDS_AT_FAILURE = re.compile(r"-(?>[a-zA-Z]*?e)[a-zA-Z]*+$")


@dataclass(frozen=True, slots=True)
class State:
    """Where a path stands: whether it happened, whether the script is over, and how the last command ended.

    ``errexit`` is `set -e`, ``failed`` says that it ended the script, and ``on_error`` that it then happens.
    """

    happened: bool = False
    ended: bool = False
    ok: bool = True
    errexit: bool = False
    failed: bool = False
    on_error: bool = False


States = frozenset[State]


def errexit_after(words: list[str], before: bool) -> bool:
    """Whether `set -e` holds behind these options."""
    for option, argument in pairwise([*words, ""]):
        if _ENDS_AT_FAILURE.match(option) or (option, argument) == ("-o", "errexit"):
            before = True
        elif _ENDS_AT_FAILURE.match(option.replace("+", "-", 1)) or (option, argument) == ("+o", "errexit"):
            before = False
    return before


def is_sure(words: list[str]) -> bool:
    """Whether a command can be relied on."""
    plain = all(_ASSIGNMENT.match(word) and "$(" not in word and "`" not in word for word in words)
    return plain or words[0] in _SURE or (words[0] == "cd" and bool(_ALWAYS_THERE.match(" ".join(words[1:]))))


def ended_by_failure(state: State) -> State:
    if state.ended or state.ok or not state.errexit:
        return state
    return replace(state, ended=True, failed=True, happened=state.happened or state.on_error)


def alive(states: States) -> States:
    """An exit in a subshell ends only that."""
    return frozenset(replace(state, ended=False, failed=False) for state in states)
