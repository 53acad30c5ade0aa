"""Groups, tests and hooks of JavaScript's runners: what declares them, how often they run, what skips them."""

import re
from functools import lru_cache
from itertools import islice

from assay.detectors.test_code.engine.calls import Call, Names
from assay.detectors.test_code.engine.case_rows import rows_of
from assay.detectors.test_code.engine.language import Declared
from assay.detectors.test_code.engine.literals import elements
from assay.detectors.test_code.engine.parts import LOOPS, Part
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.engine.scopes import Role, Scope, title
from assay.detectors.test_code.engine.words import joined, split
from assay.detectors.test_code.model import Skip
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_TESTS = word_set("it test specify")
_SUITES = word_set("describe context suite feature")
_DECLARING = _TESTS | _SUITES
_HOOKS = word_set(
    "before beforeEach beforeAll after afterEach afterAll setup teardown suiteSetup suiteTeardown aroundEach"
)
_PREFIXES = {"x": "skip", "f": "only"}
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
_LOOPING = frozenset(("forEach", "map", "flatMap"))
_TOLD = re.compile(
    r"""process\.(?:stdin\.(?:on|once)\(\s*['"`](?:end|close)|(?:on|once)\(\s*['"`]SIG[A-Z]+)['"`]"""
)

_Modifiers = tuple[tuple[str, bool], ...]


@lru_cache(maxsize=1024)
def _declaration(names: Names) -> tuple[Role, _Modifiers] | None:
    """What a call of these names declares, and its modifiers: ("skip", True) where a condition decides."""
    if not names:
        return None
    base, conditional = names[0].rstrip("?"), names[0].endswith("?")
    modifiers = [(name.rstrip("?"), name.endswith("?")) for name in names[1:]]
    if (modifiers[-1][0] if modifiers else base) in _HOOKS:
        return Role.HOOK, ()
    if base not in _DECLARING and base[:1] in _PREFIXES and base[1:] in _DECLARING:
        modifiers.insert(0, (_PREFIXES[base[0]], conditional))
        base = base[1:]
    words = {name for name, _ in modifiers}
    if base not in _DECLARING or not words <= _MODIFIERS:
        return None
    group = base in _SUITES or not words.isdisjoint(("describe", "suite"))
    return (Role.SUITE if group else Role.TEST), tuple(modifiers)


def declared(reading: Reading, call: Call, scope: Scope) -> Declared | None:
    """What a call declares: itself, or as ``it.each(table)(name, body)`` with the call it is made on."""
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
        return Declared(role)
    made = Declared(role, title(head[0]) if head else "(no name)", cases=_cases(reading, call, scope))
    if role is Role.TEST:
        made.assertions = _rows(reading, call)
    if modifiers or reading.notes.get("stubs"):
        _modify(reading, call, modifiers, made)
    for part in head[1:]:
        _options(reading, call.node, part, made)
    bodiless = call.arguments is not None and call.arguments.part_child(Part.CALL, Part.CLOSURE) is None
    if role is Role.TEST and len(head) == 1 and bodiless and not made.skips:
        made.skips.append(Skip("todo", reading.line(call.node), joined(head[0])))
    return made


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


def _modify(reading: Reading, call: Call, modifiers: _Modifiers, made: Declared) -> None:
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
        elif kind == "focus":
            made.focus = Skip("focus", line, text, conditional)
        elif kind is not None:
            made.skips.append(Skip(kind, line, text, conditional))
    stubs = reading.notes.get("stubs")
    if isinstance(stubs, set) and stubs & {"it", "test", "describe"} & {text.partition(".")[0]}:
        made.skips.append(Skip("disabled", line, f"{text} is redefined and runs nothing"))


def _options(reading: Reading, node: Node, part: list[str], made: Declared) -> None:
    """The options that node:test, Vitest and Playwright take: ``{ skip: true }``."""
    for option in split(part[1:-1]) if part[:1] == ["{"] else ():
        kind = _SKIPS.get(option[0].strip('"'))
        value = option if len(option) == 1 else option[2:] if option[1] == ":" else []
        always = reading.truth(value)
        if kind is None or always is False or not value:
            continue
        skip = Skip(kind, reading.line(node), joined(part), always is None)
        if kind == "focus":
            made.focus = skip
        else:
            made.skips.append(skip)


def _has_table(call: Call | None) -> bool:
    return call is not None and bool(call.names) and call.names[-1].rstrip("?") in _PARAMETERS


def _rows(reading: Reading, call: Call) -> list:  # type: ignore[type-arg]
    """What the rows of ``it.each([…])`` want, each for itself."""
    given = call.inner.arguments if call.inner is not None and _has_table(call.inner) else None
    if given is None or given.part is Part.TEXT:
        return []
    return rows_of(reading.line(given), _elements(reading, given.start + 1, given.end - 1) or [])


def _cases(reading: Reading, call: Call, outer: Scope) -> int | None:
    """How many times a declaration runs within the scope around it."""
    count = _table(reading, call)
    for around in islice(call.node.ancestors(), FAR):
        if reading.scope_of.get(around) is not outer or count is None:
            break
        times = _times(reading, around)
        count = None if times is None else count * times
    return count


def _table(reading: Reading, call: Call) -> int | None:
    if not _has_table(call.inner):
        return 1
    given = call.inner.arguments if call.inner is not None else None
    if given is None:
        return None
    if given.part is Part.TEXT:
        rows = [line for line in reading.tree.source(given).strip("`").splitlines() if line.strip()]
        return max(0, len(rows) - 1)
    return _length(_elements(reading, given.start + 1, given.end - 1))


def _length(elements: list[list[str]] | None) -> int | None:
    return None if elements is None else len(elements)


def _elements(reading: Reading, start: int, end: int) -> list[list[str]] | None:
    """The elements of a list that is written out, here or where its name is bound."""
    found = reading.words(start, end)
    if found and found[0] in reading.values.lists:
        found = [*reading.words(*reading.values.lists[found[0]]), *found[1:]]
    return elements(split(found)[0]) if found[:1] == ["["] else None


def _times(reading: Reading, node: Node) -> int | None:
    """How often a loop, or a call that is given a function, runs what is in it."""
    if node.part is Part.EACH:
        body = node.part_child(Part.BLOCK)
        head = reading.tree.text[node.start : body.start if body is not None else node.end].rstrip()
        at = head.find(" of ")
        if at < 0 or not head.endswith(")"):
            return None
        return _length(_elements(reading, node.start + at + 4, node.start + len(head) - 1))
    if node.part in LOOPS or node.part is Part.ONCE:
        return None
    given = node.parent
    if node.part is not Part.CLOSURE or given is None or given.part is not Part.GIVEN or given.parent is None:
        return 1
    call = reading.calls.get(given.parent)
    if call is None or not call.names or call.names[-1] not in _LOOPING:
        return 1
    if call.inner is not None:
        return None
    start = call.node.start
    receiver = reading.tree.text[start : given.start].rstrip().rpartition(".")[0]
    return _length(_elements(reading, start, start + len(receiver)))


def skip_inside(reading: Reading, call: Call, scope: Scope) -> Skip | None:
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


def _is_alone(reading: Reading, holder: Scope) -> bool:
    named = rf"(?<![\w$.])(export\s[^\n=]{{0,400}}?)?{re.escape(holder.name)}(?![\w$])"
    mentions = re.findall(named, reading.tree.text)
    return len(mentions) == 1 and not mentions[0]
