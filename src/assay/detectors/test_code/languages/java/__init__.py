"""Tests in Java: JUnit 3, 4 and 5, TestNG."""

import re
from dataclasses import replace

from assay.code.operators import C_LIKE
from assay.detectors.test_code.engine.expressions.brackets import CHARACTER, DOUBLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import Heads, Language
from assay.detectors.test_code.languages.junit import BROAD, CATCHING, CUSTOM, MOCKED, QUIRKS, SKIPPING
from assay.detectors.test_code.languages.junit.asserts import LIBRARIES
from assay.detectors.test_code.languages.junit.marks import DECLARING
from assay.detectors.test_code.word_sets import word_set

_GRAMMAR = Grammar(
    "java",
    parts(
        CLASS="class_declaration interface_declaration enum_declaration record_declaration "
        "annotation_type_declaration",
        FUNCTION="method_declaration constructor_declaration static_initializer",
        CLOSURE="lambda_expression",
        CALL="method_invocation",
        GIVEN="argument_list",
        BLOCK="block",
        STATEMENT="expression_statement",
        IF="if_statement",
        HEAD="parenthesized_expression",
        LOOP="while_statement for_statement",
        EACH="enhanced_for_statement",
        ONCE="do_statement labeled_statement synchronized_statement",
        SWITCH="switch_expression",
        CASE="switch_block_statement_group switch_rule",
        TRY="try_statement try_with_resources_statement",
        CATCH="catch_clause",
        FINALLY="finally_clause",
        RETURN="return_statement",
        THROW="throw_statement",
        BREAK="break_statement continue_statement yield_statement",
        BINDING="variable_declarator",
        ASSIGNMENT="assignment_expression update_expression",
        MARK="annotation marker_annotation",
        MARKS="modifiers",
        ASSERT="assert_statement",
        OTHER="object_creation_expression",
    ),
    ("argument_list",),
)

LANGUAGE = Language(
    name="java",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf'"""(?:[^"]|"(?!""))*(?:"""|\Z)|{DOUBLE}|{CHARACTER}', word=r"[\w$@]+"),
        lambda text: text,
        '"',
        operators=replace(C_LIKE, functions=frozenset(("not", "is", "in", "as"))),
    ),
    heads=Heads(
        function=re.compile(
            r"[^(){};=]*?(?<![\w$])(?P<name>[\w$]++)\s*+\((?P<takes>[^{;]*?)\)\s*+(?:throws[^{;]*+)?(?:[{;]|$)"
        ),
        klass=re.compile(
            r"[^(){};=]*?\b(?:class|interface|enum|record)\s+(?P<name>[\w$]+)(?:(?!\bextends\b)[^{])*+"
            r"(?:extends\s+(?:[\w$]+\s*\.\s*)*(?P<parents>[\w$]+))?"
        ),
    ),
    libraries=LIBRARIES,
    declaring=DECLARING,
    skipping=SKIPPING,
    catching=replace(
        CATCHING,
        losing={
            **dict.fromkeys(
                ("submit", "execute", "runAsync", "supplyAsync"), re.compile(r"\.(?:get|join|await\w*)\(")
            ),
            "Thread": re.compile(r"UncaughtException|AtomicReference|[eE]rrors?\.add\(|failures?\.add\("),
        },
    ),
    logic=Logic(frozenset(("false", "Boolean.FALSE")), strict=True),
    broad=BROAD,
    exits=frozenset((("System", "exit"), ("java", "lang", "System", "exit"))),
    nothing=re.compile(
        r"(?:\b(?:emptyList|emptySet|empty|List\.of|Set\.of|Stream\.of|asList)\(\s*\)|new\s+\w+\s*\[(?:0\]|\]\s*\{\s*\})"
        r"|IntStream\.range\(0,\s*0\)|new\s+\w+<[^<>()]*>\(\))(?:\.(?:stream|iterator)\(\))?\s*\)?\s*\Z"
    ),
    repeating=word_set("forEach map ifPresent allMatch anyMatch"),
    fails=word_set("fail"),
    custom=CUSTOM,
    braces=True,
    replacing=(MOCKED,),
    quirks=QUIRKS,
)
