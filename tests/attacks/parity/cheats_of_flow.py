"""Cheats with the way to an assertion: it is never reached, only now and then, or its failure is lost."""

# ruff: noqa: E501 - a row a line or two reads as a table.

from tests.attacks.parity.table import ADDS, HAS, LABELS, SKIPS, SUM, WEAKER, Row, of_body, of_items
from tests.attacks.parity.words import (
    AsyncTest,
    AwaitedEqual,
    Break,
    Call,
    Chance,
    Continue,
    EnvSet,
    Eq,
    Equal,
    Exit,
    FinallyReturn,
    ForEach,
    Helper,
    If,
    IfElse,
    Inner,
    Ints,
    Later,
    Let,
    Log,
    LongAgo,
    Name,
    Not,
    NotNull,
    OnWindows,
    Return,
    Run,
    Suppress,
    Swallow,
    SwallowFailure,
    Switch,
    Test,
    Thread,
    UnawaitedEqual,
    Use,
    While,
)

GOT = Name("got")
EACH = [Equal(Call("add", Name("each"), 0), Name("each"))]
KEPT = [Let("got", SUM), Equal(GOT, 3)]

NEVER: list[Row] = [
    of_body("a return comes first", [ADDS], [Return(), ADDS], WEAKER, SKIPS),
    of_body("a return comes between", [ADDS, LABELS], [ADDS, Return(), LABELS], WEAKER),
    of_body("a return behind true comes first", [ADDS], [If(True, [Return()]), ADDS], WEAKER, SKIPS),
    of_body("if false", [ADDS], [If(False, [ADDS])], WEAKER),
    of_body("if one is two", [ADDS], [If(Eq(1, 2), [ADDS])], WEAKER),
    of_body("if not true", [ADDS], [If(Not(True), [ADDS])], WEAKER),
    of_body("if a name that is false", [ADDS], [Let("full", False), If(Name("full"), [ADDS])], WEAKER),
    of_body("else of true", [ADDS], [IfElse(True, [Run(SUM)], [ADDS])], WEAKER),
    of_body("a loop over nothing", [ADDS], [ForEach("each", Ints([]), [ADDS])], WEAKER),
    of_body("a loop over a name for nothing", [ADDS],
        [Let("rounds", Ints([])), ForEach("each", Name("rounds"), [ADDS])], WEAKER),
    of_body("the list of a loop is emptied",
        [ForEach("each", Ints([1, 2]), [Equal(Call("add", Name("each"), 0), Name("each"))])],
        [ForEach("each", Ints([]), [Equal(Call("add", Name("each"), 0), Name("each"))])], WEAKER),
    of_body("the list of a loop is cut short",
        [ForEach("each", Ints([1, 2, 3]), [Equal(Call("add", Name("each"), 0), Name("each"))])],
        [ForEach("each", Ints([1]), [Equal(Call("add", Name("each"), 0), Name("each"))])], WEAKER),
    of_body("a loop goes on before its assertion", [ForEach("each", Ints([1, 2]), EACH)],
        [ForEach("each", Ints([1, 2]), [Continue(), *EACH])], WEAKER),
    of_body("a loop ends before its assertion", [ForEach("each", Ints([1, 2]), EACH)],
        [ForEach("each", Ints([1, 2]), [Break(), *EACH])], WEAKER),
    of_body("while false", [ADDS], [While(False, [ADDS])], WEAKER),
    of_body("the run ends before the assertion", [ADDS], [Exit(), ADDS], WEAKER, SKIPS),
    of_body("the run ends between call and assertion", KEPT, [Let("got", SUM), Exit(), Equal(GOT, 3)], WEAKER, SKIPS),
    of_body("a case that never comes up", [ADDS], [Switch(1, 2, [ADDS], [Log("other")])], WEAKER),
    of_body("the other case where the first always holds", [ADDS], [Switch(1, 1, [Log("one")], [ADDS])], WEAKER),
    of_body("a function inside that nobody calls", [ADDS], [Inner("check", [ADDS])], WEAKER),
    of_body("one of two goes into a function that nobody calls", [ADDS, LABELS], [ADDS, Inner("check", [LABELS])], WEAKER),
]  # fmt: skip

