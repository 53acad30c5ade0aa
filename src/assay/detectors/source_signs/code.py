"""Code of any language as words, and the parts of it that rules look at: functions, conditions, assignments.

A tree says where strings, comments and the parts are. In between, one pattern finds the words of all languages.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from assay.detectors.source_signs.grammar import SourceGrammar, grammar_of
from assay.detectors.source_signs.sign import Sign, sign
from assay.detectors.test_code.tree import Node, ParsedText
from assay.detectors.test_code.word_sets import word_set

_NEWLINE = re.compile("\n")
_ASSIGNS = frozenset(("=", ":=", "+="))
_OF = frozenset((".", "?.", "->", "["))
_MOST_WORDS = 120
_MODIFIERS = word_set(
    "const let var val mut final static public private protected readonly lateinit auto ref _ ok"
)
_PASSED_ON = word_set("of in range as :")
_ASKS = word_set("if unless while until")
_COMPARES = word_set("== != < > <= >= in && ||")
_COLON = frozenset((":",))

Slice = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CodeFunction:
    """``head`` stands before the name, with attributes; ``at`` is the name's index; some have no ``body``."""

    name: str
    at: int
    head: tuple[str, ...]
    parameters: tuple[str, ...]
    body: Slice | None
    node: Node
    is_expression: bool


@dataclass(frozen=True, slots=True)
class Assignment:
    """``target`` and ``value`` are slices of words. A loop gives its name values too."""

    target: Slice
    value: Slice
    node: Node


