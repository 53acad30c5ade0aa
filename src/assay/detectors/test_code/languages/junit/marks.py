"""Annotations of JUnit and TestNG: which make a test, which skip it, how often parameters make it run."""

import re

from assay.detectors.test_code.engine.language import Declared
from assay.detectors.test_code.engine.literals import number
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.parts import Part
from assay.detectors.test_code.engine.reading import Reading
from assay.detectors.test_code.engine.scopes import Role
from assay.detectors.test_code.engine.words import closing, joined, split
from assay.detectors.test_code.model import Assertion, Skip, Strength
from assay.detectors.test_code.word_sets import word_set

_TESTS = word_set("Test TestFactory TestTemplate Theory Property Example Scenario")
_SOURCE = re.compile(r"\w+(?:Source|Sources)")
_HOOKS = word_set(
    "Before BeforeEach BeforeAll BeforeClass BeforeMethod BeforeTest BeforeSuite After AfterEach AfterAll "
    "AfterMethod AfterClass DataProvider"
)
_NEUTRAL = word_set("Disabled Ignore DisplayName Tag Tags Timeout Order Category SuppressWarnings Issue Suppress")
_PARAMETRISED = frozenset({"TestFactory", "ParameterizedTest", "TestTemplate"})
_FIXED = {"NullSource": 1, "EmptySource": 1, "NullAndEmptySource": 2}
_SETTINGS = frozenset({"delimiter", "nullValues", "quoteCharacter", "delimiterString"})
_CONDITIONAL = re.compile(r"(?:Disabled|Enabled)(?:If|On|For|In)")
_EVERY_SYSTEM = ("LINUX", "MAC", "WINDOWS")
_ANNOTATED = re.compile(r"^import\s+org\.(?:junit\.(?:Test|\*|jupiter\b)|testng\.annotations)", re.MULTILINE)
_TEST_CLASS = re.compile(r"(?:^|[a-z0-9_])(?:Tests?|IT|Spec|TestCase|Should)$|^Test[A-Z]")
_GIVES = re.compile(
    r"(?:of|asList|ofEntries|listOf|arrayOf)\s*\(|new\s+Object\s*(?:\[\s*\]\s*)+\{|\breturn\s+new\s+\w+\s*(?:\[\s*\]\s*)+\{"
)
_ANSWER = r"\b{}\s*\(\s*\)[^{{;=]{{0,40}}(?:\{{\s*return|=)\s+(true|false)\b"
_LIST_OPENERS = (["{"], ["["])
_LONGEST = 20_000


def values_of(mark: Mark) -> dict[str, list[str]]:
    """What a mark is given by name; an unnamed value is called ``value``."""
    found: dict[str, list[str]] = {}
    for each in mark.given:
        named = len(each) > 2 and each[1] == "="
        found[each[0] if named else "value"] = each[2:] if named else each
    return found


def makes_test(mark: Mark) -> bool:
    return mark.name in _TESTS or (mark.name.endswith("Test") and mark.name not in ("BeforeTest", "AfterTest"))


def function(reading: Reading, found: Function) -> Declared | None:
    """What a method is by its annotations, or by its name in the old style."""
    holder = found.node.parent
    if holder is not None and holder.part not in (Part.CLASS, Part.FILE):
        # A method of an anonymous class belongs to the code around it.
        return None
    marks = _all_marks(reading, found.marks)
    if any(mark.name in _HOOKS for mark in marks) or found.name == "setUp":
        return Declared(Role.HOOK, found.name)
    collected = _collected(reading, found, marks)
    if not collected and not _looks_like_test(reading, found, marks):
        return None
    declared = Declared(Role.TEST, found.name, collected, mark_skips(reading, marks))
    declared.cases = _cases(reading, found, marks)
    declared.rows = _rows(marks, found.takes) if found.takes else ()
    _expect_error(reading, found, declared)
    return declared


def klass(reading: Reading, found: Class) -> Declared:
    marks = _all_marks(reading, found.marks)
    reading.notes.setdefault("aliases", {})[found.name] = found.marks  # type: ignore[index]
    skips = mark_skips(reading, marks)
    heirs = re.search(rf"(?:extends\s|:\s?){re.escape(found.name)}\b", reading.tree.text)
    if "abstract" in found.words and heirs is None:
        skips.append(Skip("excluded", reading.line(found.node), f"abstract class {found.name}", conditional=True))
    return Declared(Role.SUITE, found.name, collected=False, skips=skips)


