"""Does something happen on every path through a shell script?

A reader's answer, without running anything: the script is parsed as far as its control flow goes (lists, && and
||, pipelines, if, loops, case, groups, subshells, functions), the outcome of every command is unknown, and all
paths are followed. What it can't parse it takes as plain commands.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class _State:
    """Where a path stands: whether it happened, whether the script is over, and how the last command ended."""

    happened: bool = False
    ended: bool = False
    ok: bool = True


_States = frozenset[_State]


@dataclass(slots=True)
class _Parser:
    """Walks over tokens and follows all paths at once."""

    tokens: list[str]
    happens: Callable[[str], bool]
    at: int = 0
    functions: dict[str, tuple[int, int]] = field(default_factory=dict)
    calls: int = 0

    def list_until(self, stops: Iterable[str], states: _States) -> _States:
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

    def _and_or(self, states: _States) -> _States:
        states = self._pipeline(states)
        while self.at < len(self.tokens) and self.tokens[self.at] in ("&&", "||"):
            wanted = self.tokens[self.at] == "&&"
            self.at += 1
            while self.at < len(self.tokens) and self.tokens[self.at] == "\n":
                self.at += 1
            going = frozenset(state for state in states if not state.ended and state.ok is wanted)
            states = (states - going) | self._pipeline(going)
        return states

    def _pipeline(self, states: _States) -> _States:
        over = frozenset(state for state in states if state.ended)
        self._take("!")
        states = self._command(states - over)
        if self._peek() not in ("|", "|&"):
            return over | states
        while self._peek() in ("|", "|&"):
            # Every part of a pipeline runs, in a shell of its own: its exit is not the script's.
            self.at += 1
            states = self._command(_alive(states))
        return over | _alive(states)

    def _command(self, states: _States) -> _States:
        word = self._peek()
        compound = _COMPOUNDS.get(word)
        if compound is None:
            return self._simple(states)
        self.at += 1
        states = compound(self, states)
        return self._redirections(states)

    def _simple(self, states: _States) -> _States:
        words: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in _BREAKS:
            words.append(self.tokens[self.at])
            self.at += 1
        if self._peek() == "(" and len(words) == 1 and self.tokens[self.at + 1 : self.at + 2] == [")"]:
            return self._define(words[0], states)
        if words[:1] == ["function"] and len(words) == 2:
            return self._define(words[1], states, parentheses=False)
        if not words:
            return states
        if words[0] in self.functions and self.calls < 50:
            return self._call(words[0], states)
        return frozenset(after for state in states for after in self._run(words, state))

    def _run(self, words: list[str], state: _State) -> list[_State]:
        if state.ended:
            return [state]
        happened = state.happened or self.happens(" ".join(words))
        if words[0] in ("exit", "exec"):
            return [_State(happened, True)]
        if words[0] in ("true", ":"):
            return [_State(happened)]
        if words[0] == "false":
            return [_State(happened, ok=False)]
        return [_State(happened), _State(happened, ok=False)]

    def _define(self, name: str, states: _States, *, parentheses: bool = True) -> _States:
        """A function is remembered, not run."""
        self.at += 2 if parentheses else 0
        self._skip_newlines()
        start = self.at
        self._command(frozenset())
        self.functions[name] = (start, self.at)
        return states

    def _call(self, name: str, states: _States) -> _States:
        back, (self.at, _) = self.at, self.functions[name]
        self.calls += 1
        states = self._command(states)
        self.at = back
        return states

    def _if(self, states: _States) -> _States:
        done: _States = frozenset()
        while True:
            states = self.list_until(("then", "fi"), states)
            self._take("then")
            taken = frozenset(state for state in states if state.ended or state.ok)
            done |= self.list_until(("elif", "else", "fi"), taken)
            states = frozenset(state for state in states if not state.ended and not state.ok)
            if not self._take("elif"):
                break
        if self._take("else"):
            states = self.list_until(("fi",), states)
        self._take("fi")
        return done | states

    def _loop(self, states: _States) -> _States:
        states = self.list_until(("do", "done"), states)
        self._take("do")
        after = self.list_until(("done",), states)
        self._take("done")
        return states | after

    def _for(self, states: _States) -> _States:
        while self.at < len(self.tokens) and self.tokens[self.at] not in ("do", "done"):
            self.at += 1
        return self._loop(states)

    def _case(self, states: _States) -> _States:
        while self.at < len(self.tokens) and self.tokens[self.at] != "in":
            self.at += 1
        self._take("in")
        done: _States = frozenset()
        exhaustive = False
        while self.at < len(self.tokens) and self._peek() != "esac":
            if self._peek() in ("\n", ";;", ";&", ";;&", ";"):
                self.at += 1
                continue
            pattern = self._pattern()
            exhaustive = exhaustive or "*" in pattern
            done |= self.list_until((";;", ";&", ";;&", "esac"), states)
        self._take("esac")
        return done if exhaustive else done | states

    def _pattern(self) -> list[str]:
        found: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] != ")":
            found.append(self.tokens[self.at])
            self.at += 1
        self._take(")")
        return found

    def _group(self, states: _States) -> _States:
        states = self.list_until(("}",), states)
        self._take("}")
        return states

    def _subshell(self, states: _States) -> _States:
        """An exit in a subshell ends only that."""
        before = frozenset(state for state in states if state.ended)
        after = self.list_until((")",), states - before)
        self._take(")")
        return before | frozenset(_State(state.happened, False, state.ok) for state in after)

    def _redirections(self, states: _States) -> _States:
        """What stands behind a compound command holds for all of it."""
        words: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in _BREAKS:
            words.append(self.tokens[self.at])
            self.at += 1
        if words and self.happens(" ".join(words)):
            return frozenset(_State(True, state.ended, state.ok) for state in states)
        return states

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

_COMPOUNDS: dict[str, Callable[[_Parser, _States], _States]] = {
    "if": _Parser._if,
    "while": _Parser._loop,
    "until": _Parser._loop,
    "for": _Parser._for,
    "select": _Parser._for,
    "case": _Parser._case,
    "{": _Parser._group,
    "(": _Parser._subshell,
}


def always(script: str, happens: Callable[[str], bool]) -> bool:
    """Whether it happens on every path to the script's end, whatever the commands on it answer."""
    parser = _Parser(_tokens(script), happens)
    states: _States = frozenset({_State()})
    while parser.at < len(parser.tokens):
        states = parser.list_until((), states)
    return all(state.happened for state in states)


def _alive(states: _States) -> _States:
    return frozenset(_State(state.happened, False, state.ok) for state in states)


def _tokens(script: str) -> list[str]:
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
