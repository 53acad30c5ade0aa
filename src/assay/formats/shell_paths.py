"""Does something happen on every path through a shell script?

A reader's answer, without running anything: the script is parsed as far as its control flow goes (lists, && and
||, pipelines, if, loops, case, groups, subshells, functions), the outcome of every command is unknown, and all
paths are followed. `set -e`, and traps for the end and for errors, are understood. What it can't parse it takes as
plain commands.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise

from assay.formats.shell import command_lines

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<operator>&&|\|\||;;&|;;|;&|\|&|[;|&(){}](?=\s|$|[;|&(){}\w'"$*.\-\[!])|\n)
      | (?P<word>(?:
            \\.|'[^']*'|"(?:\\.|[^"\\])*"
          | \$\((?:[^()]|\([^()]*\))*\)|`[^`]*`|\$\{[^}]*\}
          | >&|<&|&>|>\||[^\s;|&(){}\\'"`$]|\$|\{(?=\S)|\}(?=\w)
        )+)
    )""",
    re.VERBOSE,
)
# Commands that do not fail in a script that anybody would write.
_SURE = frozenset(
    {"true", ":", "echo", "printf", "export", "set", "shopt", "trap", "mkdir", "local", "declare", "readonly"}
)
# The folders of a task lie right below the root, and are there whatever an agent did.
_ALWAYS_THERE = re.compile(r"['\"]?/\w*/?['\"]?$")
# Without what couldn't be installed, nothing was measured, and no reward says so.
_INSTALLS = re.compile(
    r"(?:sudo |env |DEBIAN_FRONTEND=\S+ )*(?:"
    r"(?:source|\.) \S*(?:env|activate|profile|bashrc|nvm\.sh|conda\.sh)(?: |['\"]?$)"
    r"|(?:git clone|python[\d.]* -m (?:venv|ensurepip)) |(?:ba)?sh(?: -s\b.*)?$"
    r"|(?:python[\d.]* -m )?(?:apt(?:-get)?|apk|dnf|yum|conda|mamba|pip[\d.]*|npm|yarn|pnpm|gem|cargo|go|poetry"
    r"|uv(?: pip| tool| python)?)(?: -\S+)* (?:update|install|add|c?i|create|activate|sync|venv)(?: |$)"
    r"|(?:npx|uvx|python[\d.]* -m) (?:-\S+ )*\S+ install(?:-deps)?\b"
    r"|(?:curl|wget) (?:.* )?['\"]?https?://(?!localhost|127\.|0\.0\.0\.0|\[))"
)
_ASSIGNMENT = re.compile(r"\w+\+?=")
_ENDS_AT_FAILURE = re.compile(r"-(?>[a-zA-Z]*?e)[a-zA-Z]*+$")


@dataclass(frozen=True, slots=True)
class ShellState:
    """Where a path stands: whether it happened, whether the script is over, and how the last command ended.

    ``errexit`` is `set -e`, ``failed`` says that it ended the script, and ``on_error`` that it then happens.
    """

    happened: bool = False
    ended: bool = False
    ok: bool = True
    errexit: bool = False
    failed: bool = False
    on_error: bool = False


States = frozenset[ShellState]


def errexit_after(words: list[str], before: bool) -> bool:
    """Whether `set -e` holds behind these options."""
    for option, argument in pairwise([*words, ""]):
        if _ENDS_AT_FAILURE.match(option) or (option, argument) == ("-o", "errexit"):
            before = True
        elif _ENDS_AT_FAILURE.match(option.replace("+", "-", 1)) or (option, argument) == ("+o", "errexit"):
            before = False
    return before


def is_sure(words: list[str]) -> bool:
    """Whether a command can be relied on, or measures nothing and ends the script rightly where it fails."""
    plain = all(_ASSIGNMENT.match(word) and "$(" not in word and "`" not in word for word in words)
    if plain or words[0] in _SURE or _INSTALLS.match(" ".join(words)):
        return True
    return words[0] == "cd" and bool(_ALWAYS_THERE.match(" ".join(words[1:])))


def ended_by_failure(state: ShellState) -> ShellState:
    if state.ended or state.ok or not state.errexit:
        return state
    return replace(state, ended=True, failed=True, happened=state.happened or state.on_error)


def _succeeded(states: States) -> States:
    """A compound command of which no branch runs ends well, whatever its condition came to."""
    return frozenset(state if state.ended else replace(state, ok=True) for state in states)


def alive(states: States) -> States:
    """An exit in a subshell ends only that."""
    return frozenset(replace(state, ended=False, failed=False) for state in states)


