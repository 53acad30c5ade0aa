"""All signs of a file in a language that the native parser reads: what to ask, and when it is worth while."""

import ast
import re
import warnings
from dataclasses import dataclass, field, replace
from functools import lru_cache

from assay.detectors.source_signs.sign import Sign
from assay.evidence.workspace import ReadApart

# A word of which one is in every line that makes a sign, and the functions that are judged by what is in them or
# not. Parsing costs far more than looking for these.
_HINTS = re.compile(
    r"[eE]qual|\b(?:eq|ne)\b|eql\?|(?:def|operator|func)\s{0,4}[=!]=|sameAs|hasInstance|process|[eE]nv|ENV|argv|"
    r"\b[aA]rgs\b|arguments|[sS]tack|[cC]aller|[bB]acktrace|getTrace|callsite|typeof|[tT]est|TEST|[sS]pec\b|jest|jasmine|"
    r"expect|assert|Assert|refute|[eE]xit|halt|\bdie\b|Date\b|Timecop|timekeeper|[mM]ockdate|performance|singleton_class|"
    r"Module\b|require\.cache|prototype|[gG]lobal|PROGRAM_NAME|LOADED_FEATURES|\$0|class\.path|junit|Object\.is|isArray|"
    r"GetAssemblies|FriendlyName|linkname|CARGO_|macro_rules|XCT|PHPUNIT|Symbol\.for|filter_run|exclusion_filter|dry_run|mock\(|doMock|"
    r"set_exception|instance_variable_set|failures|failedExp|\.errors"
)
_JUDGED = re.compile(
    r"\b(?:[eE]quals?|isEqual\w*|deepEquals?|asymmetricMatch|eql\?|sameAs|TestMain|around|intercept\w*|handle\w{0,40}Exception|"
    r"onNotSuccessfulTest|invokeTest|runBare|runTest)\b|fn\s{1,4}(?:eq|ne)\b|(?:def|operator|func)\s{1,4}[=!]=|hasInstance|"
    r"\b(?:def|fun|func|function|void|const)\s{1,4}(?:assert|refute|expect|XCTAssert)"
)
_PYTHON_HINTS = re.compile(
    r"__(?:eq|ne|contains|instancecheck|subclasscheck|code|builtins|import)__|_getframe|inspect|traceback|f_back|"
    r"_current_frames|modules|argv|environ|getenv|__main__|psutil|find_spec|_called_from|PYTEST|TOX_ENV|NOX_|/proc/|"
    r"unittest|pytest|builtins|nose|hypothesis|doctest|pluggy|isclose|allclose|operator|runtest|assert[A-Z_]|"
    r"def (?:fail|subTest|skipTest)|time|date|freeze|travel|setattr|meta_path|path_hooks|settrace|setprofile|"
    r"\bANY\b|\bexec|\beval|\bcompile|marshal|exit(?!__)|Exit|\bquit\b|excepthook|\btest_\w+\.\w+ ?="
)
_REMEMBERED, _SHORT = 1024, 50_000


@dataclass(frozen=True, slots=True)
class SignsText:
    """One text to look at. ``language`` is the parser's: TypeScript with markup is ``tsx``.

    ``packages`` are the project's own, for a ``conftest.py``, which all tests load.
    """

    language: str
    text: str
    in_tests: bool = False
    packages: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class NativeSigns:
    """``source`` is about code that isn't a test, ``patches`` and ``exits`` about all code.

    ``hooks`` are those of pytest.
    """

    source: list[Sign] = field(default_factory=list)
    patches: list[Sign] = field(default_factory=list)
    exits: list[Sign] = field(default_factory=list)
    hooks: list[Sign] = field(default_factory=list)


def native_signs(question: SignsText, added: str, apart: ReadApart) -> NativeSigns:
    """The signs of a text, of which the added lines matter.

    Raises ``UnreadableError`` where the parser gives up on it.
    """
    text, python = question.text, question.language == "python"
    if python and not ((question.packages or is_worth_reading(text)) and parse_python(text)):
        return NativeSigns()
    if python and len(text) < _SHORT:
        return _python_signs(question)
    if not python and _HINTS.search(added) is None and _JUDGED.search(text) is None:
        return NativeSigns()
    # The rules are needed where they are run, and for few of the files.
    from assay.detectors.source_signs.native_reader import read_signs  # noqa: PLC0415

    return apart(read_signs, _encodable(question), NativeSigns)


def is_worth_reading(text: str) -> bool:
    """Whether a text in Python may have signs."""
    return _PYTHON_HINTS.search(text) is not None


@lru_cache(maxsize=_REMEMBERED)
def _python_signs(question: SignsText) -> NativeSigns:
    """The signs of a short text that Python itself could parse: no parser gives up on it."""
    from assay.detectors.source_signs.native_reader import read_signs  # noqa: PLC0415

    return read_signs(_encodable(question))


def _encodable(question: SignsText) -> SignsText:
    return replace(question, text=question.text.encode("utf-8", "replace").decode())


@lru_cache(maxsize=8)
def parse_python(text: str) -> ast.Module | None:
    """Source as Python itself reads it, or None where this Python can't parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
