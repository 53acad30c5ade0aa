"""Annotations of JUnit and TestNG: which make a test, which skip it, how often parameters make it run."""

import re
from collections.abc import Sequence

from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import number
from assay.detectors.test_code.engine.expressions.words import joined, split
from assay.detectors.test_code.engine.language import DeclaredPart, Declaring
from assay.detectors.test_code.engine.marked import expect_error
from assay.detectors.test_code.engine.marks import Class, Function, Mark
from assay.detectors.test_code.engine.reading import LONGEST, Reading
from assay.detectors.test_code.word_sets import word_set

_SOURCE = re.compile(r"\w+(?:Source|Sources)")
DECLARING = Declaring(
    marks=re.compile(r"(?!BeforeTest|AfterTest)\w*Test|TestFactory|TestTemplate|Theory|Property|Example|Scenario"),
    hook_marks=word_set(
        "Before BeforeEach BeforeAll BeforeClass BeforeMethod BeforeTest BeforeSuite After AfterEach AfterAll "
        "AfterMethod AfterClass DataProvider"
    ),
    hook_names=frozenset(("setUp",)),
)
_PARAMETRISED = frozenset({"TestFactory", "ParameterizedTest", "TestTemplate"})
_FIXED = {"NullSource": 1, "EmptySource": 1, "NullAndEmptySource": 2}
_SETTINGS = frozenset({"delimiter", "nullValues", "quoteCharacter", "delimiterString"})
_CONDITIONAL = re.compile(r"(?:Disabled|Enabled)(?:If|On|For|In)")
_EVERY_SYSTEM = ("LINUX", "MAC", "WINDOWS")
_ANNOTATED = re.compile(r"^import\s+org\.(?:junit\.(?:Test|\*|jupiter\b)|testng\.annotations)", re.MULTILINE)
_GIVES = re.compile(
    r"(?:of|asList|ofEntries|listOf|arrayOf)\s*\(|new\s+Object\s*(?:\[\s*\]\s*)+\{|\breturn\s+new\s+\w+\s*(?:\[\s*\]\s*)+\{"
)
_ANSWER = r"\b{}\s*\(\s*\)[^{{;=]{{0,40}}(?:\{{\s*return|=)\s+(true|false)\b"
_LIST_OPENERS = (["{"], ["["])


def collected(reading: Reading, found: Function, marked: bool) -> bool:
    """By its annotations, or by its name in the old style."""
    if found.words & {"private", "static", "abstract"}:
        return False
    if marked:
        made = {mark.name for mark in found.marks if DECLARING.marks.fullmatch(mark.name)}
        gives_nothing = not found.words.isdisjoint(("void", "fun"))
        return (made != {"Test"} or gives_nothing) and _class_collected(reading, found.owner)
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


def skips(reading: Reading, mark: Mark, _: Sequence[Mark]) -> bool | None:
    """True for a condition that skips; None where nothing does."""
    values = mark.named
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


def completed(reading: Reading, found: Function, declared: DeclaredPart) -> None:
    """Its rows, and the error that it expects."""
    declared.cases = _cases(reading, found)
    declared.rows = _rows(found.marks, found.takes) if found.takes else ()
    for mark in found.marks:
        kind = mark.named.get("expected", mark.named.get("expectedExceptions"))
        if mark.name == "Test" and kind is not None:
            name = joined(kind).replace(".class", "").replace("::class", "").strip("{}[] ")
            broad = name.rsplit(".", 1)[-1] in {*reading.language.broad, "AssertionError", "AssertionFailedError"}
            expect_error(reading, found.node, mark, name, declared, broad)


def _cases(reading: Reading, found: Function) -> int | None:
    """How often a test runs."""
    runner = [mark for mark in (found.owner.marks if found.owner else ()) if mark.name == "RunWith"]
    if any("Parameterized" in mark.text or "Theories" in mark.text for mark in runner):
        return None
    for mark in found.marks:
        values = mark.named
        if mark.name == "RepeatedTest":
            times = number(values.get("value", []))
            return int(times) if times is not None else None
        if mark.name == "Test" and "dataProvider" in values:
            return _provided(reading, joined(values["dataProvider"]).strip('"'))
    counts = [_count(reading, mark, found.name) for mark in found.marks if _SOURCE.fullmatch(mark.name)]
    if counts:
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None
    return 1 if _PARAMETRISED.isdisjoint(mark.name for mark in found.marks) else None


def _count(reading: Reading, mark: Mark, name: str) -> int | None:
    values = mark.named
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
    return len(mark.values) if len(mark.values) > 1 else len(_elements(listed[0])) if listed else None


def _provided(reading: Reading, name: str) -> int | None:
    """How many arguments a provider of the file gives, where it simply lists them."""
    quoted = re.search(rf'DataProvider\(\s*name\s*=\s*"{re.escape(name)}"', reading.tree.text)
    last = re.escape(name.rsplit(".", 1)[-1].rsplit("#", 1)[-1])
    start = quoted or re.search(
        rf"(?:static\b[^;{{}}=]{{0,400}}|DataProvider[^;{{}}=]{{0,400}}|fun\s){last}\s*\(", reading.tree.text
    )
    if start is None:
        return None
    source = reading.tree.text[start.start() : start.start() + LONGEST]
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
        values = mark.named
        if mark.name == "ValueSource":
            given += [[joined(each)] for value in values.values() for each in _elements(value)]
        elif mark.name == "CsvSource":
            listed = [each for value in (mark.values or [values.get("value", [])]) for each in _elements(value)]
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