@dataclass
class Code:
    """One file. ``words`` are all words but comments; a string is one word that begins with a double quote."""

    language: str
    tree: ParsedText
    words: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    closing: dict[int, int] = field(default_factory=dict)
    comments: list[Node] = field(default_factory=list)

    @property
    def grammar(self) -> SourceGrammar:
        return grammar_of(self.language)

    def at(self, offset: int) -> int:
        """The index of the first word that begins at an offset or behind it."""
        return bisect_left(self.starts, offset)

    def slice(self, node: Node) -> Slice:
        return self.at(node.start), self.at(node.end)

    def line(self, index: int) -> int:
        return (
            self.tree.line(self.starts[index]) if index < len(self.starts) else self.tree.line(len(self.tree.text))
        )

    def sign(self, rule: str, index: int) -> Sign:
        """A sign at a word, with the line that it is on."""
        start = self.tree.text.rfind("\n", 0, self.starts[index]) + 1
        return sign(rule, self.line(index), self.tree.text[start : start + 400].partition("\n")[0])

    def line_start(self, index: int) -> int:
        """The first word of the line that a word is on."""
        return self.at(self.tree.text.rfind("\n", 0, self.starts[index]) + 1)

    def breaks(self, index: int) -> bool:
        """Whether a word is the first of its line."""
        return index in self.line_starts

    @cached_property
    def line_starts(self) -> frozenset[int]:
        """The words that are the first of their line, but for the very first."""
        lines = (found.end() for found in _NEWLINE.finditer(self.tree.text))
        return frozenset(bisect_left(self.starts, start) for start in lines) - {0}

    @cached_property
    def opening(self) -> dict[int, int]:
        return {close: opened for opened, close in self.closing.items()}

    @cached_property
    def in_braces(self) -> frozenset[int]:
        """The words that are inside any pair of braces, without the braces that are in none."""
        inside: set[int] = set()
        end = 0
        for opening, closing in sorted(self.closing.items()):
            if self.words[opening] == "{" and closing > end:
                inside.update(range(opening + 1, closing))
                end = closing
        return frozenset(inside)

    @cached_property
    def function_starts(self) -> dict[int, CodeFunction]:
        """Functions by the offset that they begin at."""
        return {function.node.start: function for function in self.functions}

    def scope(self, node: Node) -> Slice:
        """The words of the function around a node; all words where there is none."""
        around = next((one for one in node.ancestors() if one.kind in self.grammar.functions), None)
        return self.slice(around) if around is not None else (0, len(self.words))

    def scope_at(self, index: int) -> Slice:
        """The words of the named function around a word; all words where there is none."""
        offset = self.starts[index]
        around = [one for one in self.functions if one.name and one.node.start <= offset < one.node.end]
        return self.slice(around[-1].node) if around else (0, len(self.words))

    def guards(self, index: int) -> list[Slice]:
        """The conditions of the statements in Python that a word hangs on."""
        offset = self.starts[index]
        around = [node for node in self._of(frozenset(("if_statement",))) if node.start <= offset < node.end]
        found = [self._condition(self.slice(node), node.kind) for node in around]
        return [part for part in found if part is not None and part[1] <= index]

    def strings(self, part: Slice) -> list[str]:
        return [word[1:] for word in self.words[part[0] : part[1]] if word[0] == '"' and len(word) > 1]

    def find(self, wanted: frozenset[str], part: Slice) -> int | None:
        """The first of these words in a slice that is in none of its brackets."""
        index = part[0]
        while index < part[1]:
            if self.words[index] in wanted:
                return index
            index = self.closing.get(index, index) + 1
        return None

    def split(self, part: Slice) -> list[Slice]:
        """The parts between the commas of a slice."""
        found, start = [], part[0]
        while (comma := self.find(frozenset((",",)), (start, part[1]))) is not None:
            found.append((start, comma))
            start = comma + 1
        return [*found, (start, part[1])] if start < part[1] else found

    def enclosed(self, index: int, kinds: frozenset[str]) -> bool:
        """Whether a word is inside of a node of one of these kinds."""
        offset = self.starts[index]
        return any(node.start < offset < node.end for node in self._of(kinds))

    def block_after(self, index: int) -> Slice:
        """The block that begins at a word: in braces, or between ``do`` and ``end``."""
        if index in self.closing and self.words[index] == "{":
            return index + 1, self.closing[index]
        if index < len(self.words) and self.words[index] == "do":
            for node in self._of(frozenset(("do_block",))):
                if node.start == self.starts[index]:
                    return self.slice(node)
        return index, index

    def _of(self, kinds: frozenset[str]) -> Iterator[Node]:
        return (node for node in self.tree.nodes if node.kind in kinds)

    @cached_property
    def functions(self) -> list[CodeFunction]:
        found = (self._function(node) for node in self._of(self.grammar.functions))
        return [function for function in found if function is not None]

    def _function(self, node: Node) -> CodeFunction | None:
        first, end = self.slice(node)
        if self.language == "python":
            return self._python_function(node, first, end)
        opening = self._parameters(first, end)
        if opening is None:
            return None
        words, name_at = self.words, opening - 1
        closing = self.closing.get(opening, opening)
        parameters = tuple(words[opening + 1 : closing])
        if words[opening] != "(":
            closing = opening
            parameters = (words[opening],)
        head_from = self._attributes(first)
        name = self._name(name_at, first)
        body, short = self._body(closing + 1, end)
        return CodeFunction(
            name, max(name_at, first), tuple(words[head_from : max(name_at, first)]), parameters, body, node, short
        )

    def _python_function(self, node: Node, first: int, end: int) -> CodeFunction | None:
        words, colon = self.words, self.find(_COLON, (first, end))
        if colon is None:
            return None
        if words[first] == "lambda":
            name = words[first - 2].lstrip('"') if first > 1 and words[first - 1] in ("=", ":", ",") else ""
            return CodeFunction(name, first, (), tuple(words[first + 1 : colon]), (colon + 1, end), node, True)
        at = words.index("def", first) + 1
        parameters = tuple(words[at + 2 : self.closing.get(at + 1, at + 2)])
        return CodeFunction(words[at], at, (), parameters, (colon + 1, end), node, False)

    def _parameters(self, first: int, end: int) -> int | None:
        """Where the parameters are opened, or the only one where it has no parentheses."""
        words, index = self.words, first
        if index + 1 < end and words[index + 1] == "=>":
            return index
        if self.language == "go" and words[index : index + 2] == ["func", "("]:
            after = self.closing.get(index + 1, index + 1) + 1
            if after + 1 < end and words[after + 1] == "(":
                return after + 1
        while index < end:
            word = words[index]
            if word == "(" and not (index > first and words[index - 1][0] == "@"):
                return index
            if word == "{" and index > first:
                return None
            attribute = word == "[" and self.language in ("csharp", "php")
            index = self.closing.get(index, index) + 1 if attribute or word == "(" else index + 1
            if self.language == "ruby" and first + 1 < index < end and self.breaks(index):
                return index - 1 if words[index - 2] != "def" else None
        return None

    def _attributes(self, first: int) -> int:
        """Rust's attributes stand before a function, not in it."""
        while self.language == "rust" and first > 2 and self.words[first - 1] == "]":
            opening = self.opening.get(first - 1, 0)
            if self.words[opening - 1] != "#":
                break
            first = opening - 1
        return first

    def _name(self, index: int, first: int) -> str:
        words = self.words
        if index >= first and words[index] == "]":
            opening = self.opening.get(index, index)
            return "".join(words[opening + 1 : index])
        if index >= first and words[index] not in ("function", "async", "func", "fn", "*"):
            owner = words[index - 2] if index - 2 > first and words[index - 1] == "." else ""
            return f"{owner}.{words[index]}" if owner not in ("", "self") else words[index]
        before = first - 1
        while before > 0 and words[before] == "async":
            before -= 1
        return words[before - 1].lstrip('"') if before > 0 and words[before] in ("=", ":") else ""

    def _body(self, index: int, end: int) -> tuple[Slice | None, bool]:
        if self.language == "ruby":
            short = index < end and self.words[index] == "="
            return ((index + 1, end), True) if short else ((index, end - 1), False)
        while index < end:
            word = self.words[index]
            if word == "{":
                return (index + 1, self.closing.get(index, end)), False
            if word in ("=>", "=", "->") and not (word == "->" and self.grammar.own.arrow_is_type):
                if index + 1 < end and self.words[index + 1] == "{":
                    index += 1
                    continue
                return (index + 1, end), True
            index = self.closing.get(index, index) + 1
        return None, False

    @cached_property
    def conditions(self) -> list[Slice]:
        """Every slice of words that decides what happens."""
        found = []
        for node in self._of(self.grammar.conditions):
            part = self._condition(self.slice(node), node.kind)
            if part is not None and part[0] < part[1]:
                found.append((part[0], min(part[1], part[0] + _MOST_WORDS)))
        return found

    def _condition(self, part: Slice, kind: str) -> Slice | None:
        first, end = part
        if self.language == "python":
            return self._python_condition(first, end, kind)
        if kind in self.grammar.choices:
            question = self.find(frozenset(("?",)), part)
            return (first, question) if question is not None else None
        if kind.endswith("_modifier"):
            asked = self.find(_ASKS, part)
            return (asked + 1, end) if asked is not None else None
        if first + 1 < end and self.words[first + 1] == "(" and not self.grammar.own.bare_conditions:
            return first + 2, self.closing.get(first + 1, end)
        index = first + 1
        while index < end:
            ended = self.words[index] == "then" or (self.breaks(index) and self.words[index][0] not in ".&|")
            if (self.language == "ruby" and ended) or (self.language != "ruby" and self.words[index] == "{"):
                break
            index = self.closing.get(index, index) + 1
        return first + 1, min(index, end)

    def _python_condition(self, first: int, end: int, kind: str) -> Slice | None:
        """A comparison that is returned, or that a comprehension lists, decides as well."""
        if kind == "conditional_expression":
            asked = self.find(_ASKS, (first, end))
            other = self.find(frozenset(("else",)), (asked or first, end))
            return (asked + 1, other) if asked is not None and other is not None else None
        if kind in ("return_statement", "generator_expression", "list_comprehension"):
            stop = self.find(frozenset(("for", "if")), (first + 1, end)) or end
            plain = kind != "return_statement" or stop == end
            return (first + 1, stop) if plain and self.find(_COMPARES, (first + 1, stop)) is not None else None
        colon = self.find(_COLON, (first, end))
        return first + 1, end if colon is None else colon

    @cached_property
    def assignments(self) -> list[Assignment]:
        found = []
        for node in self._of(self.grammar.assignments | self.grammar.loops):
            first, end = self.slice(node)
            if node.kind not in self.grammar.loops:
                sign = self.find(_ASSIGNS, (first, end))
                if sign is not None:
                    typed = self.find(_COLON, (first, sign)) if self.language == "python" else None
                    found.append(Assignment((first, typed or sign), (sign + 1, end), node))
            elif (loop := self._loop(first, end, node)) is not None:
                found.append(loop)
        # ``if let x = y``
        for first, end in self.conditions:
            sign = self.find(frozenset(("=",)), (first, end))
            if sign is not None and self.words[first] in ("let", "var"):
                found.append(Assignment((first + 1, sign), (sign + 1, end), self.tree.nodes[0]))
        return found

    def _loop(self, first: int, end: int, node: Node) -> Assignment | None:
        if self.language == "python":
            between = self.find(frozenset(("in",)), (first, end))
            stop = self.find(_COLON, (between or first, end)) or end
            return Assignment((first + 1, between), (between + 1, stop), node) if between is not None else None
        opening = self.find(frozenset(("(",)), (first, min(first + 3, end)))
        inside = (opening + 1, self.closing.get(opening, end)) if opening is not None else (first + 1, end)
        if node.kind == "range_clause":
            inside = first, end
        body = self.find(frozenset(("{", "do")), inside)
        inside = inside[0], body if body is not None else inside[1]
        between = self.find(_PASSED_ON, inside)
        if between is None:
            return None
        left, right = (inside[0], between), (between + 1, inside[1])
        return Assignment(right, left, node) if self.language == "php" else Assignment(left, right, node)

    def names_in(self, target: Slice) -> list[str]:
        """The names that an assignment gives a value, without types. An attribute of something is none."""
        # ``[first, second] = …`` gives names to what is in a list.
        first = target[0] + (self.words[target[0]] == "[")
        if self.find(_OF, (first, target[1])) is not None:
            return []
        colon = self.find(frozenset((":",)), target)
        words = self.words[target[0] : colon if colon is not None else target[1]]
        return [word for word in words if _is_name(word) and word not in _MODIFIERS]


def _is_name(word: str) -> bool:
    return word[0].isalpha() or word[0] in "_$@"
