"""Peculiarities of tests in Ruby: groups and examples, visibility, what keeps a whole run from counting."""

import re
from itertools import islice

from assay.detectors.test_code.engine.demand import WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import DeclaredPart, Declaring, roles
from assay.detectors.test_code.engine.marks import Function
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rows import rows_of
from assay.detectors.test_code.engine.scopes import CodeScope, Role, title
from assay.detectors.test_code.languages.ruby.asserts import EXPECTING, TO
from assay.detectors.test_code.languages.ruby.words import BLOCKS
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_INCLUDED = word_set("it_behaves_like it_should_behave_like include_examples")
DECLARING = Declaring(
    calls=roles(
        TEST="it specify example scenario its test should it_behaves_like it_should_behave_like include_examples",
        SUITE="describe context feature example_group shared_examples shared_examples_for shared_context",
        HOOK="before after around setup teardown background prepend_before append_after",
    ),
    prefixes={"x": "skip", "f": "focus"},
)
_METADATA = {"skip": "skip", "pending": "xfail", "focus": "focus", "if": "if", "unless": "unless"}
_WITH_BLOCK = word_set("should test focus define_method")
HOOK_METHODS = word_set("setup teardown before_setup after_teardown startup shutdown after_setup")
_OVERRIDES = word_set("runnable_methods test_methods run run_test methods_matching")
REPEATING = word_set(
    "each map each_with_index each_pair flat_map each_with_object times upto each_slice each_entry all? any?"
)
_COLLECTED = re.compile(r"test_?\w+[?!=]?\Z")
_TESTLIKE = re.compile(r"test", re.IGNORECASE)
_TAKEN_AWAY = re.compile(r"^[ \t]*(?:undef_method|remove_method|undef)\b[ \t(]*:?(test\w+)", re.MULTILINE)
_DEFINES_TEST = re.compile(r"""define_method\s*+\(?\s*+(?::|:?["'])test_""")
_SENT = re.compile(r"""(?:self\.)?(?:public_|__)?send(?:__)?\s*+\(?\s*+:?["']?(\w+)""")
_ENDING = word_set("exit exit! abort at_exit")
_SENDING = word_set("send public_send __send__")
_CUSTOM = re.compile(r"(?:expect|verify|check|assert|refute)_\w+\Z")
_LONGEST_TITLE = 300


def call(reading: Reading, found: Call, scope: CodeScope) -> DeclaredPart | None:
    """``describe``, ``it``, ``before`` and their like."""
    names = found.names
    if len(names) == 2 and names[0] == "RSpec":
        names = names[1:]
    if found.inner is not None or len(names) != 1 or scope.role not in (Role.FILE, Role.SUITE):
        return None
    word = names[0]
    role, _, kind = DECLARING.called(word)
    if role is None and scope.role is Role.SUITE and word in ("skip", "pending", "focus"):
        role, kind = Role.TEST, _METADATA[word]
    elif role is None and scope.role is Role.SUITE and word == "define_method":
        role = Role.TEST if _DEFINES_TEST.match(reading.tree.text, found.node.start) else None
    if role is None or not _declares(found, role, word):
        return None
    return _declared(reading, found, role, kind)


def _declares(found: Call, role: Role, word: str) -> bool:
    has_block = found.node.child(*BLOCKS) is not None
    if role is not Role.TEST or word in _WITH_BLOCK:
        return has_block
    named = found.arguments is not None and found.arguments.part is Part.GIVEN
    return named or has_block


def _declared(reading: Reading, found: Call, role: Role, kind: str) -> DeclaredPart:
    word, line, head = found.names[-1], reading.line(found.node), reading.head(found)
    made = DeclaredPart(role, _title(reading, found, head) if role is not Role.HOOK else "")
    if kind:
        made.add(kind, line, ".".join(found.names))
    if word not in _INCLUDED:
        _metadata(reading, head[1:], line, made)
        handed = any(part[0] == "&" for part in head)
        if role is Role.TEST and found.node.child(*BLOCKS) is None and not handed and not made.skips:
            made.skips.append(Skip("todo", line, f"{word} without a block"))
    return made


def _title(reading: Reading, found: Call, head: list[list[str]]) -> str:
    """The names a group or test is given; several are joined, as RSpec does."""
    titles = [title(part) for part in head if not _is_metadata(part)]
    if titles:
        return " ".join(titles[:3]) if found.names[-1] not in _INCLUDED else f"behaves like {titles[0]}"
    block = found.node.child(*BLOCKS)
    if block is None or found.names[-1] not in ("it", "specify", "example"):
        return "(no name)"
    return joined(reading.words(block.start, min(block.end, block.start + _LONGEST_TITLE)))[1:-1].strip()


def _is_metadata(part: list[str]) -> bool:
    symbol = len(part) == 1 and part[0][:1] == ":" and len(part[0]) > 1
    return part[1:2] == [":"] or symbol or part[0] in ("**", "&")


