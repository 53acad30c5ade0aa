"""Groups, tests and hooks of JavaScript's runners: what declares them, how often they run, what skips them."""

import re
from functools import lru_cache

from assay.detectors.test_code.engine.bound import Bound
from assay.detectors.test_code.engine.expressions.calls import Call, Names
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart, Declaring, roles
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.rows import closure_names, handed, listed
from assay.detectors.test_code.engine.scopes import CodeScope, Role, title
from assay.detectors.test_code.languages.javascript.names import aliases_of
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

DECLARING = Declaring(
    calls=roles(
        TEST="it test specify",
        SUITE="describe context suite feature",
        HOOK="before beforeEach beforeAll after afterEach afterAll setup teardown suiteSetup suiteTeardown "
        "aroundEach",
    ),
    prefixes={"x": "skip", "f": "only"},
)
_SKIPS = {
    **dict.fromkeys(("skip", "fixme", "skipIf", "runIf", "ignore"), "skip"),
    "todo": "todo",
    **dict.fromkeys(("failing", "fails", "fail"), "xfail"),
    "only": "focus",
}
_PARAMETERS = frozenset(("each", "for"))
_MAKERS = _PARAMETERS | {"skipIf", "runIf", "if", "extend", "configure"}
_MODIFIERS = (
    frozenset(_SKIPS)
    | _PARAMETERS
    | word_set("concurrent serial sequential parallel shuffle cb configure extend describe suite if")
)
_CONTEXTS = frozenset(("this", "t", "ctx", "context", "test", "self"))
_INSIDE = {"skip": "skip", "fixme": "skip", "pending": "skip", "todo": "todo"}
_TOLD = re.compile(
    r"""process\.(?:stdin\.(?:on|once)\(\s*['"`](?:end|close)|(?:on|once)\(\s*['"`]SIG[A-Z]+)['"`]"""
)

_Modifiers = tuple[tuple[str, bool], ...]


@lru_cache(maxsize=1024)
def _declaration(names: Names) -> tuple[Role, _Modifiers] | None:
    """The declaration by a call's names, and its modifiers: ("skip", True) where a condition decides."""
    if not names:
        return None
    base, conditional = names[0].rstrip("?"), names[0].endswith("?")
    modifiers = [(name.rstrip("?"), name.endswith("?")) for name in names[1:]]
    if DECLARING.calls.get(modifiers[-1][0] if modifiers else base) is Role.HOOK:
        return Role.HOOK, ()
    role, _, prefix = DECLARING.called(base)
    if prefix:
        modifiers.insert(0, (prefix, conditional))
    words = {name for name, _ in modifiers}
    if role not in (Role.TEST, Role.SUITE) or not words <= _MODIFIERS:
        return None
    return (role if words.isdisjoint(("describe", "suite")) else Role.SUITE), tuple(modifiers)


def declared(reading: Reading, call: Call, scope: CodeScope) -> DeclaredPart | None:
    """A call's declaration: itself, or as ``it.each(table)(name, body)`` with the call it is made on."""
    names = reading.names(call)
    if (call.inner is not None and (call.names or call.inner.inner is not None)) or not names:
        return None
    found = _declaration(names)
    if found is None or (names[-1].rstrip("?") in _MAKERS) is (call.inner is None):
        return None
    role, modifiers = found
    head = reading.head(call)
    if not _declares(call, role, head):
        return None
    if role is Role.HOOK:
        return DeclaredPart(role)
    made = DeclaredPart(role, title(head[0]) if head else "(no name)")
    if _has_table(call.inner):
        rows = _table(reading, call)
        made.cases = None if rows is None else len(rows)
        made.given = lambda: rows or ()
    if modifiers or aliases_of(reading).stubs:
        _modify(reading, call, modifiers, made)
    for part in head[1:]:
        _options(reading, call.node, part, made)
    if role is Role.TEST and len(head) == 1 and _has_no_body(call) and not made.skips:
        made.skips.append(Skip("todo", reading.line(call.node), joined(head[0])))
    return made


def _has_no_body(call: Call) -> bool:
    return call.arguments is not None and call.arguments.part_child(Part.CALL, Part.CLOSURE) is None


def _declares(call: Call, role: Role, head: list[list[str]]) -> bool:
    """Whether the arguments are those of a declaration: a name or a function, or both."""
    arguments = call.arguments
    if arguments is None or arguments.part is not Part.GIVEN:
        return False
    if arguments.part_child(Part.CLOSURE) is not None or role is Role.HOOK:
        return True
    if len(head) == 1:
        return role is Role.TEST and head[0][0][:1] in '"`'
    return len(head) > 1 and head[0][0] not in ("true", "false") and not head[1][0].startswith(('"', "`"))


