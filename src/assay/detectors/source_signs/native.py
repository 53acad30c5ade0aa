"""All signs of a file in a language that the native parser reads: what to ask, and when it is worth while."""

import re
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class SourceText:
    """One text to look at. ``language`` is the parser's: TypeScript with markup is ``tsx``."""

    language: str
    text: str
    in_tests: bool


@dataclass(frozen=True, slots=True)
class NativeSigns:
    """``source`` is about code that isn't a test, ``patches`` and ``exits`` about all code."""

    source: list[Sign] = field(default_factory=list)
    patches: list[Sign] = field(default_factory=list)
    exits: list[Sign] = field(default_factory=list)


def native_signs(text: str, language: str, added: str, *, in_tests: bool, apart: ReadApart) -> NativeSigns:
    """The signs of a text, of which the added lines matter.

    Raises ``UnreadableError`` where the parser gives up on it.
    """
    if _HINTS.search(added) is None and _JUDGED.search(text) is None:
        return NativeSigns()
    # The rules are needed where they are run, and for few of the files.
    from assay.detectors.source_signs.native_reader import read_signs  # noqa: PLC0415

    question = SourceText(language, text.encode("utf-8", "replace").decode(), in_tests)
    return apart(read_signs, question, NativeSigns)