def _metadata(reading: Reading, parts: list[list[str]], line: int, made: DeclaredPart) -> None:
    """``skip: true``, ``:focus`` and ``if: false``."""
    for part in parts:
        symbol = part[0][1:] if len(part) == 1 and part[0][:1] == ":" else ""
        kind = _METADATA.get(part[0].strip('"') if part[1:2] == [":"] else symbol)
        if kind is None:
            continue
        always = True if symbol else reading.truth(part[2:])
        if kind in ("if", "unless"):
            kind, always = "skip", None if always is None else always is (kind == "unless")
        if always is not False:
            made.add(kind, line, joined(part), always is None)


def _receiver(reading: Reading, loop: Node) -> str:
    """The collection of a loop, as it is written."""
    block = loop.child(*BLOCKS)
    head = reading.tree.text[loop.start : block.start if block is not None else loop.end]
    return head.rpartition(".")[0].rstrip()


def empty(reading: Reading, loop: Node) -> bool:
    """A loop over a list with nothing in it; one with a name may be filled wherever the name is mentioned."""
    receiver = _receiver(reading, loop)
    if loop.kind == "call" and reading.language.nothing.search(receiver):
        return True
    if loop.kind != "call" or rows_of(reading, loop) != []:
        return False
    return receiver not in reading.values.lists or reading.values.mentions(receiver) == 2


def function(reading: Reading, found: Function) -> DeclaredPart | None:
    """Methods of a class of tests: what runs them, what surrounds them, and what looks like one of them."""
    outer = reading.scope_of[found.node.parent or found.node]
    if outer.role is not Role.SUITE:
        return None
    if found.name in _OVERRIDES and found.owner is not None and found.owner.node.kind == "class":
        outer.skips.append(Skip("disabled", reading.line(found.node), f"def {found.name}"))
    if found.name in HOOK_METHODS:
        return DeclaredPart(Role.HOOK, found.name)
    named = _COLLECTED.match(found.name) is not None
    alike = _TESTLIKE.search(found.name) is not None and reading.values.mentions(found.name.rstrip("?!=")) < 2
    if found.node.kind != "method" or found.takes or not (named or alike):
        return None
    made = DeclaredPart(Role.TEST, found.name, named and _is_collected(reading, found, outer))
    if found.node.parent is not None and found.node in _after(reading, found.node.parent, "focus"):
        made.focus = Skip("focus", reading.line(found.node), "focus")
    return made


def _is_collected(reading: Reading, found: Function, outer: CodeScope) -> bool:
    """A public method of a group, or of a class that is derived from another."""
    if outer.collected:
        return True
    holder, owner = found.node.parent, found.owner
    if holder is None or holder.part is Part.GIVEN or owner is None:
        return False
    derived = owner.node.kind == "module" or bool(owner.parents)
    return derived and found.node not in _after(reading, holder, "private", "protected", until="public")


def _after(reading: Reading, body: Node, *words: str, until: str = "") -> set[Node]:
    """The nodes after a word in the body of a class: all until another word, or only the next."""
    known = reading.notes.get(f"{words} {body.start}")
    if isinstance(known, set):
        return known
    found: set[Node] = set()
    on = False
    for each in body.children:
        if each.kind == "identifier":
            said = reading.tree.source(each)
            on = said in words or (on and said != until)
        elif on:
            found.add(each)
            on = bool(until)
    reading.notes[f"{words} {body.start}"] = found
    return found


def skip(reading: Reading, found: Call, scope: CodeScope) -> Skip | None:
    """Ends of the whole run, at once or in the end, and skips that are sent as a message."""
    last = found.names[-1] if found.names else ""
    if last not in _ENDING and last not in _SENDING:
        return None
    text, line = reading.text(found.node), reading.line(found.node)
    if last in _SENDING:
        sent = _SENT.match(reading.tree.text, found.node.start, found.node.end)
        rule = reading.language.skipping.calls.get(sent[1]) if sent is not None else None
        return Skip(rule.kind, line, text) if rule is not None else None
    if found.inner is not None or len(found.names) > 1:
        return None
    if last == "at_exit":
        return Skip("disabled", line, text) if "exit" in text.replace("at_exit", "") else None
    around = (reading.calls.get(each) for each in islice(found.node.ancestors(), 3))
    in_the_end = any(each is not None and each.names == ("at_exit",) for each in around)
    return None if in_the_end else Skip("disabled", line, text)


def asserted(reading: Reading, found: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """Lookalikes of assertions: declarations, ``allow(x).to``, methods of other objects."""
    last = found.names[-1] if found.names else ""
    if found.node in reading.tests:
        return []
    if last in TO and not last.startswith("should"):
        return None if found.root.names[:1] and found.root.names[0] in EXPECTING else []
    if len(found.names) > 1 and found.names[0] != "self" and _CUSTOM.match(last):
        return []
    return None


def settle(reading: Reading) -> None:
    """Tests that are taken away again."""
    away = set(_TAKEN_AWAY.findall(reading.tree.text))
    for scope in reading.scopes if away else ():
        scope.collected = scope.collected and not (scope.role is Role.TEST and scope.name in away)