def _modify(reading: Reading, call: Call, modifiers: _Modifiers, made: DeclaredPart) -> None:
    line = reading.line(call.node)
    end = call.arguments.start if call.arguments is not None else call.node.end
    text = joined(reading.words(call.node.start, end))
    for name, conditional in modifiers:
        kind = _SKIPS.get(name)
        if name in ("skipIf", "runIf", "if"):
            given = call.root.arguments
            always = reading.truth(reading.words(given.start + 1, given.end - 1) if given is not None else [])
            if always is not (name != "skipIf"):
                made.skips.append(Skip("skip", line, text, always is None))
        elif kind is not None:
            made.add(kind, line, text, conditional)
    if aliases_of(reading).stubs & {"it", "test", "describe"} & {text.partition(".")[0]}:
        made.skips.append(Skip("disabled", line, f"{text} is redefined and runs nothing"))


def _options(reading: Reading, node: Node, part: list[str], made: DeclaredPart) -> None:
    """The options that node:test, Vitest and Playwright take: ``{ skip: true }``."""
    for option in split(part[1:-1]) if part[:1] == ["{"] else ():
        kind = _SKIPS.get(option[0].strip('"'))
        value = option if len(option) == 1 else option[2:] if option[1] == ":" else []
        always = reading.truth(value)
        if kind is not None and always is not False and value:
            made.add(kind, reading.line(node), joined(part), always is None)


def _has_table(call: Call | None) -> bool:
    return call is not None and bool(call.names) and call.names[-1].rstrip("?") in _PARAMETERS


def _table(reading: Reading, call: Call) -> list[Bound] | None:
    """The rows of ``it.each([…])`` by the names of the function that each of them is handed to."""
    given = call.inner.arguments if call.inner is not None else None
    body = call.arguments.part_child(Part.CLOSURE) if call.arguments is not None else None
    names = closure_names(reading, body) if body is not None else []
    if given is None:
        return None
    if given.part is Part.TEXT:
        return _in_lines(reading, given, names)
    rows = listed(reading, (split(reading.words(given.start + 1, given.end - 1)) or [[]])[0], given)
    return None if rows is None else [handed(names, row) for row in rows]


def _in_lines(reading: Reading, given: Node, names: list[list[str]]) -> list[Bound]:
    """A table in a template: names, then a line for each row."""
    rows = [line for line in reading.tree.source(given).strip("`").splitlines() if line.strip()]
    cells = [[cell.strip().removeprefix("${").removesuffix("}") for cell in row.split("|")] for row in rows]
    words = reading.words_in
    told = [
        [word for name, cell in zip(cells[0], row, strict=False) for word in (name, ":", *words(cell), ",")]
        for row in cells[1:]
    ]
    return [handed(names, ["{", *row[:-1], "}"]) for row in told]


def skip_inside(reading: Reading, call: Call, scope: CodeScope) -> Skip | None:
    """``this.skip()``, ``pending()`` and ``test.skip(condition, why)``."""
    names = reading.names(call)
    if call.inner is not None or not call.outermost:
        return None
    kind = _INSIDE.get(names[-1]) if names else None
    if names == ("test", "fail"):
        kind = "xfail"
    elif not (names in (("pending",), ("skip",)) or (len(names) == 2 and names[0] in _CONTEXTS)):
        kind = None
    if kind is None:
        return None
    head = reading.head(call)
    always: bool | None = True
    if head and head[0][0][:1] not in ('"', "`"):
        always = reading.truth(head[0])
    return (
        None if always is False else Skip(kind, reading.line(call.node), reading.text(call.node), always is None)
    )


def settle(reading: Reading) -> None:
    """Programs that end when they are told so skip nothing; tests in a function that nobody calls don't run."""
    for scope in reading.scopes:
        scope.skips = [each for each in scope.skips if not _ends_when_told(reading, each)]
        holder = scope.within(Role.FUNCTION) if scope.role is Role.TEST else None
        if holder is not None and holder.name and _is_alone(reading, holder):
            scope.collected = False


def _ends_when_told(reading: Reading, skip: Skip) -> bool:
    """``process.on("SIGTERM", () => process.exit(0))``: a program that ends with the one that started it."""
    if skip.kind != "disabled" or not skip.text.startswith("process."):
        return False
    line = reading.tree.text.split("\n")[max(0, skip.line - 3) : skip.line]
    return _TOLD.search("\n".join(line)) is not None


def _is_alone(reading: Reading, holder: CodeScope) -> bool:
    named = rf"(?<![\w$.])(export\s[^\n=]{{0,400}}?)?{re.escape(holder.name)}(?![\w$])"
    mentions = re.findall(named, reading.tree.text)
    return len(mentions) == 1 and not mentions[0]
