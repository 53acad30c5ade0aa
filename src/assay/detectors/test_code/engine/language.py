"""The declaration of a language: kinds of nodes, words, how tests are written, what assertions demand.

All of it is data but for ``Quirks``, which are functions for what data can't say.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from assay.detectors.test_code.engine.demand import WrittenDemand
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.chains import Link
from assay.detectors.test_code.engine.expressions.parts import Grammar
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.rules import PROPERTY, Check, Rule, worded
from assay.detectors.test_code.engine.scopes import CodeScope, Role
from assay.detectors.test_code.model import Assertion, Skip
from assay.detectors.test_code.tree import Node, ParsedText

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.reading import Reading

NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True, eq=False)
class Library:
    """The assertions of one library.

    Either functions that take subject and expectation, or a starter that takes the subject and matchers that
    follow it or are handed to one of ``takers``.
    """

    functions: Mapping[str, Rule | Check] = field(default_factory=dict)
    patterns: tuple[tuple[re.Pattern[str], Rule | Check], ...] = ()
    """Functions by how their names are made up, where they are not among those above; the first counts."""
    receivers: frozenset[str] | None = None
    """What must stand before the function: ``assert`` in ``assert.equal``. None for anything or nothing."""
    starters: frozenset[str] = frozenset()
    matchers: Mapping[str, Rule | Check] = field(default_factory=dict)
    opposites: Mapping[str, Rule | Check] = field(default_factory=dict)
    """What a matcher that must not match demands, where its rule turned around doesn't say it."""
    takers: Mapping[str, bool] = field(default_factory=dict)
    """Links that take a matcher as their argument, and whether it must match: ``To``, ``NotTo``."""
    asked: frozenset[str] = frozenset()
    """Functions that take a subject and a matcher: ``assertThat(x, is(3))``."""
    negations: frozenset[str] = frozenset({"not"})
    joined: Mapping[str, bool] = field(default_factory=dict)
    """Matchers around others, and whether all of those must match: ``allOf``, ``anyOf``."""
    properties: frozenset[str] = frozenset()
    """Matchers that are not called: ``.to.be.true``."""
    infix: Mapping[str, bool] = field(default_factory=dict)
    """Words between matchers, and whether both must match: ``And``, ``Or``."""
    elements: frozenset[str] = frozenset()
    """Words after which a matcher is about what the subject holds: ``Has.Some.EqualTo(3)``."""
    within: frozenset[str] = frozenset()
    """Links that give the matcher before them a tolerance: ``Is.EqualTo(3).Within(0.1)``."""
    subject_first: bool = False
    """Whether the starter stands behind its subject, ``x.Should().Be(3)``; without starters, the matchers do."""
    head: str = ""
    """What stands before a function in the text of an assertion, whatever it is called on."""
    neutral: re.Pattern[str] = NEVER
    """Links that only word or prepare a check."""
    navigation: re.Pattern[str] = NEVER
    """Links that go on to a part of the subject."""
    each: bool = False
    """Whether every check of a chain is an assertion of its own; otherwise the strongest counts."""
    other: Rule | Check | None = None
    """What a matcher demands that no rule names."""
    promises: frozenset[str] = frozenset()
    """Links that make a promise of the assertion."""
    asked_of: Callable[[list[str], list[str]], list[tuple[list[str], list[str]]]] | None = None
    """What a matcher that is handed over asks of which subject, where it is more than one call by its name."""
    trimmed: Callable[[Link], Link] | None = None
    """Takes the message off the arguments of a function or a check, where it need not come last."""

    @property
    def asking(self) -> Collection[str]:
        """The names that a subject is asked by without a starter."""
        return self.matchers if self.subject_first and not self.starters else self.takers

    def matcher(self, name: str) -> Rule | Check | None:
        """The demand of a matcher of this name; None where neither the library nor all of them have one."""
        return self.matchers.get(name) or worded(name)

    def matching(self, name: str) -> Rule | Check:
        """The same; a property where nothing is known of it."""
        return self.matcher(name) or self.other or PROPERTY

    def rule(self, name: str) -> Rule | Check | None:
        """The demand of a function of this name; None where the library has no such function."""
        found = self.functions.get(name)
        if found is not None or not self.patterns:
            return found
        return next((rule for pattern, rule in self.patterns if pattern.fullmatch(name)), None)


@dataclass(frozen=True, slots=True)
class SkipCall:
    """A call that ends a test early without failing it; ``unless`` the argument at ``at`` is so."""

    kind: str = "skip"
    at: int | None = None
    unless: bool | None = None
    """None for a call that always skips, or whose condition says when it does."""
    label: str = ""
    """The name under which the condition may be given; then a text may tell it, too."""


