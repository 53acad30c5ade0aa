"""The neutral words that tests are written in here, before they are rendered into a language.

A word makes a ``Node``: its kind, which is the name of its pattern in ``languages/*.yaml``, and its parts. A text
is a literal, as a number is; ``Name`` is a variable. The names of tests, functions and variables are plain words
with underscores, which each language spells its own way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    kind: str
    parts: tuple[tuple[str, object], ...]

    def __getitem__(self, name: str) -> object:
        return dict(self.parts)[name]


KINDS: dict[str, tuple[str, ...]] = {}
"""The parts of each kind, by its name."""


def word(kind: str, *names: str) -> Callable[..., Node]:
    """A word that takes parts in this order."""
    KINDS[kind] = names

    def make(*parts: object) -> Node:
        if len(parts) != len(names):
            raise TypeError(f"{kind} takes {', '.join(names) or 'nothing'}, got {len(parts)} parts")
        return Node(kind, tuple(zip(names, (_frozen(part) for part in parts), strict=True)))

    return make


def _frozen(part: object) -> object:
    return tuple(part) if isinstance(part, list) else part


# Values.
Name = word("name", "name")
_call = word("call", "name", "args")
Ints = word("ints", "items")
Texts = word("texts", "items")
Eq = word("eq", "left", "right")
Or = word("or", "left", "right")
And = word("and", "left", "right")
Not = word("not", "value")
LengthOf = word("length_of", "value")
SizeOf = word("size_of", "value")
RoundOf = word("round_of", "value")
LowerOf = word("lower_of", "value")
EnvSet = word("env_set", "name")
OnWindows = word("on_windows")
Chance = word("chance")
LongAgo = word("long_ago")
Above = word("above", "left", "right")
Plus = word("plus", "left", "right")
Choice = word("choice", "condition", "left", "right")


def Call(name: str, *args: object) -> Node:
    """A call of the program that is tested."""
    return _call(name, args)


# Assertions.
Equal = word("equal", "actual", "expected")
NotEqual = word("not_equal", "actual", "expected")
True_ = word("is_true", "actual")
False_ = word("is_false", "actual")
Null = word("is_null", "actual")
NotNull = word("not_null", "actual")
Contains = word("contains", "actual", "part")
HasItem = word("has_item", "actual", "part")
SameTexts = word("same_texts", "actual", "expected")
Length = word("has_length", "actual", "expected")
Greater = word("greater", "actual", "limit")
AtLeast = word("at_least", "actual", "limit")
Close = word("close", "actual", "expected", "tolerance")
Matches = word("matches", "actual", "pattern")
IsText = word("is_text", "actual")
IsNumber = word("is_number", "actual")
Raises = word("raises", "call")
RaisesAny = word("raises_any", "call")
RaisesSaying = word("raises_saying", "call", "text")
Explained = word("explained", "actual", "expected", "text")

# Statements.
Run = word("run", "call")
Let = word("let", "name", "value")
If = word("if", "condition", "body")
IfElse = word("if_else", "condition", "body", "other")
ForEach = word("for_each", "name", "items", "body")
Swallow = word("swallow", "body")
SwallowFailure = word("swallow_failure", "body")
Rethrow = word("rethrow", "body")
Suppress = word("suppress", "body")
Thread = word("thread", "body")
Later = word("later", "body")
Return = word("return")
Break = word("break")
Continue = word("continue")
While = word("while", "condition", "body")
FinallyReturn = word("finally_return", "body")
Exit = word("exit")
SkipNow = word("skip_now", "reason")
SkipIf = word("skip_if", "condition", "reason")
Comment = word("comment", "text")
Commented = word("commented", "body")
Log = word("log", "text")
Use = word("use", "name", "args")
Stub = word("stub", "name", "value")
Inner = word("inner", "name", "body")
Switch = word("switch", "value", "case", "body", "other")

# Files and what is in them.
_file = word("file", "top", "items")
SkipFile = word("skip_file", "reason")
Test = word("test", "name", "body")
SkippedTest = word("skipped_test", "name", "reason", "body")
SkippedIfTest = word("skipped_if_test", "name", "reason", "body")
AskedTest = word("asked_test", "name", "body")
TaggedTest = word("tagged_test", "name", "body")
FocusedTest = word("focused_test", "name", "body")
FailingTest = word("failing_test", "name", "body")
TodoTest = word("todo_test", "name")
UncollectedTest = word("uncollected_test", "name", "body")
CasesTest = word("cases_test", "name", "cases", "body")
Param = word("param", "name")
Case = word("case", "a", "b", "expected")
SubTest = word("subtest", "name", "body")
Group = word("group", "name", "items")
SkippedGroup = word("skipped_group", "name", "items")
Setup = word("setup", "name", "value")
Before = word("before", "body")
Disarm = word("disarm")
Ready = word("ready", "name")
ReadyTest = word("ready_test", "name", "given", "body")
Helper = word("helper", "name", "body")
Constant = word("constant", "name", "value")
Const = word("const", "name")
AsyncTest = word("async_test", "name", "body")
AwaitedEqual = word("awaited_equal", "actual", "expected")
UnawaitedEqual = word("unawaited_equal", "actual", "expected")
Source = word("source", "items")
Function = word("function", "name", "value")


def File(items: Sequence[Node]) -> Node:
    """A file of tests."""
    return _file([], items)


def SkippedFile(reason: str, items: Sequence[Node]) -> Node:
    """A file of tests that skips all of them."""
    return _file([SkipFile(reason)], items)
