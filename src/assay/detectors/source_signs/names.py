"""Chains of names as paths: ``p["e" + "nv"].CI`` is ``process.env.CI`` where ``p`` is another name of ``process``.

A call keeps what it is given where that is short: ``os.Getenv(CI)``, ``f(…)``. Imports and plain assignments make
other names.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.detectors.source_signs.code import Assignment, Code, Slice
from assay.detectors.test_code.word_sets import word_set

_DOTS = frozenset((".", "?.", "&.", "::"))
_PHP_DOTS = frozenset(("->", "?.", "::", "\\"))
_NAME = re.compile(r"[A-Za-z_$@\u0080-\uffff]")
_BEFORE = word_set("new await & * yield try try! return")
_UNARY = word_set("typeof defined?")
_ASKING = tuple(f"{word}(" for word in _UNARY)
_LITERAL = re.compile(r'["\d]|(?:true|false|nil)$')
_LOADED = re.compile(r"^(?:require|import)\((?:node:)?([^()]*)\)")
# Other ways of Python to write ``os`` and ``os.name``.
_IN_PYTHON = (
    (re.compile(r"(?:__import__|(?:importlib\.)?import_module|vars)\(([\w.]+)\)"), r"\1"),
    (re.compile(r"getattr\(([\w.]+),(\w+)(?:,\w*)?\)"), r"\1.\2"),
    (re.compile(r"\.__dict__(?=\.)"), ""),
)
_BASE = re.compile(r"[^.(]+")
_MOST_GIVEN, _LONGEST = 6, 200
_FEW = 60


@dataclass(frozen=True, slots=True)
class Chain:
    """``first`` and ``end`` are indexes of words; ``called`` is where the last call's arguments are opened.

    ``wanted`` says whether it has one of the words in it that the patterns of a language are about.
    """

    path: str
    first: int
    end: int
    called: int | None
    wanted: bool


class Names:
    """The chains of a file that have one of the wanted words in them, with other names resolved."""

    def __init__(self, code: Code, wanted: frozenset[str]) -> None:
        self.code = code
        self._wanted = set(wanted)
        self._dots = _PHP_DOTS if code.language == "php" else _DOTS
        self._aliases: dict[str, str] = {}
        self._imports()
        for assignment in code.assignments:
            self._alias(assignment.target, assignment.value)

    @cached_property
    def chains(self) -> list[Chain]:
        words, dots = self.code.words, self._dots
        found = (
            self.chain(index)
            for index, word in enumerate(words)
            if (word[0].isalpha() or word[0] in "_$@") and not (index and words[index - 1] in dots)
        )
        return [chain for chain in found if chain.wanted]

    def within(self, part: Slice) -> list[Chain]:
        """The chains that begin in a slice."""
        chains = self.chains
        return chains[bisect_left(self._firsts, part[0]) : bisect_left(self._firsts, part[1])]

    def paths(self, part: Slice) -> frozenset[str]:
        """The paths of all chains that begin in a slice."""
        return frozenset(chain.path for chain in self.within(part))

    @cached_property
    def _firsts(self) -> list[int]:
        return [chain.first for chain in self.chains]

    def path(self, part: Slice) -> str:
        """The path of a slice that is one chain; "" where it is anything else."""
        first, end = part
        words = self.code.words
        while first < end and (words[first] in _BEFORE or words[first] == "("):
            first += 1
        if first >= end or not _NAME.match(words[first]):
            return ""
        chain = self.chain(first)
        return chain.path if all(word in (";", ")", ",") for word in words[chain.end : end]) else ""

    def target(self, given: Assignment) -> str:
        """The path that is given a value. A name by itself is only that name."""
        first, end = given.target
        return self.code.words[first] if end == first + 1 else self.path(given.target)

    def given(self, setters: re.Pattern[str] | None) -> Iterator[tuple[str, Slice, int]]:
        """The paths that get a value, with it and a word, also by calls such as ``setattr(os, "name", …)``."""
        for given in self.code.assignments:
            several = self.code.split(given.target) if self.code.language == "python" else ()
            for part in several if len(several) > 1 else ():
                yield self.path(part), given.value, part[0]
            yield self.target(given), given.value, given.target[0]
        for chain in self.chains if setters is not None else ():
            arguments = self.arguments(chain)
            if setters is not None and len(arguments) > 1 and setters.search(chain.path):
                owner, name = self.path(arguments[0]), self.code.strings(arguments[1])[:1]
                whole = self.code.strings(arguments[0])[:1] if not owner else []
                path = ".".join([owner, *name] if owner and name else whole)
                yield path, arguments[-1], chain.first

    def chain(self, first: int) -> Chain:
        words, total = self.code.words, len(self.code.words)
        parts: list[str] = []
        called: int | None = None
        index = first
        while True:
            name = words[index]
            index += 1
            if name in _UNARY and index < total and _NAME.match(words[index]):
                name, index = f"{name}({words[index]})", index + 1
            parts.append(name)
            index, call = self._suffixes(parts, index)
            called = call if call is not None else called
            if self.code.language == "ruby" and parts[-1][-1] != ")" and self._is_given(index):
                parts[-1] += f"({words[index].lstrip(chr(34))})"
                index += 1
            elif index < total and words[index] == ")" and self._is_grouped(first, index):
                index += 1
            if index + 1 >= total or words[index] not in self._dots or not _NAME.match(words[index + 1]):
                break
            index += 1
        wanted = any(part.partition("(")[0] in self._wanted or part.startswith(_ASKING) for part in parts)
        return Chain(self._resolved(".".join(parts)) if wanted else "", first, index, called, wanted)

    def _suffixes(self, parts: list[str], index: int) -> tuple[int, int | None]:
        """Add the calls and keys that follow a name to it; where they end, and the last call."""
        words, closing, called = self.code.words, self.code.closing, None
        while index < len(words) and not self.code.breaks(index):
            word = words[index]
            if word == "(" and index in closing:
                called = index
                parts[-1] += f"({self._given(index + 1, closing[index])})"
                index = closing[index] + 1
            elif word == "[" and index in closing:
                inside = words[index + 1 : closing[index]]
                if len(inside) == 1 and inside[0][0] == '"':
                    parts.append(inside[0][1:_LONGEST])
                index = closing[index] + 1
            elif word in ("!", "!!") and words[index + 1 : index + 2] and words[index + 1] in self._dots:
                index += 1
            else:
                break
        return index, called

    def arguments(self, chain: Chain) -> list[Slice]:
        """The arguments of a chain's last call."""
        if chain.called is None:
            return []
        return self.code.split((chain.called + 1, self.code.closing[chain.called]))

    def statement(self, chain: Chain) -> Slice:
        """A chain with what follows it in its statement."""
        code, index = self.code, chain.end
        while index < len(code.words) and index < chain.first + _FEW:
            word = code.words[index]
            if word in (";", "}") or (code.breaks(index) and word not in self._dots):
                break
            index = code.closing.get(index, index) + 1
        return chain.first, min(index, len(code.words))

    def _given(self, start: int, end: int) -> str:
        words = [word[:_LONGEST] for word in self.code.words[start : min(end, start + _MOST_GIVEN + 1)]]
        if len(words) > _MOST_GIVEN:
            return f"{words[0].lstrip(chr(34))},…" if words[1] == "," else "…"
        return "".join(word.lstrip('"') for word in words)

    def _is_given(self, index: int) -> bool:
        """Whether a command of Ruby's is given a literal without parentheses."""
        words = self.code.words
        return index < len(words) and not self.code.breaks(index) and _LITERAL.match(words[index]) is not None

    def _is_grouped(self, first: int, index: int) -> bool:
        """``(new Error())`` before ``.stack``."""
        words, closing = self.code.words, self.code.closing
        before = first - 1 if first and words[first - 1] == "(" else first - 2
        return (
            before >= 0
            and closing.get(before) == index
            and (before == first - 1 or words[first - 1] in _BEFORE)
            and index + 1 < len(words)
            and words[index + 1] in self._dots
            and (before == 0 or words[before - 1] in _OPENS_GROUP)
        )

    def _resolved(self, path: str) -> str:
        path = _LOADED.sub(r"\1", path)
        for written, plain in _IN_PYTHON if self.code.language == "python" else ():
            path = written.sub(plain, path)
        base = _BASE.match(path)
        other = self._aliases.get(base[0]) if base is not None else None
        return other + path[len(base[0]) :] if other is not None and base is not None else path

    def _alias(self, target: Slice, value: Slice) -> None:
        words = self.code.words
        first = target[0] + 1 if words[target[0]] in ("const", "let", "var", "val") else target[0]
        few = value[1] - value[0] < _FEW
        if not few or self._wanted.isdisjoint(word.lstrip('"') for word in words[value[0] : value[1]]):
            return
        path = self.path(value)
        if not path or first >= target[1] or (self.code.language == "python" and "(" in path):
            return
        if words[first] == "{":
            for part in self.code.split((first + 1, self.code.closing.get(first, target[1]))):
                self._put(words[part[1] - 1], f"{path}.{words[part[0]]}")
            return
        names = self.code.names_in(target)
        dotted = self.code.find(self._dots, target) is not None
        if len(names) == 1 and not dotted:
            self._put(names[0], path)

    def _put(self, name: str, path: str) -> None:
        if _BASE.match(path) and path != name and not path.startswith((f"{name}.", f"{name}(")):
            self._aliases.setdefault(name, path)
            self._wanted.add(name)

    def _imports(self) -> None:
        for node in self.code.tree.nodes:
            if node.kind in self.code.grammar.imports:
                self._import(*self.code.slice(node))

    def _import(self, first: int, end: int) -> None:
        """``import {env as e} from "process"``, ``use std::env::{self, var as v}``, ``import o "os"``."""
        words = self.code.words[first:end]
        if self.code.language == "python":
            self._python_import(words)
            return
        module = next((word[1:].removeprefix("node:") for word in words if word[0] == '"'), "")
        prefix = module or self._prefix(words)
        if self.code.language == "go":
            if module and len(words) == 2:
                self._put(words[0], module.rpartition("/")[2])
            return
        self._renamed(words, prefix)
        if module and len(words) > 2 and _NAME.match(words[1]) and words[2] in ("from", ","):
            self._put(words[1], module)
        named = words[words.index("{") + 1 : words.index("}")] if module and "{" in words and "}" in words else []
        for index, word in enumerate(named):
            if _NAME.match(word) and word != "as" and "as" not in named[max(0, index - 1) : index + 2]:
                self._put(word, f"{module}.{word}")

    def _renamed(self, words: list[str], prefix: str) -> None:
        """``env as e``, and ``e = System.env`` in C#."""
        for index in range(1, len(words) - 1):
            if words[index] == "as":
                original = words[index - 1]
                full = prefix if original in ("*", "self") else f"{prefix}.{original}".lstrip(".")
                self._put(words[index + 1], full)
            elif words[index] == "=" and self.code.language == "csharp":
                self._put(words[index - 1], ".".join(word for word in words[index + 1 :] if _NAME.match(word)))

    def _python_import(self, words: list[str]) -> None:
        at = words.index("import") if "import" in words else len(words)
        module = "".join(words[1:at])
        for name in " ".join(word for word in words[at + 1 :] if word not in "()").split(" , "):
            path, _, other = name.strip(" ,").replace(" . ", ".").partition(" as ")
            full = f"{module}.{path}" if module else path
            if (module or other) and not full.startswith(".") and not self._wanted.isdisjoint(full.split(".")):
                self._aliases.setdefault(other or path, full)
                self._wanted.add(other or path)

    def _prefix(self, words: list[str]) -> str:
        """The path before the braces, or before the last name that is renamed."""
        stop = words.index("{") if "{" in words else words.index("as") - 1 if "as" in words else len(words)
        return ".".join(word for word in words[1:stop] if _NAME.match(word) and word != "static")


_OPENS_GROUP = frozenset(("=", "(", ",", "return", "!", "&&", "||", "?", ":", "{", ";", "=>", "if"))