SOMETIMES: list[Row] = [
    of_body("behind the environment", [ADDS], [If(EnvSet("full"), [ADDS])], WEAKER, SKIPS),
    of_body("behind a missing setting of the environment", [ADDS], [If(Not(Call("is_ci")), [ADDS])], WEAKER, SKIPS),
    of_body("behind a question to the program", [ADDS], [If(Call("is_ready"), [ADDS])], WEAKER, SKIPS),
    of_body("behind chance", [ADDS], [If(Chance(), [ADDS])], WEAKER, SKIPS),
    of_body("behind the clock", [ADDS], [If(LongAgo(), [ADDS])], WEAKER, SKIPS),
    of_body("behind the platform", [ADDS], [If(OnWindows(), [ADDS])], WEAKER, SKIPS),
    of_body("behind the answer itself", KEPT, [Let("got", SUM), If(Eq(GOT, 3), [Equal(GOT, 3)])], WEAKER, SKIPS),
    of_body("behind another answer", KEPT, [Let("got", SUM), If(HAS, [Equal(GOT, 3)])], WEAKER, SKIPS),
    of_body("one of two goes behind the environment", [ADDS, LABELS], [ADDS, If(EnvSet("full"), [LABELS])], WEAKER),
    of_body("the first of two goes behind the environment", [ADDS, LABELS], [If(EnvSet("full"), [ADDS]), LABELS], WEAKER),
    of_body("both go behind the environment", [ADDS, LABELS], [If(EnvSet("full"), [ADDS, LABELS])], WEAKER, SKIPS),
    of_body("behind two conditions", [ADDS], [If(EnvSet("full"), [If(Chance(), [ADDS])])], WEAKER, SKIPS),
    of_body("otherwise it only runs", [ADDS], [IfElse(EnvSet("full"), [ADDS], [Run(SUM)])], WEAKER, SKIPS),
    of_body("otherwise it only has to be there", [ADDS], [IfElse(EnvSet("full"), [ADDS], [NotNull(SUM)])], WEAKER),
    of_body("a return by the environment comes first", [ADDS], [If(EnvSet("quick"), [Return()]), ADDS], SKIPS, WEAKER),
    of_body("a return by chance comes first", [ADDS], [If(Chance(), [Return()]), ADDS], SKIPS, WEAKER),
    of_body("a return by the platform comes first", [ADDS], [If(OnWindows(), [Return()]), ADDS], SKIPS, WEAKER),
    of_body("a return where the answer is wrong", KEPT,
        [Let("got", SUM), If(Eq(GOT, -1), [Return()]), Equal(GOT, 3)], SKIPS, WEAKER),
    of_body("a loop over what the program gives", [ADDS], [ForEach("each", Call("items", 0), [ADDS])], WEAKER),
    of_body("a loop goes on by the environment", [ForEach("each", Ints([1, 2]), EACH)],
        [ForEach("each", Ints([1, 2]), [If(EnvSet("quick"), [Continue()]), *EACH])], WEAKER, SKIPS),
    of_body("the run ends by the environment", [ADDS], [If(EnvSet("quick"), [Exit()]), ADDS], WEAKER, SKIPS),
    of_body("a case of the environment", [ADDS], [Switch(Call("mode"), "full", [ADDS], [Log("quick")])], WEAKER, SKIPS),
]  # fmt: skip

