"""The role of a syntax tree's node for the engine, whatever its grammar calls it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from assay.detectors.test_code.enumerated import Enumerated


class Part(Enumerated):
    """The few things that matter in test code."""

    FILE: ClassVar["Part"]
    CLASS: ClassVar["Part"]
    FUNCTION: ClassVar["Part"]
    """A function or a method with a name."""
    CLOSURE: ClassVar["Part"]
    CALL: ClassVar["Part"]
    GIVEN: ClassVar["Part"]
    """What a call is given between its brackets."""
    BLOCK: ClassVar["Part"]
    """Statements one after another."""
    STATEMENT: ClassVar["Part"]
    """A statement that is only an expression."""
    IF: ClassVar["Part"]
    UNLESS: ClassVar["Part"]
    ELSE: ClassVar["Part"]
    HEAD: ClassVar["Part"]
    """The condition of an if or a loop, where the grammar has a node for it."""
    LOOP: ClassVar["Part"]
    """A loop with a condition, whose body may run not at all."""
    EACH: ClassVar["Part"]
    """A loop over the elements of something."""
    ONCE: ClassVar["Part"]
    """A statement that runs what is in it at least once: do, a label, a lock, a resource."""
    SWITCH: ClassVar["Part"]
    CASE: ClassVar["Part"]
    TRY: ClassVar["Part"]
    CATCH: ClassVar["Part"]
    FINALLY: ClassVar["Part"]
    RETURN: ClassVar["Part"]
    THROW: ClassVar["Part"]
    BREAK: ClassVar["Part"]
    BINDING: ClassVar["Part"]
    """A name that is declared with a value."""
    ASSIGNMENT: ClassVar["Part"]
    """A name that gets another value."""
    MARK: ClassVar["Part"]
    """An annotation, an attribute, a decorator."""
    MARKS: ClassVar["Part"]
    """What stands before a declaration: its modifiers and marks."""
    IMPORT: ClassVar["Part"]
    TEXT: ClassVar["Part"]
    """A literal whose end only the tree knows: a template, a regular expression, a heredoc."""
    ASSERT: ClassVar["Part"]
    """A statement that asserts a condition by itself."""
    DEFER: ClassVar["Part"]
    TABLE: ClassVar["Part"]
    """A list or a literal with rows."""
    OTHER: ClassVar["Part"]


STATEMENTS = frozenset(
    {
        Part.BLOCK, Part.STATEMENT, Part.IF, Part.UNLESS, Part.ELSE, Part.LOOP, Part.EACH, Part.ONCE, Part.SWITCH,
        Part.TRY, Part.FINALLY, Part.RETURN, Part.THROW, Part.BREAK, Part.ASSERT,
    }
)  # fmt: skip
"""Whatever can be the body or a branch of another statement."""

VISITED = frozenset({Part.CALL, Part.FUNCTION, Part.CLASS, Part.CLOSURE, Part.RETURN, Part.THROW, Part.ASSERT})
"""What makes scopes, skips tests or asserts something."""

BRANCHING = frozenset({Part.IF, Part.UNLESS})
LOOPS = frozenset({Part.LOOP, Part.EACH})
ALTERNATIVES = frozenset({Part.CASE, Part.CATCH})
"""Of which one runs, or none."""
FUNCTIONS = frozenset({Part.FUNCTION, Part.CLOSURE})
LISTS = frozenset({Part.FILE, Part.BLOCK, Part.CASE})
"""Whose children run one after the other."""


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The kinds of nodes that a parser gives a language's code, and what each is to the engine."""

    parser: str
    parts: Mapping[str, Part]
    arguments: tuple[str, ...]
    """The kinds of what a call is given, the best first."""
    by_word: Mapping[str, Mapping[str, Part]] = field(default_factory=dict)
    """Kinds of which the first word says what they are: Kotlin has one kind for return, throw and break."""
    named: tuple[str, str] | None = None
    """One more kind, but only those nodes whose text matches a pattern; they are calls."""


def parts(**kinds: str) -> dict[str, Part]:
    """``parts(IF="if_statement", LOOP="while_statement for_statement")`` by the kinds of nodes."""
    return {kind: getattr(Part, part) for part, words in kinds.items() for kind in words.split()}