@dataclass(frozen=True, slots=True)
class Missed:
    """Whether there is a path on which it does not happen: one to the end, or one that `set -e` cuts short."""

    at_end: bool
    at_failure: bool


@dataclass(slots=True)
class _Parser:
    """Walks over tokens and follows all paths at once."""

    tokens: list[str]
    happens: Callable[[str], bool]
    at: int = 0
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)
    calls: int = 0
    guards: int = 0
    guarded: dict[int, bool] = field(default_factory=dict)

    def list_until(self, stops: Iterable[str], states: States) -> States:
        """A list of commands, up to one of the words that end it."""
        ends = set(stops)
        while self.at < len(self.tokens) and self.tokens[self.at] not in ends:
            if self.tokens[self.at] in (";", "\n", "&"):
                self.at += 1
                continue
            before = self.at
            states = self._and_or(states)
            self.at = max(self.at, before + 1)
        return states

    def _and_or(self, states: States) -> States:
        states = self._guarded_pipeline(states)
        while self.at < len(self.tokens) and self.tokens[self.at] in ("&&", "||"):
            wanted = self.tokens[self.at] == "&&"
            self.at += 1
            self._skip_newlines()
            going = frozenset(state for state in states if not state.ended and state.ok is wanted)
            states = (states - going) | self._guarded_pipeline(going)
        return states

    def _guarded_pipeline(self, states: States) -> States:
        """`set -e` minds no failure of a command before && or ||, nor of one behind !, nor within them."""
        start = self.at
        if start not in self.guarded:
            self.guarded[start] = self._peek() == "!"
            self._pipeline(frozenset())
            self.guarded[start] |= self._peek() in ("&&", "||")
            self.at = start
        self.guards += self.guarded[start]
        before = frozenset(state for state in states if state.ended)
        states = self._pipeline(states)
        self.guards -= self.guarded[start]
        if self.guards or self.guarded[start]:
            return states
        return before | frozenset(map(ended_by_failure, states - before))

    def _pipeline(self, states: States) -> States:
        over = frozenset(state for state in states if state.ended)
        self._take("!")
        states = self._command(states - over)
        if self._peek() not in ("|", "|&"):
            return over | states
        while self._peek() in ("|", "|&"):
            # Every part of a pipeline runs, in a shell of its own: its exit is not the script's.
            self.at += 1
            states = self._command(alive(states))
        return over | alive(states)

    def _command(self, states: States) -> States:
        word = self._peek()
        compound = _COMPOUNDS.get(word)
        if compound is None:
            return self._simple(states)
        self.at += 1
        states = compound(self, states)
        # Redirections behind a compound command hold for all of it.
        words = self._words_until(_BREAKS)
        if words and self.happens(" ".join(words)):
            return frozenset(replace(state, happened=True) for state in states)
        return states

    def _simple(self, states: States) -> States:
        words = self._words_until(_BREAKS)
        if self._peek() == "(" and len(words) == 1 and self.tokens[self.at + 1 : self.at + 2] == [")"]:
            return self._define(words[0], states)
        if words[:1] == ["function"] and len(words) == 2:
            return self._define(words[1], states, parentheses=False)
        if not words or not states:
            return states
        if words[0] in self.functions and self.calls < 50:
            return self._call(words[0], states)
        return frozenset(after for state in states for after in self._run(words, state))

    def _run(self, words: list[str], state: ShellState) -> list[ShellState]:
        if state.ended:
            return [state]
        if words[0] == "trap":
            return [self._trap(words, state)]
        state = replace(state, happened=state.happened or self.happens(" ".join(words)), ok=True)
        if words[0] in ("exit", "exec"):
            return [replace(state, ended=True)]
        if words[0] == "set":
            state = replace(state, errexit=errexit_after(words, state.errexit))
        if is_sure(words):
            return [state]
        failed = replace(state, ok=False)
        return [failed] if words[0] == "false" else [state, failed]

    def _trap(self, words: list[str], state: ShellState) -> ShellState:
        """The command for the end or an error of the script. A function is looked into."""
        handler = words[1].strip("'\"") if len(words) > 2 else ""
        name = handler.partition(";")[0].strip()
        if name in self.functions and self.calls < 50:
            happens = all(after.happened for after in self._call(name, frozenset({ShellState()})))
        else:
            happens = self.happens(handler)
        signals = {word.removeprefix("SIG").upper() for word in words[2:]}
        return replace(
            state,
            ok=True,
            happened=state.happened or (happens and bool(signals & {"EXIT", "0"})),
            on_error=state.on_error or (happens and "ERR" in signals),
        )

    def _define(self, name: str, states: States, *, parentheses: bool = True) -> States:
        """A function is remembered, not run."""
        self.at += 2 if parentheses else 0
        self._skip_newlines()
        start = self.at
        self._command(frozenset())
        self.functions[name] = (start, self.at)
        return states

    def _call(self, name: str, states: States) -> States:
        back, (self.at, _) = self.at, self.functions[name]
        self.calls += 1
        states = self._command(states)
        self.at = back
        return states

    def _if(self, states: States) -> States:
        done: States = frozenset()
        while True:
            states = self._condition(("then", "fi"), states)
            self._take("then")
            taken = frozenset(state for state in states if state.ended or state.ok)
            done |= self.list_until(("elif", "else", "fi"), taken)
            states = frozenset(state for state in states if not state.ended and not state.ok)
            if not self._take("elif"):
                break
        states = self.list_until(("fi",), states) if self._take("else") else _succeeded(states)
        self._take("fi")
        return done | states

    def _condition(self, stops: Iterable[str], states: States) -> States:
        self.guards += 1
        states = self.list_until(stops, states)
        self.guards -= 1
        return states

    def _loop(self, states: States) -> States:
        """The body runs where the condition holds, or never; that of `until` where it doesn't."""
        wanted = self.tokens[self.at - 1] != "until"
        states = self._condition(("do", "done"), states)
        going = frozenset(state for state in states if not state.ended and state.ok is wanted)
        return _succeeded(states - going) | self._body(going)

    def _body(self, states: States) -> States:
        self._take("do")
        after = self.list_until(("done",), states)
        self._take("done")
        return after

    def _for(self, states: States) -> States:
        self._words_until(("do", "done"))
        return states | self._body(states)

    def _case(self, states: States) -> States:
        self._words_until(("in",))
        self._take("in")
        done: States = frozenset()
        exhaustive = False
        while self.at < len(self.tokens) and self._peek() != "esac":
            if self._peek() in ("\n", ";;", ";&", ";;&", ";"):
                self.at += 1
                continue
            exhaustive |= "*" in self._words_until((")",))
            self._take(")")
            done |= self.list_until((";;", ";&", ";;&", "esac"), states)
        self._take("esac")
        return done if exhaustive else done | _succeeded(states)

    def _words_until(self, stops: Collection[str]) -> list[str]:
        start = self.at
        while self.at < len(self.tokens) and self.tokens[self.at] not in stops:
            self.at += 1
        return self.tokens[start : self.at]

    def _group(self, states: States) -> States:
        states = self.list_until(("}",), states)
        self._take("}")
        return states

    def _subshell(self, states: States) -> States:
        before = frozenset(state for state in states if state.ended)
        after = self.list_until((")",), states - before)
        self._take(")")
        return before | alive(after)

    def _peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _take(self, word: str) -> bool:
        if self._peek() != word:
            return False
        self.at += 1
        return True

    def _skip_newlines(self) -> None:
        while self._peek() == "\n":
            self.at += 1


