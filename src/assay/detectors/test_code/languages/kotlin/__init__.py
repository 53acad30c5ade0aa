"""Tests in Kotlin: JUnit and kotlin.test, with AssertJ, Truth and Hamcrest."""

import re
from dataclasses import replace

from assay.code.operators import KOTLIN
from assay.detectors.test_code.engine.expressions.brackets import CHARACTER, DOUBLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, Part, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import Heads, Language, Library
from assay.detectors.test_code.engine.rules import Kind, Rule, rules
from assay.detectors.test_code.languages.junit import BROAD, CATCHING, CUSTOM, MOCKED, QUIRKS, SKIPPING
from assay.detectors.test_code.languages.junit.asserts import LIBRARIES
from assay.detectors.test_code.languages.junit.marks import DECLARING
from assay.detectors.test_code.word_sets import word_set

_GRAMMAR = Grammar(
    "kotlin",
    parts(
        CLASS="class_declaration object_declaration",
        FUNCTION="function_declaration secondary_constructor",
        CLOSURE="lambda_literal anonymous_function",
        CALL="call_expression",
        GIVEN="value_arguments annotated_lambda",
        BLOCK="statements control_structure_body",
        IF="if_expression",
        LOOP="while_statement",
        EACH="for_statement",
        ONCE="do_while_statement",
        SWITCH="when_expression",
        CASE="when_entry",
        TRY="try_expression",
        CATCH="catch_block",
        FINALLY="finally_block",
        OTHER="jump_expression object_literal",
        BINDING="property_declaration",
        ASSIGNMENT="assignment",
        MARK="annotation",
        MARKS="modifiers",
    ),
    ("value_arguments", "annotated_lambda"),
    by_word={
        "jump_expression": {
            "return": Part.RETURN, "throw": Part.THROW, "break": Part.BREAK, "continue": Part.BREAK,
        }
    },
)  # fmt: skip
_CONDITIONS = Library(functions=rules({"assert": Rule(Kind.HOLDS)}), receivers=frozenset(("",)))
_ENDS = re.compile(
    r"\.(?:get|join|await\w*|getOrThrow|onFailure|exceptionOrNull|isFailure|getOrElse|fold)\b|runTest|runBlocking"
)

LANGUAGE = Language(
    name="kotlin",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf'"""(?:[^"]|"(?!""))*(?:"""|\Z)|{DOUBLE}|{CHARACTER}|`[^`\n]*`', word=r"[\w$@]+"),
        lambda text: text,
        '"',
        operators=replace(KOTLIN, functions=frozenset(("not", "is", "in", "as"))),
    ),
    heads=Heads(
        function=re.compile(
            r"[^(){};=]*?\bfun\s+(?:<[^<>]*>\s*)?(?:[\w.<>?]+\.)?(?P<name>`[^`]+`|\w+)\s*\((?P<takes>[^()]*(?:\([^()]*\)[^()]*)*)\)"
        ),
        klass=re.compile(
            r"[^(){};=]*?\b(?:class|object|interface)\s+(?P<name>\w+)[^:{]*(?::\s*(?P<parents>[\w.]+))?"
        ),
        parameter=re.compile(r"(\w+) ?:"),
    ),
    libraries=(*LIBRARIES, _CONDITIONS),
    declaring=DECLARING,
    skipping=SKIPPING,
    catching=replace(
        CATCHING,
        losing=dict.fromkeys(("thread", "launch", "async", "submit", "execute", "runCatching"), _ENDS),
    ),
    logic=Logic(frozenset(("false",)), strict=True, capitals=True),
    broad=BROAD,
    exits=frozenset((("exitProcess",), ("System", "exit"))),
    nothing=re.compile(
        r"\b(?:emptyList|emptySet|emptyArray|listOf|setOf|arrayOf|emptySequence|sequenceOf)(?:<[^<>()]*>)?\(\s*\)\s*\)?\s*\Z"
    ),
    repeating=word_set("forEach map forEachIndexed all any onEach"),
    fails=word_set("fail"),
    custom=CUSTOM,
    trailing=True,
    replacing=(
        re.compile(r"\bevery\s*\{\s*([\w.]+)\([^{}]{0,200}\)\s*\}\s*(?:returns|answers)\b"),
        MOCKED,
    ),
    quirks=QUIRKS,
)