def _all_marks(reading: Reading, marks: list[Mark]) -> list[Mark]:
    """Annotations with those that the file's own annotations stand for."""
    aliases = reading.notes.get("aliases")
    stood_for = [
        more for mark in marks for more in (aliases.get(mark.name, ()) if isinstance(aliases, dict) else ())
    ]
    return [*marks, *stood_for]


def _collected(reading: Reading, found: Function, marks: list[Mark]) -> bool:
    made = [mark for mark in marks if makes_test(mark)]
    if found.words & {"private", "static", "abstract"}:
        return False
    if made:
        plain = all(mark.name == "Test" for mark in made)
        gives_nothing = "void" in found.words or "fun" in found.words
        return (not plain or gives_nothing) and _class_collected(reading, found.owner)
    if not {"public", "void"} <= found.words and "fun" not in found.words:
        return False
    if found.owner is not None and found.owner.has("Test"):
        return True
    parent = found.owner.parents[0] if found.owner is not None and found.owner.parents else ""
    if found.takes or not found.name.startswith("test"):
        return False
    annotated = _ANNOTATED.search(reading.tree.text) is not None
    return parent.endswith("TestCase") or ("Test" in parent and not annotated)


def _class_collected(reading: Reading, owner: Class | None) -> bool:
    """JUnit 5 runs an inner class only if it says so."""
    jupiter = "org.junit.jupiter" in reading.tree.text
    while owner is not None and owner.outer is not None:
        nested = owner.has("Nested")
        inner = owner.node.kind == "class_declaration" and "static" not in owner.words
        if (nested and "private" in owner.words) or (inner and not nested and jupiter):
            return False
        owner = owner.outer
    return True


def _looks_like_test(reading: Reading, found: Function, marks: list[Mark]) -> bool:
    """A test whose annotation is gone, and no method that others call or that a framework needs."""
    if any(makes_test(mark) for mark in found.marks):
        return "abstract" not in found.words
    if any(_SOURCE.fullmatch(mark.name) for mark in marks):
        return True
    if not all(mark.name in _NEUTRAL for mark in marks) or found.takes or found.owner is None:
        return False
    if not found.words & {"void", "fun"} or reading.values.mentions(found.name) > 1:
        return False
    holds = _TEST_CLASS.search(found.owner.name) is not None or "@Test" in reading.tree.source(found.owner.node)
    asserts = re.search(
        r"\b(?:assert\w*|verify|fail|expect\w*)\s*[(<{]", reading.tree.source(found.node)[:_LONGEST]
    )
    return holds and (asserts is not None or found.name.lower().startswith("test"))


def mark_skips(reading: Reading, marks: list[Mark]) -> list[Skip]:
    """The skips among annotations."""
    found = []
    for mark in marks:
        conditional = _skips(reading, mark)
        if conditional is not None:
            found.append(Skip("disabled", mark.line, f"@{mark.text}", conditional))
    return found


def _skips(reading: Reading, mark: Mark) -> bool | None:
    """Whether it is a condition that skips; None where nothing does."""
    if mark.name in ("Disabled", "Ignore", "Ignored"):
        return False
    values = values_of(mark)
    if mark.name == "Test" and "enabled" in values:
        enabled = reading.truth(values["enabled"])
        return None if enabled else enabled is None
    if not _CONDITIONAL.match(mark.name):
        return None
    if mark.name == "DisabledOnOs":
        return not all(system in mark.text for system in _EVERY_SYSTEM)
    value = joined(values.get("value", values.get("expression", []))).strip("\"'#{} ")
    answer = {"true": True, "false": False}.get(value)
    if answer is None and re.fullmatch(r"\w+", value):
        told = re.search(_ANSWER.format(re.escape(value)), reading.tree.text)
        answer = None if told is None else told[1] == "true"
    if answer is None:
        return True
    return False if answer is mark.name.startswith("Disabled") else None


def _cases(reading: Reading, found: Function, marks: list[Mark]) -> int | None:
    """How often a test runs."""
    runner = [mark for mark in (found.owner.marks if found.owner else ()) if mark.name == "RunWith"]
    if any("Parameterized" in mark.text or "Theories" in mark.text for mark in runner):
        return None
    for mark in marks:
        values = values_of(mark)
        if mark.name == "RepeatedTest":
            times = number(values.get("value", []))
            return int(times) if times is not None else None
        if mark.name == "Test" and "dataProvider" in values:
            return _provided(reading, joined(values["dataProvider"]).strip('"'))
    counts = [_count(reading, mark, found.name) for mark in marks if _SOURCE.fullmatch(mark.name)]
    if counts:
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None
    return 1 if _PARAMETRISED.isdisjoint(mark.name for mark in marks) else None


