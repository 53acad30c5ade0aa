"""Tests in Python: pytest, unittest, numpy.testing and mocks."""

import re

from assay.code.operators import PYTHON
from assay.detectors.test_code.engine.expressions.brackets import lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar
from assay.detectors.test_code.engine.expressions.truth import FALSY, Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import Catching, Declaring, Heads, Language, SkipCall, Skipping
from assay.detectors.test_code.engine.reader import read as read_with
from assay.detectors.test_code.languages.python import quirks
from assay.detectors.test_code.languages.python.asserts import CUSTOM, FLUENT, FUNCTIONS
from assay.detectors.test_code.languages.python.newer_syntax import SYNTAX_ERROR
from assay.detectors.test_code.languages.python.spelling import literal
from assay.detectors.test_code.languages.python.tree import respelled
from assay.detectors.test_code.model import Skip, TestCode
from assay.detectors.test_code.word_sets import word_set

_ONE = (
    r"(?:[rRbBuUfF]{1,2})?(?:\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    r"|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
)
_PURE = word_set(
    "abs all any bool bytes chr dict divmod float format frozenset hex int isinstance len list max min object "
    "ord pow range repr reversed round set sorted str sum tuple type zip"
)
_STRINGS = rf"{_ONE}(?:\s*+{_ONE})*+"


LANGUAGE = Language(
    name="python",
    grammar=Grammar("python", {}, ("given",)),
    lexicon=Lexicon(
        lexicon_pattern(_STRINGS, r"#[^\n]*|\\\n|await\b", r"is\s+not\b|not\s+in\b|\w+"),
        literal,
        "\"'bBrRuUfF0123456789",
        frozenset({"respelled"}),
        operators=PYTHON,
        respelled=respelled,
    ),
    heads=Heads(
        function=re.compile(r"(?:async\s+)?def\s+(?P<name>\w+)\s*\((?P<takes>(?:[^()]|\([^()]*\))*)\)"),
        klass=re.compile(r"class\s+(?P<name>\w+)\s*(?:\[[^\]]*\]\s*)?(?:\((?P<parents>[^()]*(?:\([^()]*\)[^()]*)*)\))?"),
        parameter=re.compile(r"^\*{0,2}(\w+)"),
    ),
    libraries=(FUNCTIONS, FLUENT),
    declaring=Declaring(
        hook_names=word_set(
            "setUpModule setup_module setup_function setup setUp setUpClass setup_method setup_class asyncSetUp"
        ),
        shared=re.compile(r"pytest_"),
    ),
    replacing=(
        re.compile(r"\bpatch\(\s*[\"'](?:\w+\.)*?(\w+\.\w+)[\"']\s*,"),
        re.compile(r"\bpatch\.object\(\s*([\w.]+)\s*,\s*[\"'](\w+)[\"']\s*,"),
        re.compile(r"\bmonkeypatch\.setattr\(\s*([\w.]+)\s*,\s*[\"'](\w+)[\"']\s*,"),
        re.compile(r"\bmonkeypatch\.setattr\(\s*[\"'](?:\w+\.)*?(\w+\.\w+)[\"']\s*,"),
    ),
    skipping=Skipping(
        marks={"skip": "skip", "expectedFailure": "xfail"},
        asked={
            "skipif": SkipCall(at=0, unless=False, label="condition"),
            "skipIf": SkipCall(at=0, unless=False, label="condition"),
            "skipUnless": SkipCall(at=0, unless=True, label="condition"),
            "xfail": SkipCall("xfail", at=0, unless=False, label="condition"),
        },
        throws=re.compile(r"raise\s+(?:[\w.]+\.)?(?:SkipTest|Skipped|skip\.Exception)\b"),
        exits=False,
        whole=True,
    ),
    catching=Catching(
        assertions=re.compile(r"except\s*\*?\s*:|\b(?:AssertionError|Exception|BaseException)\b"),
        loud=frozenset(("fail", "exit")),
        losing={"Thread": re.compile(r"\.join\("), "start_new_thread": re.compile(r"\.acquire\(|\.wait\(")},
    ),
    logic=Logic(FALSY | {"[]", "{}", "()", "set()", "''"}, capitals=True, chained=True, loose=True, pure=_PURE),
    broad=frozenset(("Exception", "BaseException", "Warning", "UserWarning", "object")),
    exits=frozenset(
        (("sys", "exit"), ("os", "_exit"), ("exit",), ("quit",), ("os", "abort"), ("pytest", "exit"),
         ("pytest", "skip"), ("pytest", "xfail"), ("self", "skipTest"), ("pytest", "fail"), ("self", "fail"))
    ),
    ending=re.compile(r"os\.kill\(\s*(?:(?:os\.)?getpid\(\s*\)|0\s*,)"),
    nothing=re.compile(r"(?:\bin\s*(?:\(\)|\[\]|\{\}|''|\"\"|range\(0\)|set\(\))|\[:0\])\s*\Z"),
    fails=frozenset(("fail",)),
    fail_receivers=frozenset(("pytest", "self", "cls", "outcomes")),
    custom=CUSTOM,
    known={"__name__": '"a module"', "TYPE_CHECKING": "False", "typing.TYPE_CHECKING": "False"},
    oldest={"sys.version_info": (3.0, 8.0)},
    stubs=frozenset(("Mock", "MagicMock", "AsyncMock", "NonCallableMock")),
    quirks=quirks.QUIRKS,
)  # fmt: skip


def read_python(text: str) -> TestCode:
    """The tests of a Python file. Never raises: what can't be parsed or followed is a problem."""
    try:
        return read_with(LANGUAGE, text)
    except (SyntaxError, ValueError) as error:
        # Null bytes are a syntax error from Python 3.12 on, and a ValueError before.
        line, message = getattr(error, "lineno", None) or 1, getattr(error, "msg", None) or type(error).__name__
        skip = Skip("disabled", line, SYNTAX_ERROR)
        return TestCode("python", skips=(skip,), problems=(f"Line {line} can't be parsed: {message}.",))
    except (OverflowError, RecursionError, MemoryError):
        problem = "The file is nested too deeply to be read."
        return TestCode("python", problems=(problem,), unreadable="it is nested too deeply")