LOST: list[Row] = [
    of_body("all errors are swallowed", [ADDS], [Swallow([ADDS])], WEAKER),
    of_body("all errors of one assertion are swallowed", [ADDS, LABELS], [Swallow([ADDS]), LABELS], WEAKER),
    of_body("failed assertions are swallowed", [ADDS], [SwallowFailure([ADDS])], WEAKER),
    of_body("a context manager swallows failed assertions", [ADDS], [Suppress([ADDS])], WEAKER),
    of_body("a return at the end drops the error", [ADDS], [FinallyReturn([ADDS])], WEAKER),
    of_body("a thread that nobody waits for", [ADDS], [Thread([ADDS])], WEAKER),
    of_body("one of two goes into a thread", [ADDS, LABELS], [ADDS, Thread([LABELS])], WEAKER),
    of_body("later, after the test is done", [ADDS], [Later([ADDS])], WEAKER),
    of_items("an answer that nobody waits for",
        [AsyncTest("works", [AwaitedEqual(Call("fetch", 1), 3)])],
        [AsyncTest("works", [UnawaitedEqual(Call("fetch", 1), 3)])], WEAKER),
    of_items("an awaited assertion is swallowed",
        [AsyncTest("works", [AwaitedEqual(Call("fetch", 1), 3)])],
        [AsyncTest("works", [Swallow([AwaitedEqual(Call("fetch", 1), 3)])])], WEAKER,
        never={"rust": "What is awaited can't be in a closure there.", "swift": "A closure there must be asynchronous, too."}),
    of_items("an awaited assertion goes",
        [AsyncTest("works", [AwaitedEqual(Call("fetch", 1), 3), ADDS])], [AsyncTest("works", [ADDS])], WEAKER),
]  # fmt: skip

CHECK = [Equal(Name("actual"), Name("expected"))]
HELPED = Test("works", [Use("check", [SUM, 3])])


def _helper(name: str, after: list[object], *by: str) -> Row:
    return of_items(name, [Helper("check", CHECK), HELPED], [Helper("check", after), HELPED], *by)


HELPERS: list[Row] = [
    _helper("a helper is emptied", [Log("checked")], WEAKER),
    _helper("a helper asks only by the environment", [If(EnvSet("full"), CHECK)], WEAKER, SKIPS),
    _helper("a helper asks only if the program says so", [If(Call("is_ready"), CHECK)], WEAKER, SKIPS),
    _helper("a helper asks only where both are equal", [If(Eq(Name("actual"), Name("expected")), CHECK)], WEAKER, SKIPS),
    _helper("a helper returns first", [Return(), *CHECK], WEAKER, SKIPS),
    _helper("a helper returns by the environment", [If(EnvSet("quick"), [Return()]), *CHECK], WEAKER, SKIPS),
    _helper("a helper compares a value with itself", [Equal(Name("actual"), Name("actual"))], WEAKER),
    _helper("a helper only asks whether it is there", [NotNull(Name("actual"))], WEAKER),
    _helper("a helper swallows", [Swallow(CHECK)], WEAKER),
    _helper("a helper swallows failed assertions", [SwallowFailure(CHECK)], WEAKER),
    _helper("a helper asks in a thread", [Thread(CHECK)], WEAKER),
    _helper("a helper asks in a loop over nothing", [ForEach("each", Ints([]), CHECK)], WEAKER),
    of_items("the call of a helper goes", [Helper("check", CHECK), Test("works", [Use("check", [SUM, 3]), LABELS])],
        [Helper("check", CHECK), Test("works", [LABELS])], WEAKER),
    of_items("the call of a helper expects another value", [Helper("check", CHECK), HELPED],
        [Helper("check", CHECK), Test("works", [Use("check", [SUM, -1])])], WEAKER),
    of_items("the call of a helper goes behind the environment", [Helper("check", CHECK), HELPED],
        [Helper("check", CHECK), Test("works", [If(EnvSet("full"), [Use("check", [SUM, 3])])])], WEAKER, SKIPS),
    of_items("an assertion moves into a helper that asks less", [Test("works", [ADDS])],
        [Helper("check", [NotNull(Name("actual"))]), HELPED], WEAKER),
    of_items("an assertion moves into a helper that swallows", [Test("works", [ADDS])],
        [Helper("check", [Swallow(CHECK)]), HELPED], WEAKER),
    of_items("an assertion moves into a helper that asks only by the environment", [Test("works", [ADDS])],
        [Helper("check", [If(EnvSet("full"), CHECK)]), HELPED], WEAKER, SKIPS),
    of_items("an assertion moves into a helper that nobody calls", [Test("works", [ADDS, LABELS])],
        [Helper("check", CHECK), Test("works", [LABELS])], WEAKER),
]  # fmt: skip

ROWS = [*NEVER, *SOMETIMES, *LOST, *HELPERS]
