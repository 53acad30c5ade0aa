"""Tests in Swift: XCTest and Swift Testing."""

import re

from assay.code.operators import SWIFT
from assay.detectors.test_code.engine.expressions.brackets import DOUBLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, Part, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import (
    Catching,
    Declaring,
    Heads,
    Language,
    Quirks,
    SkipCall,
    Skipping,
)
from assay.detectors.test_code.languages.swift import asserts
from assay.detectors.test_code.languages.swift.asserts import TESTING, XCTEST
from assay.detectors.test_code.word_sets import word_set

_WAITS = re.compile(r"\b(?:wait|fulfillment|fulfill|await|sync|join|confirmation)\b")
_GRAMMAR = Grammar(
    "swift",
    parts(
        CLASS="class_declaration",
        FUNCTION="function_declaration init_declaration",
        CLOSURE="lambda_literal",
        CALL="call_expression macro_invocation",
        GIVEN="value_arguments",
        BLOCK="statements",
        IF="if_statement",
        UNLESS="guard_statement",
        LOOP="while_statement",
        EACH="for_statement",
        ONCE="repeat_while_statement",
        SWITCH="switch_statement",
        CASE="switch_entry",
        TRY="do_statement",
        CATCH="catch_block",
        OTHER="control_transfer_statement try_expression await_expression",
        BINDING="property_declaration",
        ASSIGNMENT="assignment",
        MARK="attribute",
        MARKS="modifiers",
    ),
    ("value_arguments", "lambda_literal"),
    by_word={
        "control_transfer_statement": {
            "return": Part.RETURN, "throw": Part.THROW, "break": Part.BREAK, "continue": Part.BREAK,
        }
    },
)  # fmt: skip

LANGUAGE = Language(
    name="swift",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf'"""(?:[^"]|"(?!""))*(?:"""|\Z)|{DOUBLE}', word=r"[\w$@\#]+"),
        lambda text: text,
        '"',
        spelled={"#expect": "expect", "#require": "require"},
        operators=SWIFT,
    ),
    heads=Heads(
        function=re.compile(
            r"[^(){};=]*?\b(?:func\s+(?P<name>`[^`]+`|\w+)|init)\s*(?:<[^<>]*>)?\((?P<takes>[^()]*(?:\([^()]*\)[^()]*)*)\)"
        ),
        klass=re.compile(
            r"[^(){};=]*?\b(?:class|struct|actor|extension|enum)\s+(?P<name>[\w.]+)(?:\s*:\s*(?P<parents>\w+))?"
        ),
        parameter=re.compile(r"(\w+) ?:"),
    ),
    libraries=(XCTEST, TESTING),
    declaring=Declaring(
        marks=re.compile("Test"),
        names=re.compile(r"test"),
        refused=frozenset(("private", "static", "fileprivate")),
        hook_names=frozenset(("setUp", "setUpWithError", "tearDown", "tearDownWithError")),
        parents=re.compile(r"TestCase|Tests?\Z"),
    ),
    skipping=Skipping(
        calls={
            "XCTSkipIf": SkipCall(at=0, unless=False),
            "XCTSkipUnless": SkipCall(at=0, unless=True),
            "XCTExpectFailure": SkipCall("xfail"),
            "withKnownIssue": SkipCall("xfail"),
        },
        throws=re.compile(r"throw\s+(?:XCTSkip\b|CancellationError\b)"),
    ),
    catching=Catching(
        loud=word_set("XCTFail record fulfill"),
        losing=dict.fromkeys(("async", "asyncAfter", "Task", "detached", "perform", "detachNewThread"), _WAITS),
    ),
    logic=Logic(frozenset(("false",)), strict=True, capitals=True),
    broad=word_set("Error NSError any"),
    exits=frozenset((("exit",), ("abort",), ("fatalError",))),
    nothing=re.compile(
        r"(?:\bin\s+|^\s*|\(\s*)(?:\[\s*\](?:\s+as\s+\[\w+\])?|\[\w+\]\(\)|Array<\w+>\(\)|0\s*\.\.<\s*0)\s*\{?\s*\Z"
    ),
    repeating=word_set("forEach map allSatisfy"),
    fails=word_set("XCTFail record"),
    fail_receivers=frozenset(("", "Issue")),
    custom=re.compile(r"(?:assert|verify|expect|check)[A-Z_]\w*\Z"),
    trailing=True,
    quirks=Quirks(
        names=asserts.names, mark_skips=asserts.skips, completed=asserts.completed, function=asserts.function
    ),
)
