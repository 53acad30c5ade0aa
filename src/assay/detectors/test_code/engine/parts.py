"""What a node of a syntax tree is to the engine, whatever its grammar calls it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Part(Enum):
    """The few things that matter in test code."""

    # Each is there once; an enumeration would hash its name every time that it is looked up.
    __hash__ = object.__hash__

    FILE = "file"
    CLASS = "class"
    FUNCTION = "function"
    """A function or a method with a name."""
    CLOSURE = "closure"
    CALL = "call"
    GIVEN = "given"
    """What a call is given between its brackets."""
    BLOCK = "block"
    """Statements one after another."""
    STATEMENT = "statement"
    """A statement that is only an expression."""
    IF = "if"
    UNLESS = "unless"
    ELSE = "else"
    HEAD = "head"
    """The condition of an if or a loop, where the grammar has a node for it."""
    LOOP = "loop"
    """A loop with a condition, whose body may run not at all."""
    EACH = "each"
    """A loop over the elements of something."""
    ONCE = "once"
    """A statement that runs what is in it at least once: do, a label, a lock, a resource."""
    SWITCH = "switch"
    CASE = "case"
    TRY = "try"
    CATCH = "catch"
    FINALLY = "finally"
    RETURN = "return"
    THROW = "throw"
    BREAK = "break"
    BINDING = "binding"
    """A name that is declared with a value."""
    ASSIGNMENT = "assignment"
    """A name that gets another value."""
    MARK = "mark"
    """An annotation, an attribute, a decorator."""
    MARKS = "marks"
    """What stands before a declaration: its modifiers and marks."""
    IMPORT = "import"
    TEXT = "text"
    """A literal whose end only the tree knows: a template, a regular expression, a heredoc."""
    ASSERT = "assert"
    """A statement that asserts a condition by itself."""
    DEFER = "defer"
    TABLE = "table"
    """A list or a literal with rows."""
    OTHER = "other"


STATEMENTS = frozenset(
    {
        Part.BLOCK, Part.STATEMENT, Part.IF, Part.UNLESS, Part.ELSE, Part.LOOP, Part.EACH, Part.ONCE, Part.SWITCH,
        Part.TRY, Part.FINALLY, Part.RETURN, Part.THROW, Part.BREAK, Part.ASSERT,
    }
)  # fmt: skip
"""Whatever can be the body or a branch of another statement."""

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
    return {kind: Part[part] for part, words in kinds.items() for kind in words.split()}