_BREAKS = frozenset({";", "\n", "&", "&&", "||", "|", "|&", ")", "(", ";;", ";&", ";;&", "}"})

_COMPOUNDS: dict[str, Callable[[_Parser, States], States]] = {
    "if": _Parser._if,
    "while": _Parser._loop,
    "until": _Parser._loop,
    "for": _Parser._for,
    "select": _Parser._for,
    "case": _Parser._case,
    "{": _Parser._group,
    "(": _Parser._subshell,
}


def missed_paths(script: str, happens: Callable[[str], bool]) -> Missed:
    """On which kinds of paths it does not happen."""
    parser = _Parser(shell_tokens(script), happens)
    try:
        return _follow_script(parser, script)
    except RecursionError:
        return Missed(at_end=False, at_failure=False)  # Nested deeper than anybody reads.


def _follow_script(parser: _Parser, script: str) -> Missed:
    options = script.partition("\n")[0].split()[1:] if script.startswith("#!") else []
    states: States = frozenset({ShellState(errexit=errexit_after(options, False))})
    while parser.at < len(parser.tokens):
        states = parser.list_until((), states)
    without = [state.failed for state in states if not state.happened]
    return Missed(at_end=False in without, at_failure=True in without)


def shell_tokens(script: str) -> list[str]:
    """The words and the operators of a script."""
    tokens: list[str] = []
    for line in command_lines(script):
        text, at = re.sub(r"(^|\s)#.*$", "", line.text), 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.end() == at:
                at += 1
                continue
            tokens.append(found["operator"] or found["word"])
            at = found.end()
        tokens += [";", line.code, "\n"] if line.code else ["\n"]
    return tokens