def _count(reading: Reading, mark: Mark, name: str) -> int | None:
    values = values_of(mark)
    if mark.name in _FIXED:
        return _FIXED[mark.name]
    if mark.name == "MethodSource":
        return _provided(reading, joined(values["value"]).strip('"') if "value" in values else name)
    if mark.name == "EnumSource":
        return None if "names" not in values or "mode" in values else len(_elements(values["names"]))
    if mark.name not in ("ValueSource", "CsvSource"):
        return None
    if "textBlock" in values:
        return len(_lines(values)) - (values.get("useHeadersInDisplayName") == ["true"])
    listed = [value for key, value in values.items() if key not in _SETTINGS]
    unnamed = [each for each in mark.given if not (len(each) > 2 and each[1] == "=")]
    return len(unnamed) if len(unnamed) > 1 else len(_elements(listed[0])) if listed else None


def _provided(reading: Reading, name: str) -> int | None:
    """How many arguments a provider of the file gives, where it simply lists them."""
    quoted = re.search(rf'DataProvider\(\s*name\s*=\s*"{re.escape(name)}"', reading.tree.text)
    last = re.escape(name.rsplit(".", 1)[-1].rsplit("#", 1)[-1])
    start = quoted or re.search(
        rf"(?:static\b[^;{{}}=]{{0,400}}|DataProvider[^;{{}}=]{{0,400}}|fun\s){last}\s*\(", reading.tree.text
    )
    if start is None:
        return None
    source = reading.tree.text[start.start() : start.start() + _LONGEST]
    gives = _GIVES.search(source, start.end() - start.start())
    if gives is None:
        return None
    inside = reading.words_in(source[gives.end() - 1 :])
    return len(split(inside[1 : closing(inside, 0)]))


def _elements(value: list[str]) -> list[list[str]]:
    """An array has as many as it lists; a single value is an array of one."""
    if value[:1] in _LIST_OPENERS:
        return split(value[1:-1])
    return split(value[2:-1]) if value[:1] in (["arrayOf"], ["intArrayOf"]) else [value]


def _lines(values: dict[str, list[str]]) -> list[str]:
    lines = [line.strip() for line in joined(values["textBlock"]).strip('"').splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _rows(marks: list[Mark], takes: str) -> list[list[str]]:
    """The literal values that annotations give to the parameters of a test, row by row."""
    texts = ["String" in piece for piece in takes.split(",")]
    given: list[list[str]] = []
    for mark in marks:
        values = values_of(mark)
        if mark.name == "ValueSource":
            given += [[joined(each)] for value in values.values() for each in _elements(value)]
        elif mark.name == "CsvSource":
            unnamed = [each for each in mark.given if not (len(each) > 2 and each[1] == "=")]
            listed = [each for value in (unnamed or [values.get("value", [])]) for each in _elements(value)]
            rows = _lines(values) if "textBlock" in values else [joined(each).strip('"') for each in listed]
            delimiter = joined(values.get("delimiter", values.get("delimiterString", [","]))).strip("\"'") or ","
            for row in rows:
                cells = [cell.strip().strip("'") for cell in row.split(delimiter)]
                given.append(
                    [f'"{cell}"' if at < len(texts) and texts[at] else cell for at, cell in enumerate(cells)]
                )
        elif _SOURCE.fullmatch(mark.name):
            return []
    return given


def _expect_error(reading: Reading, found: Function, declared: Declared) -> None:
    """``@Test(expected = X.class)`` demands an exception, and turns other assertions around."""
    for mark in found.marks:
        values = values_of(mark)
        kind = values.get("expected", values.get("expectedExceptions"))
        if mark.name != "Test" or kind is None:
            continue
        name = joined(kind).replace(".class", "").replace("::class", "").strip("{}[] ")
        last = name.rsplit(".", 1)[-1]
        broad = last in reading.language.broad or last in ("AssertionError", "AssertionFailedError")
        body = found.node.part_child(Part.BLOCK)
        end = body.children[-1] if body is not None and body.children else None
        subject = joined(reading.words_of(end)) if end is not None else ""
        strength = Strength.SHAPE if broad else Strength.EXACT
        declared.assertions.append(Assertion(mark.line, f"@{mark.text}", strength, subject, name))
        declared.must_fail = broad
