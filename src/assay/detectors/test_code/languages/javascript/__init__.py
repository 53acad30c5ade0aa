"""Tests in JavaScript and TypeScript: Jest, Vitest, Mocha, Jasmine, node:test, AVA, tape, QUnit and Playwright."""

import re
from dataclasses import replace

from assay.detectors.test_code.engine.expressions.brackets import DOUBLE, SINGLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, parts
from assay.detectors.test_code.engine.expressions.words import Lexicon, quoted
from assay.detectors.test_code.engine.language import Catching, Heads, Language, Quirks, Skipping
from assay.detectors.test_code.languages.javascript import declaring, quirks
from assay.detectors.test_code.languages.javascript.asserts import ASSERT, EXPECT, SHOULD, T
from assay.detectors.test_code.languages.javascript.names import aliases, read_names
from assay.detectors.test_code.word_sets import word_set

_GRAMMAR = Grammar(
    "javascript",
    parts(
        FUNCTION="function_declaration generator_function_declaration method_definition",
        CLOSURE="arrow_function function_expression generator_function",
        CALL="call_expression",
        GIVEN="arguments",
        BLOCK="statement_block",
        IF="if_statement",
        ELSE="else_clause",
        HEAD="parenthesized_expression",
        LOOP="while_statement for_statement",
        EACH="for_in_statement",
        ONCE="do_statement",
        CASE="switch_case switch_default",
        TRY="try_statement",
        CATCH="catch_clause",
        FINALLY="finally_clause",
        RETURN="return_statement",
        THROW="throw_statement",
        BREAK="break_statement continue_statement",
        BINDING="variable_declarator",
        ASSIGNMENT="assignment_expression augmented_assignment_expression",
        IMPORT="import_statement",
        TEXT="template_string regex",
        OTHER="await_expression yield_expression",
    ),
    ("arguments", "template_string"),
)


def _literal(text: str) -> str:
    """A string in double quotes, a template that substitutes nothing too; a regular expression as it is."""
    return quoted(text) if text[0] in "\"'" or (text[0] == "`" and "${" not in text) else text


LANGUAGE = Language(
    name="javascript",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf"{DOUBLE}|{SINGLE}|`(?:[^`\\]|\\.)*`"),
        _literal,
        "\"'`",
        frozenset(("template_string", "regex")),
    ),
    heads=Heads(
        re.compile(r"(?:async\s++)?(?:function\s*+\*?\s*+)?(?P<name>[\w$#]+)\s*(?:<[^()]*>)?\((?P<takes>[^()]*)\)"),
        parameter=re.compile(r"(?:\.\.\. ?)?([\w$]+)"),
    ),
    libraries=(EXPECT, ASSERT, T, SHOULD),
    declaring=declaring.DECLARING,
    skipping=Skipping(),
    catching=Catching(
        loud=word_set("fail done reject next ifError expect assert should"),
        losing={"setTimeout": quirks.WAITS, "setInterval": quirks.WAITS, "setImmediate": quirks.WAITS,
                "nextTick": quirks.WAITS, "queueMicrotask": quirks.WAITS},
    ),
    broad=word_set("Error Object Exception AssertionError undefined"),
    exits=frozenset((("process", "exit"), ("process", "abort"), ("Deno", "exit"))),
    nothing=re.compile(r"(?:\b(?:of|in)\s*+\(?\s*+|\(\s*|^\s*|=\s*)\[\s*+\]\s*+\)?\s*+\)?\s*\Z"),
    repeating=word_set("forEach map flatMap each eachSeries every some reduce filter"),
    fails=word_set("fail unreachable"),
    fail_receivers=frozenset(("", "assert", "t", "expect", "done")),
    custom=re.compile(r"(?:expect|assert|verify)[A-Z_]\w*\Z"),
    replacing=(
        re.compile(r"\b(?:spyOn|stub|method|replace)\(\s*([\w.]+)\s*,\s*[\"'](\w+)[\"']\s*(?:\)\s*\.(?:mock(?:Return|Resolved|Implementation)\w*|returns|resolves|callsFake)\(|,\s*(?:async\s*)?\()"),
        re.compile(
            r"^[ \t]*+(\w+)\.(\w+)\s*=\s*(?:async\s*)?(?:\([^()]{0,200}\)\s*=>|jest\.fn\(|vi\.fn\()", re.MULTILINE
        ),
    ),
    quirks=Quirks(
        names=read_names,
        resolve=aliases,
        call=declaring.declared,
        skip=declaring.skip_inside,
        asserted=quirks.asserted,
        settle=declaring.settle,
    ),
)  # fmt: skip

TYPESCRIPT = replace(LANGUAGE, name="typescript", grammar=replace(_GRAMMAR, parser="typescript"))
TSX = replace(LANGUAGE, name="typescript", grammar=replace(_GRAMMAR, parser="tsx"))
