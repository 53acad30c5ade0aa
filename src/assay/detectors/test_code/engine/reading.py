"""One file while it is read: its tree, its calls, what its names mean, its scopes."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TypeVar, cast

from assay.detectors.test_code.engine.bound import Bound
from assay.detectors.test_code.engine.expressions.calls import Call, Names, calls
from assay.detectors.test_code.engine.expressions.chains import Link, chain
from assay.detectors.test_code.engine.expressions.literals import number
from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS, STATEMENTS, Part
from assay.detectors.test_code.engine.expressions.replacing import Replacing
from assay.detectors.test_code.engine.expressions.truth import comparison, truth
from assay.detectors.test_code.engine.expressions.values import Values, bound_in
from assay.detectors.test_code.engine.expressions.words import (
    bare,
    joined,
    simplified,
    split,
    told,
    words,
    words_in,
)
from assay.detectors.test_code.engine.following import Following
from assay.detectors.test_code.engine.language import Branches, Language
from assay.detectors.test_code.engine.rules import FileFacts
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.tree import Node, ParsedText, parse_parts
from assay.detectors.test_code.word_sets import word_set

Known = TypeVar("Known")
FAR = 200
"""How far up a search goes: nobody writes code that is nested more deeply."""
LONGEST = 20_000
TALKS = word_set(
    "System out err log logger LOG LOGGER Console console Debug Trace print println puts fmt printf echo"
)
_LONGEST_HEAD = 2000
_KEYWORD = re.compile(r"\s*+(?:(?:else\s+)?(?:if|while|until|unless|elsif|elif|elseif|guard|foreach|for)\b\s*+)?+")
_PLAIN = re.compile(
    r"\s*+(?:\?\.|&\.|\.|::|->|\?->)?\s*+[$@]*+\w++[?!]?(?:\s*+(?:\?\.|&\.|\.|::|->|\?->|!!\.)\s*+\$?\w++[?!]?)*+\s*+\Z"
)
_NAME = re.compile(r"[$@]*\w+[?!]?")
_LAST = re.compile(r"(?:\.|->)\s*(\w+[?!]?)\s*\Z")
_TYPES = re.compile(r"(?:::)?<[^()]*>\s*\Z")


class Reading:
    """The facts about a file."""

    def __init__(self, language: Language, text: str) -> None:
        self.language = language
        quirks = language.quirks
        self.tree: ParsedText = quirks.parse(text) if quirks.parse else parse_parts(text, language.grammar)
        self.calls: dict[Node, Call] = calls(self.tree, language.grammar.arguments, quirks.names or names_of)
        self.notes: dict[object, object] = {}
        """What the quirks of a language remember."""
        self.handles: set[str] = set()
        """The names of what stands for the test itself, in a language that hands it around."""
        self.panics: set[Node | None] = set()
        """Functions that fail wherever they are reached."""
        self._words: dict[tuple[int, int], list[str]] = {}
        self._heads: dict[Node, Branches | None] = {}
        self._asked: dict[Node, list[str]] = {}
        self._truths: dict[Node, bool | None] = {}
        self.rows: dict[Node, list[Bound] | None] = {}
        """What names are in each round of the loops that somebody asked about."""
        self.values = Values(self)
        self._resolve = quirks.resolve(self) if quirks.resolve else None
        self.scopes: list[CodeScope] = [CodeScope(Role.FILE, "", 1, self.tree.line(len(self.tree.text)))]
        self.scope_of: dict[Node, CodeScope] = {self.tree.nodes[0]: self.scopes[0]}
        self.left: set[Node] = set()
        """Whatever is tried and left where nothing was caught."""
        self.tests: set[Node] = set()
        """The nodes that declare tests, groups and hooks."""

    @cached_property
    def replacing(self) -> Replacing:
        return Replacing(self)

    @cached_property
    def following(self) -> Following:
        return Following(self)

    def parameters(self, takes: str) -> tuple[str, ...]:
        """The names of the parameters of a function, without its own object."""
        pattern = self.language.heads.parameter
        found = [pattern.search(joined(part)) for part in split(self.words_in(takes))] if takes else []
        names = tuple(each[1] if each is not None else "" for each in found)
        own = names[:1] and (names[0] in self.language.heads.receivers or names[0] in self.handles)
        return names[1:] if own else names

    def talks(self, call: Call) -> bool:
        """Whether a call only says something to people."""
        return bool(call.names) and (call.names[0] in TALKS or call.names[0] in self.handles)

    @cached_property
    def set_up(self) -> list[Node]:
        """Code run before each test."""
        return [each.node for each in self.scopes if each.role is Role.HOOK and each.node is not None]

    @cached_property
    def left_early(self) -> set[Node]:
        """Functions that may be left on a condition before their end."""
        leaving = (
            each for each in self.tree.nodes if each.part is Part.RETURN and each.conditional and not each.dead
        )
        return {around for each in leaving if (around := self.function_around(each)) is not None}

    @cached_property
    def facts(self) -> FileFacts:
        return FileFacts(self.values.constants, self.language.logic, self.language.broad)

    def words(self, start: int, end: int) -> list[str]:
        """The words of a piece of the file. The list is shared and must not be changed."""
        found = self._words.get((start, end))
        if found is None:
            found = self._words[(start, end)] = self._read_words(start, end)
        return found

    def _read_words(self, start: int, end: int) -> list[str]:
        """The words of a piece of the file. The list may be shared and must not be changed."""
        end = min(end, start + LONGEST)
        own = self.language.quirks.words
        return own(self.tree, start, end) if own else words(self.tree, self.language.lexicon, start, end)

    def words_of(self, node: Node) -> list[str]:
        return self.words(node.start, node.end)

    def words_in(self, text: str) -> list[str]:
        """The words of a text that stands by itself."""
        return words_in(self.language.lexicon, text)

    def words_told(self, text: str) -> list[str]:
        """The words of a text that was put together from words."""
        return words_in(told(self.language.lexicon), text)

    def chain(self, found: list[str]) -> list[Link]:
        return chain(found, self.language.trailing)

    def links(self, call: Call) -> list[Link]:
        return self.chain(self.words_of(call.node))

    def is_received(self, call: Call, names: Names, receivers: frozenset[str] | None) -> bool:
        """Whether a call is made on one of these, or on what stands for the test; None is anything."""
        if receivers is None:
            return True
        if call.inner is not None and len(call.names) == 1:
            before = call.inner.names[-1] if call.inner.names else ""
        else:
            before = names[-2] if len(names) > 1 else ""
        return before in receivers or before in self.handles

    def without_handle(self, link: Link) -> Link:
        """The arguments without the ``t`` that some languages hand to every assertion."""
        if not link.arguments:
            return link
        first = joined(link.arguments[0])
        handed = first in self.handles or self.language.handle.match(first)
        return replace(link, arguments=link.arguments[1:]) if handed else link

    def text(self, node: Node, longest: int = 200) -> str:
        """A piece of source on one line, for people to read."""
        return " ".join(self.tree.text[node.start : min(node.end, node.start + longest)].split())

    def line(self, node: Node) -> int:
        return self.tree.line(node.start)

    def names(self, call: Call) -> Names:
        """The names of the innermost call of a chain, with aliases replaced."""
        return self._resolve(call.root.names) if self._resolve else call.root.names

    def truth(self, found: list[str]) -> bool | None:
        always = truth(found, self.values.constants, self.language.logic.falsy)
        return self._by_age(found) if always is None and self.language.oldest else always

    def _by_age(self, found: list[str]) -> bool | None:
        """Whether something newer than all that still runs is asked for what only older ones are."""
        compared = comparison(found)
        oldest = self.language.oldest.get(joined(compared.left)) if compared is not None else None
        bounds = [number(each) for each in split(bare(compared.right)[1:-1])] if compared and oldest else []
        if not bounds or None in bounds or tuple(bounds) >= oldest:  # type: ignore[operator]
            return None
        return compared.operator in (">", ">=", "!=") if compared is not None else None

    def scope_around(self, node: Node) -> CodeScope:
        return self.scope_of[node.parent] if node.parent is not None else self.scopes[0]

    def function_around(self, node: Node) -> Node | None:
        return function_around(node)

    def head(self, call: Call) -> list[list[str]]:
        """The arguments of a call before the function that it is handed."""
        given = call.arguments
        if given is None or given.part is not Part.GIVEN:
            return []
        body = given.part_child(Part.CLOSURE)
        bracket = 1 if self.tree.text[given.start] in "([{" else 0
        end = min(body.start if body is not None else given.end - bracket, given.start + _LONGEST_HEAD)
        found = self.words(given.start + bracket, end)
        return split(found[1:-1] if not bracket and found[:1] == ["("] else found)

    def branches(self, node: Node) -> Branches | None:
        """The condition of an if or a loop and what it decides on."""
        if node not in self._heads:
            own = self.language.quirks.branches
            found = own(self.tree, node) if own else None
            self._heads[node] = found or _branches(node)
        return self._heads[node]

    def asked(self, node: Node) -> list[str]:
        """The words of the condition of an if or a loop."""
        if node not in self._asked:
            found = self.branches(node)
            self._asked[node] = [] if found is None else self._condition(found)
        return self._asked[node]

    def _condition(self, found: Branches) -> list[str]:
        start, end = found.start, min(found.end, found.start + _LONGEST_HEAD)
        start = _KEYWORD.match(self.tree.text, start, end).end()  # type: ignore[union-attr]
        if ";" in self.tree.text[start:end] and self.language.quirks.words is None:
            # A statement may stand before the condition.
            raw = self.language.lexicon.words(self.tree.text, start, end)
            words = simplified(split(raw, ";")[-1])
        else:
            words = self.words(start, end)
        while words and words[-1] in ("{", "else", ":", "do", "then"):
            words = words[:-1]
        return bare(words)

    def head_bound(self, node: Node) -> Bound:
        """The value of a name bound right before a condition: ``if got := f(1); got != 3``."""
        found = self.branches(node)
        binding = node.part_child(Part.BINDING)
        if found is None or binding is None or not found.start <= binding.start < found.end:
            return {}
        made = bound_in(self, binding)
        return {made[0]: self.words(made[1], made[2])} if made is not None else {}

    def loop_head(self, found: Branches) -> list[str]:
        """The words of the head of a loop over the elements of something, however long its list is."""
        start = _KEYWORD.match(self.tree.text, found.start, found.end).end()  # type: ignore[union-attr]
        words = self.words(start, found.end)
        while words and words[-1] in ("{", ":", "do", "then"):
            words = words[:-1]
        return bare(words)

    def decided(self, node: Node) -> bool | None:
        """Whether the first branch of an if always or never runs; None where that depends."""
        if node not in self._truths:
            found = self.branches(node)
            value = self.truth(self.asked(node))
            turned = found is not None and found.unless
            self._truths[node] = (not value) if turned and value is not None else value
        return self._truths[node]


def noted(make: Callable[[Reading], Known]) -> Callable[[Reading], Known]:
    """Cache a fact about a file."""

    def known(reading: Reading) -> Known:
        if make not in reading.notes:
            reading.notes[make] = make(reading)
        return cast("Known", reading.notes[make])

    return known


def function_around(node: Node) -> Node | None:
    """The function that a node stands in, unless that is very far up."""
    around = node.parent
    for _ in range(FAR):
        if around is None or around.part in FUNCTIONS:
            return around
        around = around.parent
    return None


def _branches(node: Node) -> Branches | None:
    head = node.part_child(Part.HEAD)
    bodies = [
        child for child in node.children if child.part in STATEMENTS and (head is None or child.start >= head.end)
    ]
    unless = node.part is Part.UNLESS
    if head is not None:
        after = head.end
        start, end = head.start, head.end
    elif bodies:
        after = bodies[0].start
        start, end = node.start, after
    else:
        return None
    if bodies and bodies[0].part is Part.ELSE:
        return Branches(start, end, None, bodies, after, unless)
    return Branches(start, end, bodies[0] if bodies else None, bodies[1:], after, unless)


def names_of(text: str) -> Names:
    """The names in a callee; the last one where something else comes before it."""
    if len(text) > 400:
        return ()
    if "<" in text:
        text = _TYPES.sub("", text.rstrip())
    if _PLAIN.match(text):
        return tuple(_NAME.findall(text))
    last = _LAST.search(text)
    return ("", last[1]) if last is not None else ()
