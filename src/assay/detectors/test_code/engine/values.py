"""What names stand for: constants that are bound once, and values that are written out where a name is used."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.demand import Demand
from assay.detectors.test_code.engine.literals import is_literal, is_text, number, spelled
from assay.detectors.test_code.engine.parts import FUNCTIONS, Part
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.reading import Reading

BINDING = re.compile(
    r"\s*+(?:(?:let|var|val|const|static|final|lateinit|private|public|internal|protected|fileprivate|override|readonly"
    r"|pub(?:\([^)]*\))?|mut|ref)\s++)*+"
    r"(?:(?:this|self|globalThis|global|window)\.)?([$@]{0,2}[^\W\d][\w$]*+)\s*+"
    r"(?::(?![:=])[^=;]{1,80}|[\w.\[\]*<>?]{1,80}\s)?\s*+:?=(?![=>~])\s*+"
)
_LEFT = re.compile(r"[$@]{0,2}[^\W\d][\w$]*")
_NAME = re.compile(r"[$@]{0,2}[A-Za-z_$][\w$]*\Z")
_CALLED = re.compile(r"[^\W\d]\w*\Z")
_MAKERS = word_set(
    "of asList from to_string to_owned into vec Some Ok singletonList valueOf new listOf arrayOf setOf mapOf"
)
_TYPES = word_set("int long double float string byte char bool boolean short str String List Set Map")
_FAR, _LONGEST, _LONGEST_CONSTANT, _LONGEST_LEFT = 200, 2000, 200, 200


class Values:
    """The names of one file."""

    def __init__(self, reading: "Reading") -> None:
        self._reading = reading
        self._bound: dict[str, dict[Node | None, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        self._times: Counter[str] = Counter()
        self._mentioned: Counter[str] | None = None
        self.constants: dict[str, str] = dict(reading.language.known)
        """Names that are bound once in the file, to a literal."""
        self.lists: dict[str, tuple[int, int]] = {}
        """Where the value of a name is written that is bound once, to a list."""
        for node in reading.tree.nodes:
            if node.part is Part.BINDING:
                self._bind(node)
            elif node.part is Part.ASSIGNMENT:
                self._unsettle(node)
        for name in [name for name, times in self._times.items() if times > 1]:
            self.constants.pop(name, None)
            self.lists.pop(name, None)

    def _bind(self, node: Node) -> None:
        text = self._reading.tree.text
        found, end = BINDING.match(text, node.start, node.end), node.end
        if found is None:
            found = self._reading.language.heads.bound.match(text, node.start, node.end)
            end -= 0 if found is None else 1 if found["opened"] == "{" else len("end")
        if found is None:
            self._unsettle(node)
            return
        name, start = found[1], found.end()
        self._times[name] += 1
        self._bound[name][self._function(node)].append((start, end))
        if text[start : start + 1] in "[{" or text[start : start + 2] == "&[":
            self.lists[name] = (start, end)
        elif end - start < _LONGEST_CONSTANT:
            words = self._reading.words(start, end)
            if words and words[-1] == ";":
                words = words[:-1]
            if len(words) <= 2 and is_literal(words) and (number(words) is not None or len(words) == 1):
                self.constants[name] = "".join(words)
            elif words and words[-1] in ("]", "}", ")"):
                self.lists[name] = (start, end)

    def _unsettle(self, node: Node) -> None:
        """Several names at once, or a name that gets another value: none of them is a constant."""
        text = self._reading.tree.text
        left = re.split(
            r"[-+*/%&|^<>]?=(?!=)", text[node.start : min(node.end, node.start + _LONGEST_LEFT)], maxsplit=1
        )
        for name in _LEFT.findall(left[0]):
            self._times[name] += 2
            self._bound[name][self._function(node)] += [(node.end, node.end)] * 2

    def _function(self, node: Node) -> Node | None:
        return next((each for each in islice(node.ancestors(), _FAR) if each.part in FUNCTIONS), None)

    def mentions(self, name: str) -> int:
        """How often a name stands in the file."""
        if self._mentioned is None:
            self._mentioned = Counter(_LEFT.findall(self._reading.tree.text))
        return self._mentioned[name]

    def settled(self, demand: Demand, used: Node) -> Demand:
        """What is demanded, with the value in place of its name; nothing where that is the subject itself."""
        name = demand.expected
        if name is None or demand.strength < Strength.CLOSE:
            return demand
        value = self.of(name, used)
        expected = name if value is None else value
        if expected == self._literal(demand.subject, used):
            return replace(demand, strength=Strength.VACUOUS, expected=expected)
        return demand if value is None else replace(demand, expected=expected)

    def of(self, name: str, used: Node) -> str | None:
        """The text of what a name stands for where it is used; None where that is not written out."""
        if name not in self._bound or not _NAME.match(name):
            return None
        bound = self._bound[name]
        functions = [each for each in islice(used.ancestors(), _FAR) if each.part in FUNCTIONS]
        for function in (*functions, None):
            if function in bound:
                places = bound[function]
                return self._spelled(*places[0]) if len(places) == 1 else None
        return None

    def _literal(self, name: str, used: Node) -> str | None:
        """The text of a single literal, which nothing can change behind its name."""
        value = self.of(name, used)
        return value if value is not None and (is_text(value) or number([value]) is not None) else None

    def _spelled(self, start: int, end: int) -> str | None:
        if not 0 < end - start < _LONGEST:
            return None
        words = [word for word in self._reading.words(start, end) if word != ";"]
        if not any(_is_value(word) for word in words) and words not in (["[", "]"], ["{", "}"]):
            return None
        written = all(
            is_literal([word])
            or word in _MAKERS
            or not _CALLED.match(word)
            or _is_type(word, words[at + 1 : at + 2])
            for at, word in enumerate(words)
        )
        if self._reading.language.braces and words[0] == "{":
            words = ["new", *words]
        return spelled(words) if written else None


def _is_value(word: str) -> bool:
    return is_text(word) or (is_literal([word]) and word[0].isalnum())


def _is_type(word: str, following: list[str]) -> bool:
    """A word before a bracket or a dot that is a type, or the name of a field or a label."""
    if following in ([":"], ["="]):
        return True
    typed = word[0].isupper() or word in _TYPES
    return typed and (not following or following[0] in (",", ".", "(", "<", ">", "[", "{", "::", "]"))
