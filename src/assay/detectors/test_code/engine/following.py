"""The values of names where they are used: the value written last, followed to where it came from.

A name that a branch, a loop or another function may have set since is left as it is.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.bindings import (
    Binding,
    Followed,
    Returned,
    binds_in_function,
    choices_around,
    count_relations,
    function_around,
    is_chained_call,
    is_container,
    is_same_value,
    is_within,
)
from assay.detectors.test_code.engine.bound import (
    DOTS,
    NOTHING_BOUND,
    Bound,
    is_name,
    is_no_name,
    is_operand,
    kept_together,
    put_in,
)
from assay.detectors.test_code.engine.demand import FAILURES, Demand
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.chains import chain
from assay.detectors.test_code.engine.expressions.literals import is_literal, spelled
from assay.detectors.test_code.engine.expressions.parts import BRANCHING, FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.expressions.values import bound_in
from assay.detectors.test_code.engine.expressions.words import joined, simplified, split
from assay.detectors.test_code.model import Strength
from assay.detectors.test_code.tree import Node

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.reading import Reading

_FAR, _DEEPEST, _LONGEST, _MOST_WORDS = 200, 6, 2000, 120
_MEMBER = re.compile(r"([^\W\d]\w*+(?:\.[^\W\d]\w*+)++)\s*+=(?!=)\s*+")
_PLAIN = re.compile(r"[^\W\d][\w$]*")
"""What may be a name, without the signs before it: read faster than words are."""
_LEFT = re.compile(r"[$@]{0,2}[^\W\d]\w*")
_OF_A_CLASS = (["."], ["::"])
_PATTERN = re.compile(r"(?:\A|\()/")
"""A regular expression, whose words are no names."""


class Following:
    """The names of one file."""

    def __init__(self, reading: "Reading") -> None:
        self._reading = reading
        self._bindings: dict[str, list[Binding]] = defaultdict(list)
        self._returned: dict[str, Returned | None] = {}
        self._members: dict[str, list[Binding]] = defaultdict(list)
        self._values: dict[tuple[str, Node], Followed | None] = {}
        self._filled: dict[tuple[str, Node, bool], list[str]] = {}
        for node in reading.tree.nodes:
            if node.part in (Part.BINDING, Part.ASSIGNMENT):
                self._bind(node)
            elif node.part is Part.FUNCTION:
                self._return(node)
        self._within: dict[tuple[str, Node | None], list[Binding]] = defaultdict(list)
        self._assigned: dict[str, list[Binding]] = defaultdict(list)
        for name, each in ((name, each) for name, known in self._bindings.items() for each in known):
            self._within[name, each.function].append(each)
            if each.node.part is Part.ASSIGNMENT:
                self._assigned[name].append(each)
        kept = {name for name, found in self._returned.items() if found is not None}
        roots = {name.partition(".")[0] for name in self._members}
        self._names = frozenset((*self._bindings, *kept, *roots, *reading.language.heads.receivers))
        self._plain = frozenset(name.lstrip("$@") for name in self._names)

    def _bind(self, node: Node) -> None:
        found = None if self._replaces(node) else bound_in(self._reading, node)
        if found is None:
            self._unsettle(node)
        else:
            self._bindings[found[0]].append(Binding(node, found[1], found[2], function_around(node)))

    def _replaces(self, node: Node) -> bool:
        """Whether a member of something gets another value: ``shop.add = lambda *_: 3``."""
        found = _MEMBER.match(self._reading.tree.text, node.start, node.end)
        if found is None or found[1].partition(".")[0] in self._reading.language.heads.receivers:
            return False
        self._members[found[1]].append(Binding(node, found.end(), node.end, function_around(node)))
        return True

    def _unsettle(self, node: Node) -> None:
        left = re.split(r"[-+*/%&|^<>]?=(?!=)", self._reading.tree.text[node.start : node.end][:200], maxsplit=1)
        for name in _LEFT.findall(left[0]):
            self._bindings[name].append(Binding(node, node.end, node.end, function_around(node)))

    def _return(self, node: Node) -> None:
        """Remember a function that only returns something."""
        body = node.part_child(Part.BLOCK)
        read = self._reading.language.heads.function.match(self._reading.tree.text, node.start)
        if body is None or read is None:
            return
        name = read["name"]
        if name in self._returned or len(body.children) != 1 or body.children[0].part is not Part.RETURN:
            self._returned[name] = None
            return
        only = body.children[0]
        words = self._reading.words(only.start, only.end)[1:]
        takes = read["takes"] or ""
        self._returned[name] = Returned(self._reading.parameters(takes), words) if words else None

    def returned(self, words: list[str]) -> list[str]:
        """The words that a function of this file does nothing but return, for a call of it: ``is_fine(x)``."""
        if len(words) < 3 or words[-1] != ")" or not is_name(words[0]):
            return words
        opened = 3 if words[1] in DOTS and words[0] in self._reading.language.heads.receivers else 1
        found = self._returned.get(words[opened - 1])
        if found is None or words[opened] != "(" or closing(words, opened) != len(words) - 1:
            return words
        given = split(words[opened + 1 : -1])
        return put_in(found.words, dict(zip(found.parameters, given, strict=False)))

    def only_returns(self, name: str) -> list[str] | None:
        """The value of a function without parameters that only returns it."""
        found = self._returned.get(name)
        return found.words if found is not None and not found.parameters else None

    def value(self, name: str, used: Node) -> Followed | None:
        """The value of a name at one place; None where it is not known."""
        if name not in self._bindings:
            return None
        if (name, used) not in self._values:
            self._values[(name, used)] = self._value(name, used)
        return self._values[(name, used)]

    def _value(self, name: str, used: Node) -> Followed | None:
        assigned = self._assigned.get(name, ())
        for function in (*(each for each in islice(used.ancestors(), _FAR) if each.part in FUNCTIONS), None):
            here = [each for each in self._within.get((name, function), ()) if not each.node.dead]
            if here:
                elsewhere = [
                    each
                    for each in assigned
                    if each.function is not function
                    and binds_in_function(each, function)
                    and not self._is_own(name, each)
                ]
                return self._set_once(elsewhere) if elsewhere else self._last(here, used, function)
            if function is not None and name in self._parameters(function):
                return None
        return None

    def _is_own(self, name: str, binding: Binding) -> bool:
        """Whether the function that sets a name sets its own parameter of that name."""
        return binding.function is not None and name in self._parameters(binding.function)

    def _set_once(self, elsewhere: list[Binding]) -> Followed | None:
        """A name's value if only one other function sets it, like one that sets a test up."""
        only = elsewhere[0]
        return (
            self._followed(only) if len(elsewhere) == 1 and not choices_around(only.node, only.function) else None
        )

    def _parameters(self, function: Node) -> tuple[str, ...]:
        body = function.part_child(Part.BLOCK)
        end = min(body.start if body is not None else function.end, function.start + 400)
        return tuple(_LEFT.findall(self._reading.tree.text[function.start : end]))

    def _last(self, known: list[Binding], used: Node, function: Node | None) -> Followed | None:
        """The value that was written last before a place, if nothing else can have come in between."""
        if function is None or function_around(used) is not function:
            # What is read in another function may have been set at any time.
            return (
                self._followed(known[0])
                if len(known) == 1 and not choices_around(known[0].node, function)
                else None
            )
        head = self._reading.branches(used) if used.part in BRANCHING else None
        place = head.end if head is not None else used.start
        before = known[: bisect_left(known, place, key=lambda each: each.node.start)]
        loop = next(
            (each for each in islice(used.ancestors(), _FAR) if each.part in LOOPS or each is function), None
        )
        again = loop is not None and loop.part in LOOPS
        if not before or (again and any(is_within(each.node, loop) for each in known[len(before) :])):
            return None
        last = before[-1]
        around = {used, *islice(used.ancestors(), _FAR)}
        if all(each in around or self._always(each, last.node) for each in choices_around(last.node, function)):
            return self._followed(last)
        return self._either(before, function)

    def _followed(self, binding: Binding) -> Followed | None:
        words = self._words(binding)
        return Followed(words, binding.node) if words is not None else None

    def _always(self, choice: Node, node: Node) -> bool:
        """Whether a node in a branch is come to in any case."""
        return choice.part in BRANCHING and self._reading.decided(choice) is not None and not node.conditional

    def _either(self, before: list[Binding], function: Node | None) -> Followed | None:
        """``x = f()`` and, under a condition or by a handler, ``x = 3``: what is expected may have been put in."""
        if len(before) < 2:
            return None
        handles = [each for each in choices_around(before[-1].node, function) if each.part is Part.TRY]
        if any(each not in handles for each in choices_around(before[-2].node, function)):
            return None
        one, other = self._words(before[-2]), self._words(before[-1])
        both = ["(", *one, "or", *other, ")"] if one and other and is_literal(other) else []
        return Followed(both, before[-2].node) if both else None

    def _words(self, binding: Binding) -> list[str] | None:
        start, end = binding.start, binding.end
        if not 0 < end - start < _LONGEST:
            return None
        words = self._chosen([word for word in self._reading.words(start, end) if word != ";"])
        if "=" in words and words[0] != "{" and is_chained_call(words):
            return None
        return ["new", *words] if self._reading.language.braces and words[0] == "{" else words

    def _chosen(self, words: list[str]) -> list[str]:
        """``3 if True else f()`` and ``true ? 3 : f()`` are 3."""
        if "else" in words and "if" in words[: words.index("else")]:
            asked, other = words.index("if"), words.index("else")
            first, condition, second = words[:asked], words[asked + 1 : other], words[other + 1 :]
        elif "?" in words and ":" in words[words.index("?") :]:
            asked = words.index("?")
            other = words.index(":", asked)
            first, condition, second = words[asked + 1 : other], words[:asked], words[other + 1 :]
        else:
            return words
        always = self._reading.truth(condition)
        return words if always is None or not first else first if always else second

    def filled(self, words: list[str], used: Node, *, containers: bool, depth: int = 0) -> list[str]:
        """An expression with what its names stand for."""
        if self._names.isdisjoint(words) or depth > _DEEPEST or len(words) > _MOST_WORDS:
            return words
        out: list[str] = []
        at, loose = 0, "+" in words
        while at < len(words):
            word = words[at]
            if word not in self._names:
                out.append(word)
                at += 1
                continue
            if word in self._reading.language.heads.receivers and (member := self._member(words, at)):
                out += kept_together(member)
                at, loose = at + 3, True
                continue
            if self._members and (stood_in := self._stand_in(words, at, used)) is not None:
                out += stood_in[0]
                at, loose = stood_in[1] + 1, True
                continue
            value = None if is_no_name(words, at) else self._value_at(words, at, used)
            if value is None or not value.words or (not containers and is_container(value.words)):
                out.append(word)
            elif words[at + 1 : at + 2] == ["("]:
                end = closing(words, at + 1)
                result = self._called(value.words)
                out += result if result is not None else words[at : at + 1]
                at = end if result is not None else at
                loose = True
            else:
                put = self.filled(value.words, value.node, containers=True, depth=depth + 1)
                loose = loose or not is_operand(put)
                out += kept_together(put)
            at += 1
        if len(out) > _MOST_WORDS * 4:
            return words
        return simplified(out) if loose else out

    def _stand_in(self, words: list[str], at: int, used: Node) -> tuple[list[str], int] | None:
        """The value of a call whose function the test has replaced before: ``shop.add = lambda *_: 3``."""
        end = at
        while words[end + 1 : end + 2] == ["."] and end + 2 < len(words):
            end += 2
        if end == at or words[end + 1 : end + 2] != ["("] or (at and words[at - 1] in DOTS):
            return None
        known = self._members.get("".join(words[at : end + 1]), ())
        function = function_around(used)
        before = [each for each in known if each.function is function and each.node.start < used.start]
        if not before or before[-1].node.dead or choices_around(before[-1].node, function):
            return None
        value = self._words(before[-1])
        result = self._called(value) if value else None
        return (result, closing(words, end + 1)) if result is not None else None

    def _member(self, words: list[str], at: int) -> list[str] | None:
        """A value a class sets once for all its methods: ``self.LIMIT``, ``self::LIMIT``."""
        if words[at + 1 : at + 2] not in _OF_A_CLASS or words[at + 3 : at + 4] == ["("] or len(words) < at + 3:
            return None
        known = self._bindings.get(words[at + 2], ())
        if len(known) != 1:
            return None
        if known[0].function is not None:
            return self._set_up(known[0])
        held = any(each.part is Part.CLASS for each in islice(known[0].node.ancestors(), 2))
        return self._words(known[0]) if held else None

    def _set_up(self, binding: Binding) -> list[str] | None:
        """The value that a test's setup gives its own object, where the test itself says it."""
        around = set(islice(binding.node.ancestors(), _FAR))
        value = self._words(binding) if not around.isdisjoint(self._reading.set_up) else None
        return (
            value if value and is_literal(value) and not choices_around(binding.node, binding.function) else None
        )

    def _value_at(self, words: list[str], at: int, used: Node) -> Followed | None:
        value = self.value(words[at], used)
        if value is None and words[at + 1 : at + 2] == ["("] and words[at] not in self._bindings:
            found = self._returned.get(words[at])
            literal = found is not None and is_literal(found.words)
            return Followed(["lambda", ":", *found.words], used) if literal and found is not None else None
        return value

    def _called(self, value: list[str]) -> list[str] | None:
        """The value of calling a stub: something that the test itself says."""
        for arrow in ("=>", ":"):
            if arrow in value and (arrow == "=>" or value[0] == "lambda"):
                body = value[value.index(arrow) + 1 :]
                return body if is_literal(body) else None
        last = chain(value)[-1]
        if last.name not in self._reading.language.stubs or last.labelled("wraps", "side_effect"):
            return None
        return last.labelled("return_value") or ['"a stub"']

    def settled(self, demand: Demand, used: Node, bound: Bound = NOTHING_BOUND) -> Demand:
        """The demand with the values of names put in; nothing where that is the test's own doing."""
        if self._reading.replacing.asks_own(demand.subject, used):
            return replace(demand, strength=Strength.VACUOUS)
        if demand.subject in FAILURES or not self._says_more(demand, bound):
            return demand
        subject = self._filled_text(demand.subject, used, bound, containers=False)
        expected: list[str] | None = None
        if demand.expected is not None:
            expected = self._filled_text(demand.expected, used, bound, containers=True)
        found = self._told(demand, subject, expected)
        if found.strength is Strength.VACUOUS or not subject:
            return found
        if expected is not None and found.subject.endswith((f" or {found.expected}", f" or {found.expected})")):
            return replace(found, strength=min(found.strength, Strength.PRESENCE))
        own = is_literal(subject) and found.subject != demand.subject
        wanted = expected[count_relations(joined(expected or [])) :] if expected else []
        same = found.strength >= Strength.CLOSE and subject == expected
        if same or (own and (not wanted or is_literal(wanted))):
            return replace(found, strength=Strength.VACUOUS)
        return found

    def _says_more(self, demand: Demand, bound: Bound) -> bool:
        """Whether a demand has a name in it that stands for something."""
        words_in = self._reading.words_told
        for text in (demand.subject, demand.expected):
            plain = _PLAIN.findall(text) if text else []
            if self._plain.isdisjoint(plain) and not any(name.lstrip("$@") in plain for name in bound):
                continue
            words = words_in(text or "")
            if not self._names.isdisjoint(words) or not bound.keys().isdisjoint(words):
                return True
        return False

    def _told(self, demand: Demand, subject: list[str], expected: list[str] | None) -> Demand:
        """The demand with other words; what stays as it is keeps its text."""
        words_in = self._reading.words_told
        told = demand.subject if is_same_value(subject, words_in(demand.subject)) else joined(subject)
        if expected is None or demand.expected is None:
            return replace(demand, subject=told)
        same = is_same_value(expected, words_in(demand.expected))
        return replace(demand, subject=told, expected=demand.expected if same else spelled(expected))

    def _filled_text(self, text: str, used: Node, bound: Bound, *, containers: bool) -> list[str]:
        key = (text, used, containers)
        filled = self._filled.get(key)
        if filled is None:
            words = self._reading.words_told(text)
            told = _PATTERN.search(text)
            filled = self._filled[key] = words if told else self.filled(words, used, containers=containers)
        return put_in(filled, bound) if bound else filled
