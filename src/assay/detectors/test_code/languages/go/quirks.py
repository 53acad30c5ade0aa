"""Peculiarities of tests in Go."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.demand import Demand, WrittenDemand
from assay.detectors.test_code.engine.expressions.brackets import last_opening
from assay.detectors.test_code.engine.expressions.calls import Call
from assay.detectors.test_code.engine.expressions.chains import chain
from assay.detectors.test_code.engine.expressions.conditions import equality
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.engine.expressions.truth import comparison
from assay.detectors.test_code.engine.expressions.words import joined
from assay.detectors.test_code.engine.language import DeclaredPart, Declaring, Quirks, roles
from assay.detectors.test_code.engine.marks import Function
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.engine.rows import rows_of
from assay.detectors.test_code.engine.scopes import CodeScope, Role, title
from assay.detectors.test_code.languages.go.tags import constraints
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.tree import Node

_HANDLES = re.compile(r"\b(\w+)\s+(?:\*testing\.[TBF]|testing\.TB|\*check\.C|\*C|\*qt\.C|GinkgoTInterface)\b")
_FAKE = re.compile(r"(?:&\s*testing\.T\s*\{|new\(\s*testing\.T\s*\)|testing\.T\s*\{)")
_FAKED = re.compile(r"\b(\w+)\s*:?=\s*(?:&\s*testing\.T\s*\{|new\(\s*testing\.T\s*\)|testing\.T\s*\{)")
_MADE = re.compile(
    r"\b(\w+)\s*:=\s*(?:\w+\.)?New(?:WithT|GomegaWithT)?\(\s*(?:t|tt|tb|b|c|s\.T\(\)|suite\.T\(\))\s*[,)]"
)
_OWNERS = re.compile(
    r"^func\s*\(\s*(\w+)\s+\*?(?:\w*Suite\w*|\w+\)\s*(?:Test|Set[Uu]p|TearDown|Before|After))", re.MULTILINE
)
_COLLECTED = re.compile(r"Test(?![a-z])\w*\Z")
_ONE_HANDLE = re.compile(r"\s*+(?:\w++\s++)?\*testing\.T\s*+,?\s*+\Z")
_MAIN = re.compile(r"\((\w+)\s+\*testing\.M\)")
_OUTPUT = re.compile(r"//\s*(?:Unordered )?[Oo]utput:(.*)", re.DOTALL)
_METHOD = re.compile(r"func\s*\(\s*(?:\w+\s+)?\*?(\w+)")
_RANGE = re.compile(r"for[^{\n]*\brange\b\s*(?:(\w+)\s*\{\s*\n)?")
_STRUCT = re.compile(r"(?:\btype\s+(\w+)\s+)?\bstruct\s*\{([^{}]*+(?:\{[^{}]*+\}[^{}]*+)*+)\}")
_FIELD = re.compile(r"\s*([A-Za-z_]\w*(?:\s*,\s*\w+)*)\s+\S")
_KIND = re.compile(r"reflect\.TypeOf\((.+)\)(?:\.Kind\(\))?")
_NOTE = re.compile(r"//[^\n]*")
_ERROR = re.compile(r"(?:\w*[eE]rr|.*\.Err\(\)|\w*[eE]rror)\Z")
DECLARING = Declaring(
    calls=roles(
        TEST="It Specify Entry",
        SUITE="Describe Context When DescribeTable",
        HOOK="BeforeEach AfterEach JustBeforeEach BeforeSuite AfterSuite BeforeAll AfterAll",
    ),
    prefixes={"P": "skip", "X": "skip", "F": "focus"},
)
_REPORTING = frozenset(
    ("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "panic", "Equal", "NotNil", "Nil", "True")
)
_CHECKERS = frozenset(("Equals", "DeepEquals", "CmpEquals", "ErrorIs", "JSONEquals", "ErrorMatches"))


def _file_skips(reading: Reading) -> list[Skip]:
    """Build tags; and on the way, the names that ``*testing.T`` goes by."""
    text = reading.tree.text
    named = {"t", *_HANDLES.findall(text), *_MADE.findall(text), *_OWNERS.findall(text)}
    reading.handles = named | _fakes(reading)
    return constraints(text)


@noted
def _fakes(reading: Reading) -> set[str]:
    return set(_FAKED.findall(reading.tree.text)) - {"t"}


def _function(reading: Reading, function: Function) -> DeclaredPart | None:
    head = reading.tree.text[function.node.start : function.node.start + 400]
    method = _METHOD.match(head)
    name, takes = function.name, function.takes
    results = head.partition("{")[0].rpartition(")")[2].strip()
    if method is not None:
        if _COLLECTED.match(name) and not takes and not results:
            return DeclaredPart(Role.TEST, f"{method[1]} > {name}")
        return None
    if name == "TestMain":
        return _main(reading, function.node)
    if name.startswith("Example") and not takes:
        return _example(reading, name, function.node)
    handed = _ONE_HANDLE.match(takes) is not None and not results
    if _COLLECTED.match(name) and handed:
        return DeclaredPart(Role.TEST, name)
    looks = (handed and "test" in name.lower()) or _COLLECTED.match(name)
    if looks and reading.values.mentions(name) < 2:
        # Neither collected nor called: it was put out of action.
        return DeclaredPart(Role.TEST, name, collected=False)
    return None


def _main(reading: Reading, node: Node) -> DeclaredPart:
    """``TestMain`` decides whether tests run and whether a failure counts."""
    line = reading.line(node)
    calls = [reading.calls[each] for each in reading.tree.within(node.start, node.end) if each in reading.calls]
    calls = [call for call in calls if not call.node.dead]
    exits = [call.node for call in calls if call.names == ("os", "Exit")]
    well = [each for each in exits if reading.tree.source(each).replace(" ", "") == "os.Exit(0)"]
    if not _is_handed_over(reading, node, calls) and not any(call.names[-1:] == ("Run",) for call in calls):
        reading.scopes[0].skips.append(Skip("disabled", line, "TestMain runs no test"))
    elif len(exits) == 1 and well and _is_direct(exits[0], node):
        reading.scopes[0].skips.append(Skip("disabled", line, "TestMain always exits with 0"))
    else:
        for each in well if not _is_direct(well[-1] if well else node, node) else ():
            reading.scopes[0].skips.append(Skip("disabled", reading.line(each), reading.tree.source(each), True))
    return DeclaredPart(Role.HOOK, "TestMain")


def _is_handed_over(reading: Reading, node: Node, calls: list[Call]) -> bool:
    """Whether the handle of ``TestMain`` is given to another function, which may run the tests."""
    handle = _MAIN.search(reading.tree.text, node.start, node.end)
    given = (reading.words_of(call.arguments) for call in calls if call.arguments is not None)
    return handle is not None and any(handle[1] in words for words in given)


def _is_direct(node: Node, function: Node) -> bool:
    return node.parent is not None and node.parent.parent is function


def _example(reading: Reading, name: str, node: Node) -> DeclaredPart:
    """An example is run only where its output is written down, and then it must be that output."""
    output = _OUTPUT.search(reading.tree.source(node))
    if output is None:
        return DeclaredPart(Role.FUNCTION, name)
    expected = " ".join(output[1].replace("//", " ").rstrip("} \n\t").split())
    demanded = Assertion(reading.line(node), f"Output: {expected}", Strength.EXACT, name, expected)
    return DeclaredPart(Role.TEST, name, assertions=[demanded])


def _call(reading: Reading, call: Call, scope: CodeScope) -> DeclaredPart | None:
    names = call.names
    if call.inner is not None or not names:
        return None
    if len(names) > 1 and names[-1] == "Run" and scope.role is Role.TEST and names[0] in reading.handles:
        head = reading.head(call)
        if not head:
            return None
        return DeclaredPart(Role.TEST, title(head[0]), scope.collected)
    return _ginkgo(reading, call)


def _ginkgo(reading: Reading, call: Call) -> DeclaredPart | None:
    role, _, kind = DECLARING.called(call.names[-1])
    if role is None or call.arguments is None or call.arguments.part_child(Part.CLOSURE, Part.CALL) is None:
        return None
    head, line, text = reading.head(call), reading.line(call.node), ".".join(call.names)
    declared = DeclaredPart(role, title(head[0]) if head and role is not Role.HOOK else "")
    for each in (kind, "skip" * (["Pending"] in head), "focus" * (["Focus"] in head)):
        if each:
            declared.add(each, line, text)
    return declared


def _fields(reading: Reading, words: list[str]) -> list[str]:
    """The names of the fields of the records in a list: ``[]struct{ a, b int }{…}``."""
    known = reading.notes.get("fields")
    if not isinstance(known, dict):
        known = reading.notes["fields"] = {
            named[1] or "".join(reading.words_in(f"struct{{{named[2]}}}")): _names(named[2])
            for named in _STRUCT.finditer(reading.tree.text)
        }
    opened = next((at for at in range(1, len(words)) if words[at] == "]"), 0) + 1
    head = "".join(words[opened : last_opening(words)]).lstrip("*")
    return known.get(head, [])


def _names(fields: str) -> list[str]:
    lines = (_FIELD.match(line) for line in re.split(r"[;\n]", _NOTE.sub("", fields)))
    return [name.strip() for line in lines if line is not None for name in line[1].split(",")]


def _empty(reading: Reading, loop: Node) -> bool:
    """A loop that is switched off, or over a table without rows that nothing can fill."""
    head = reading.tree.text[loop.start + 3 : loop.start + 40].strip()
    ranged = _RANGE.search(reading.tree.text, loop.start, loop.start + 400)
    if ranged is None or (ranged[1] and reading.values.mentions(ranged[1]) != 2):
        return head.startswith("false {")
    return rows_of(reading, loop) == []


def _asserted(reading: Reading, call: Call, scope: CodeScope) -> list[WrittenDemand] | None:
    """gocheck's and quicktest's checkers, and assertions on a fake ``t``."""
    if call.names[-1:] not in (("Assert",), ("Check",)) or call.inner is not None:
        return None
    words = reading.words_of(call.node)
    given = [each for each in chain(words)[-1].arguments or [] if joined(each) not in reading.handles]
    if len(given) < 2:
        return None
    subject, checker, expected = [*given, []][:3]
    if checker[-1] in _CHECKERS and expected:
        return [WrittenDemand(joined(words), equality(subject, expected, {}, reading.language.logic))]
    nothing = {
        "IsNil": (Strength.EXACT, "nil"),
        "NotNil": (Strength.PRESENCE, None),
        "IsNotNil": (Strength.PRESENCE, None),
    }
    strength, wanted = nothing.get(checker[-1], (Strength.SHAPE, joined(expected) or None))
    return [WrittenDemand(joined(words), Demand(strength, joined(subject), wanted))]


def _condition(reading: Reading, words: list[str], wanted: bool, guard: Node) -> WrittenDemand | None:
    """``diff := cmp.Diff(want, got); diff != ""``, and that there is no error."""
    compared = comparison(words)
    if compared is None:
        return None
    if compared.right == ['""'] and not wanted:
        init = guard.part_child(Part.BINDING)
        made = reading.words_of(init) if init is not None and init.start < guard.start + 20 else []
        if "Diff" in made and ":=" in made:
            link = chain(made[made.index(":=") + 1 :])[-1]
            return WrittenDemand(joined(words), Demand(Strength.EXACT, link.text(1) or "", link.text(0)))
    kind = _KIND.fullmatch(joined(compared.left))
    if kind is not None and (compared.operator == "==") is wanted:
        asked = Demand(Strength.SHAPE, kind[1], f"instanceOf({joined(compared.right)})")
        return WrittenDemand(joined(words), asked)
    if compared.right == ["nil"] and _ERROR.match(joined(compared.left)):
        absent = (compared.operator == "==") is wanted
        strength = Strength.PRESENCE if absent else Strength.SHAPE
        return WrittenDemand(
            joined(words), Demand(strength, joined(compared.left), "nil" if absent else "not nil")
        )
    return None


def _lost(reading: Reading, call: Call) -> bool:
    """Whether an assertion is made on a fake ``t``."""
    head = reading.tree.text[call.node.start : min(call.node.end, call.node.start + 200)]
    given = call.arguments
    first = reading.words(given.start + 1, given.end - 1)[:1] if given is not None else []
    return _FAKE.search(head) is not None or not _fakes(reading).isdisjoint(first)


def _skip(reading: Reading, call: Call, scope: CodeScope) -> Skip | None:
    """Whether a call ends the program as if all was well."""
    if call.names != ("os", "Exit") or call.inner is not None:
        return None
    if reading.tree.source(call.node).replace(" ", "") != "os.Exit(0)" or scope.name == "TestMain":
        return None
    found = Skip("disabled", reading.line(call.node), reading.text(call.node))
    if scope.name == "init":
        left = any(each.part is Part.RETURN for each in reading.tree.within(scope.node.start, call.node.start))  # type: ignore[union-attr]
        reading.scopes[0].skips.append(replace(found, conditional=left or call.node.conditional))
        return None
    return found


def _silences(reading: Reading, node: Node) -> bool:
    """A silent recovery from panics, or a ``t`` that is replaced by a fake one."""
    if node.part is Part.DEFER:
        within = reading.tree.within(node.start, node.end)
        names = [reading.calls[each].names for each in within if each in reading.calls]
        if ("recover",) not in names or any(name and name[-1] in _REPORTING for name in names):
            return False
        return reading.function_around(node) not in reading.panics
    if node.part in (Part.BINDING, Part.ASSIGNMENT):
        made = _FAKED.match(reading.tree.text, node.start)
        return made is not None and made[1] in reading.handles
    return False


QUIRKS = Quirks(
    file_skips=_file_skips,
    function=_function,
    call=_call,
    asserted=_asserted,
    condition=_condition,
    lost=_lost,
    skip=_skip,
    silences=_silences,
    empty=_empty,
    fields=_fields,
)
