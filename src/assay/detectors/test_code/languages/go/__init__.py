"""Tests in Go: the testing package, testify, gomega with Ginkgo, and gocheck."""

import re

from assay.code.operators import GO
from assay.detectors.test_code.engine.expressions.brackets import DOUBLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon, quoted
from assay.detectors.test_code.engine.language import (
    Catching,
    Heads,
    Language,
    SkipCall,
    Skipping,
)
from assay.detectors.test_code.languages.go import quirks
from assay.detectors.test_code.languages.go.asserts import CUSTOM, GOMEGA, TESTIFY

_GRAMMAR = Grammar(
    "go",
    parts(
        FUNCTION="function_declaration method_declaration",
        CLOSURE="func_literal",
        CALL="call_expression",
        GIVEN="argument_list",
        BLOCK="block",
        IF="if_statement",
        EACH="for_statement",
        CASE="expression_case default_case type_case communication_case",
        RETURN="return_statement",
        BREAK="break_statement continue_statement goto_statement",
        DEFER="defer_statement",
        OTHER="go_statement",
        BINDING="short_var_declaration var_spec const_spec",
        ASSIGNMENT="assignment_statement inc_statement dec_statement",
        TABLE="composite_literal literal_value",
    ),
    ("argument_list",),
)


def _literal(text: str) -> str:
    """A string in double quotes, a raw one too where that changes nothing; a character as it is."""
    if text[0] == "`":
        content = text[1:-1].replace("\\", "\\\\").replace('"', '\\"')
        return '"' + content.replace("\n", "\\n").replace("\t", "\\t") + '"'
    return quoted(text) if text[0] == '"' and "\\" not in text else text


LANGUAGE = Language(
    name="go",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf"{DOUBLE}|'(?:[^'\\\n]|\\.)+'|`[^`]*`", word=r"\w+"), _literal, '"`', operators=GO
    ),
    heads=Heads(
        function=re.compile(
            r"func\s*(?:\(\s*(?:(?P<self>\w+)\s+)?\*?(?P<owner>\w+)(?:\[[^\]]*\])?\s*\)\s*)?(?P<name>\w+)\s*(?:\[[^\]]*\])?"
            r"\((?P<takes>[^()]*)\)\s*(?P<results>[^{]*)"
        ),
        parameter=re.compile(r"^(\w+)"),
    ),
    libraries=(TESTIFY, GOMEGA),
    declaring=quirks.DECLARING,
    skipping=Skipping(
        calls={"Skip": SkipCall(), "Skipf": SkipCall(), "SkipNow": SkipCall()},
        receivers=frozenset(("", "T")),
        exits=False,
    ),
    catching=Catching(
        losing=dict.fromkeys(("go", "AfterFunc"), re.compile(r"\.Wait\(|<-|\bselect\b|\.Sleep\(")),
    ),
    logic=Logic(frozenset(("false",)), strict=True),
    exits=frozenset((("os", "Exit"), ("panic",), ("runtime", "Goexit"), ("log", "Fatal"), ("log", "Fatalf"))),
    fails=frozenset(("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow")),
    fail_receivers=frozenset(("T", "GinkgoT")),
    handle=re.compile(r"(?:&|new\()?\s*testing\.T\b|.*\.T\(\)\Z|GinkgoT\(\)"),
    custom=CUSTOM,
    replacing=(re.compile(r"^[ \t]*+([\w.]++)\s*+=\s*func\(", re.MULTILINE),),
    quirks=quirks.QUIRKS,
)