@dataclass(frozen=True, slots=True, eq=False)
class Skipping:
    """Ways to keep tests from running."""

    marks: Mapping[str, str] = field(default_factory=dict)
    """Marks that skip, with the kind of skip."""
    asked: Mapping[str, SkipCall] = field(default_factory=dict)
    """Marks that skip by what they are given."""
    conditional: re.Pattern[str] = NEVER
    """Marks that skip under a condition."""
    calls: Mapping[str, SkipCall] = field(default_factory=dict)
    """Calls inside of a test, by their last name."""
    receivers: frozenset[str] | None = None
    """What such a call may be made on; the empty text for nothing. None for anything."""
    throws: re.Pattern[str] = NEVER
    """What is thrown to skip a test."""
    exits: bool = True
    """Whether ending the program as if all was well is a skip."""
    whole: bool = False
    """Whether a file that skips outside of its tests skips all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Declaring:
    """How tests are declared."""

    marks: re.Pattern[str] = NEVER
    """Marks that make a test."""
    names: re.Pattern[str] = NEVER
    """Names of functions that a runner collects."""
    refused: frozenset[str] = frozenset()
    """Modifiers of what no runner collects."""
    hook_marks: frozenset[str] = frozenset()
    hook_names: frozenset[str] = frozenset()
    parents: re.Pattern[str] = NEVER
    """Classes whose heirs hold tests by their names. Without one, every class and every file does."""
    calls: Mapping[str, Role] = field(default_factory=dict)
    """What calls of these names declare."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """Letters before the names of tests and groups, with what they say."""
    shared: re.Pattern[str] | None = NEVER
    """Functions that a runner calls itself, and no test elsewhere; None where a file may hold other code, too."""

    def called(self, name: str) -> tuple[Role | None, str, str]:
        """The role of a call of this name, the name without a letter before it, and what that letter says."""
        role, plain = self.calls.get(name), self.calls.get(name[1:])
        if role is None and name[:1] in self.prefixes and plain in (Role.TEST, Role.SUITE):
            return plain, name[1:], self.prefixes[name[0]]
        return role, name, ""


def roles(**names: str) -> dict[str, Role]:
    """``roles(TEST="it specify", HOOK="before")`` by the names of calls."""
    return {name: getattr(Role, role) for role, words in names.items() for name in words.split()}


@dataclass(frozen=True, slots=True, eq=False)
class Catching:
    """Errors handlers catch, by the text of their heads."""

    assertions: re.Pattern[str] = re.compile(r"")
    """Heads that catch a failed assertion; everything where nothing else is said."""
    much: re.Pattern[str] = NEVER
    """Heads that catch most errors of the code under test, but no failed assertion."""
    loud: frozenset[str] = frozenset()
    """Calls that pass a caught failure on."""
    losing: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """Calls that drop the failures of a closure, unless the pattern is found in the test around them."""
    handing: re.Pattern[str] = NEVER
    """Calls, by their names with dots between, whose result is how the failure of a closure is told."""
    heard: re.Pattern[str] = NEVER
    """What is done with such a result where the failure counts."""
    unheard: re.Pattern[str] = NEVER
    """What throws such a result away, at the end of a declaration."""


@dataclass(frozen=True, slots=True, eq=False)
class Heads:
    """How declarations begin, after their marks: patterns with the groups ``name``, ``takes``, ``parents``."""

    function: re.Pattern[str]
    klass: re.Pattern[str] = NEVER
    parameter: re.Pattern[str] = re.compile(r"(\w+)\s*(?:=[^,]*)?\Z")
    """The name in a parameter."""
    bound: re.Pattern[str] = NEVER
    """How else a name is bound than by a sign: the groups ``name`` and ``opened``, the bracket of its value."""
    receivers: frozenset[str] = frozenset({"self", "this", "cls"})
    """What a method calls its own object; as a first parameter it is given by nobody."""


class Branches(NamedTuple):
    """A condition: where it stands, what runs if it holds and what otherwise, and whether it is turned around."""

    start: int
    end: int
    then: Node | None
    otherwise: Sequence[Node]
    body_from: int
    unless: bool = False


@dataclass(slots=True)
class DeclaredPart:
    """A declaration, as a runner sees it."""

    role: Role
    name: str = ""
    collected: bool = True
    skips: list[Skip] = field(default_factory=list)
    focus: Skip | None = None
    cases: int | None = 1
    rows: Sequence[Sequence[str]] = ()
    """The values of its parameters, for tests that are written out."""
    assertions: list[Assertion] = field(default_factory=list)
    given: Callable[[], Sequence[Mapping[str, list[str]]]] = tuple
    """What its parameters are in each of its cases, where that is written out."""
    must_fail: bool | None = None
    """Whether any failure (true) or one at its end (false) is what is expected of the test."""

    def add(self, kind: str, line: int, text: str, conditional: bool = False) -> None:
        """Put a skip on it, or let it alone run."""
        skip = Skip(kind, line, text, conditional)
        if kind == "focus":
            self.focus = skip
        else:
            self.skips.append(skip)


@dataclass(frozen=True, slots=True, eq=False)
class Quirks:
    """Functions for what data can't say."""

    parse: "Callable[[str], ParsedText] | None" = None
    names: Callable[[str], Names] | None = None
    words: "Callable[[ParsedText, int, int], list[str]] | None" = None
    branches: "Callable[[ParsedText, Node], Branches | None] | None" = None
    marks: "Callable[[Reading, Node], list[Mark]] | None" = None
    resolve: "Callable[[Reading], Callable[[Names], Names]] | None" = None
    """Makes what replaces aliases in the names of a call."""
    mark_skips: "Callable[[Reading, Mark, Sequence[Mark]], bool | None] | None" = None
    """Whether a mark, one of several, skips under a condition (true) or always (false)."""
    collected: "Callable[[Reading, Function, bool], bool] | None" = None
    """Whether a runner collects a function that has the mark of a test, or has not."""
    completed: "Callable[[Reading, Function, DeclaredPart], None] | None" = None
    """Adds what the marks of a test say besides: its rows, how often it runs, what it expects."""
    function: "Callable[[Reading, Function], DeclaredPart | None] | None" = None
    klass: "Callable[[Reading, Class], DeclaredPart | None] | None" = None
    call: "Callable[[Reading, Call, CodeScope], DeclaredPart | None] | None" = None
    skip: "Callable[[Reading, Call, CodeScope], Skip | None] | None" = None
    asserted: "Callable[[Reading, Call, CodeScope], list[WrittenDemand] | None] | None" = None
    """What a call asserts; None to go on with the libraries."""
    lost: "Callable[[Reading, Call], bool] | None" = None
    """Whether nothing notices the failure of what a call asserts."""
    condition: "Callable[[Reading, list[str], bool, Node], WrittenDemand | None] | None" = None
    """What a condition demands in an idiom of the language."""
    awaited: "Callable[[Reading, Node, Node], WrittenDemand | None] | None" = None
    """What is demanded where a try fails unless something is raised: of what fails, and of the try."""
    silences: "Callable[[Reading, Node], bool] | None" = None
    """Whether failures after a node, in the same block, are dropped."""
    left_out: "Callable[[Reading], Mapping[Node, bool | None]] | None" = None
    """The nodes that no build has (true), or only some builds have (None)."""
    empty: "Callable[[Reading, Node], bool] | None" = None
    """Whether a loop never runs, where the pattern ``nothing`` doesn't tell."""
    fields: "Callable[[Reading, list[str]], Sequence[str]] | None" = None
    """The names of the fields of the records in a list that is written out."""
    file_skips: "Callable[[Reading], list[Skip]] | None" = None
    settle: "Callable[[Reading], None] | None" = None
    """What is known only when all scopes are."""


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """All that the engine needs to know about a language."""

    name: str
    grammar: Grammar
    lexicon: Lexicon
    heads: Heads
    libraries: tuple[Library, ...]
    declaring: Declaring
    skipping: Skipping = field(default_factory=Skipping)
    catching: Catching = field(default_factory=Catching)
    logic: Logic = field(default_factory=Logic)
    broad: frozenset[str] = frozenset({"Exception", "Throwable", "Error", "RuntimeException", "Object"})
    """Errors that every other one is a kind of."""
    exits: frozenset[Names] = frozenset()
    """Calls that end the program."""
    ending: re.Pattern[str] = NEVER
    """Calls that end the program by what they are given."""
    nothing: re.Pattern[str] = NEVER
    """Something without elements, at the end of a loop's head or before ``.forEach``."""
    repeating: frozenset[str] = frozenset()
    """Calls that run a closure for each element."""
    fails: frozenset[str] = frozenset()
    """Calls that fail wherever they are reached, by their last name."""
    fail_receivers: frozenset[str] | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    """Expressions that have the same value everywhere."""
    oldest: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """What some values are at least, wherever tests still run: ``sys.version_info``."""
    least: Mapping[str, Rule] = field(default_factory=dict)
    """Calls that get at a value and fail where there is none: they assert only where a test does nothing else."""
    waits: frozenset[str] = frozenset()
    """Calls that wait for the promise they are made on."""
    custom: re.Pattern[str] = NEVER
    """Functions that assert by their name."""
    handle: re.Pattern[str] = NEVER
    """What may stand for the test in the first argument of an assertion, besides the names that quirks note."""
    braces: bool = False
    """Whether a value in braces is a list: ``int[] x = { 1, 2 }``."""
    plain: bool = False
    """Whether an idiom says the same of the same words, whatever stands around them."""
    trailing: bool = False
    """Whether a block after a call is one of its arguments."""
    replacing: tuple[re.Pattern[str], ...] = ()
    """What puts a function of the test's own in the place of another, whose name the groups tell."""
    stubs: frozenset[str] = frozenset()
    """What makes a stand-in whose answers the test itself gives: ``Mock``."""
    quirks: Quirks = field(default_factory=Quirks)
