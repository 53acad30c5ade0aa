"""Tests in PHP: PHPUnit and Pest."""

import re

from assay.detectors.test_code.engine.expressions.brackets import DOUBLE, SINGLE, lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon, quoted
from assay.detectors.test_code.engine.language import (
    NEVER,
    Catching,
    Declaring,
    Heads,
    Language,
    Quirks,
    SkipCall,
    Skipping,
    roles,
)
from assay.detectors.test_code.languages.php import quirks
from assay.detectors.test_code.languages.php.asserts import EXPECT, PHPUNIT, PLAIN
from assay.detectors.test_code.word_sets import word_set

_GRAMMAR = Grammar(
    "php",
    parts(
        CLASS="class_declaration trait_declaration interface_declaration",
        FUNCTION="method_declaration function_definition",
        CLOSURE="anonymous_function arrow_function",
        CALL="function_call_expression member_call_expression scoped_call_expression "
        "nullsafe_member_call_expression exit_statement",
        GIVEN="arguments",
        BLOCK="compound_statement",
        STATEMENT="expression_statement",
        IF="if_statement else_if_clause",
        ELSE="else_clause",
        HEAD="parenthesized_expression",
        LOOP="while_statement for_statement",
        EACH="foreach_statement",
        ONCE="do_statement",
        SWITCH="switch_statement",
        CASE="case_statement default_statement",
        TRY="try_statement",
        CATCH="catch_clause",
        FINALLY="finally_clause",
        RETURN="return_statement",
        THROW="throw_expression",
        BREAK="break_statement continue_statement",
        BINDING="assignment_expression const_element",
        ASSIGNMENT="augmented_assignment_expression update_expression",
        MARK="attribute",
        MARKS="attribute_list",
        TEXT="heredoc nowdoc",
    ),
    ("arguments",),
)

LANGUAGE = Language(
    name="php",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf"{DOUBLE}|{SINGLE}|\?->", r"//[^\n]*|\#(?!\[)[^\n]*|/\*.*?(?:\*/|\Z)", word=r"[\w$\\]+"),
        quoted,
        "\"'",
        frozenset(("heredoc", "nowdoc")),
        spelled={"count": "len", "sizeof": "len", "->": ".", "?->": "?.", ".": "+", "array": "array"},
    ),
    heads=Heads(
        function=re.compile(
            r"[^(){};=]*?\bfunction\s+&?(?P<name>\w+)\s*\((?P<takes>[^()]*(?:\([^()]*\)[^()]*)*)\)"
        ),
        klass=re.compile(
            r"[^(){};=]*?\b(?:class|trait|interface)\s+(?P<name>\w+)(?:\s+extends\s+(?P<parents>[\w\\]+))?"
        ),
        parameter=re.compile(r"(\$\w+)"),
        receivers=frozenset(("$this", "self", "static")),
    ),
    libraries=(PHPUNIT, EXPECT, PLAIN),
    declaring=Declaring(
        marks=re.compile(r"[Tt]est(?:With)?|[Dd]ataProvider"),
        names=re.compile(r"test"),
        refused=frozenset(("private", "protected", "static", "abstract")),
        hook_names=frozenset(("setUp", "tearDown", "setUpBeforeClass", "tearDownAfterClass")),
        hook_marks=word_set("Before BeforeClass before beforeClass"),
        parents=re.compile(r"Test|Case"),
        calls=roles(TEST="it test", SUITE="describe", HOOK="beforeEach beforeAll afterEach afterAll uses"),
    ),
    skipping=Skipping(
        conditional=re.compile(r"(?:R|r)equires"),
        calls={"markTestSkipped": SkipCall(), "markTestIncomplete": SkipCall("todo")},
        receivers=frozenset(("$this", "self", "static")),
        throws=re.compile(r"throw\s+new\s+\\?(?:\w+\\)*(?:Skipped\w*|Incomplete\w*)\b"),
    ),
    catching=Catching(
        assertions=re.compile(
            r"(?<!\w)(?:Throwable|Exception|RuntimeException|\w*Assertion\w*|ExpectationFailedException)\b"
        ),
        loud=word_set("fail assertSame assertEquals"),
        losing={"register_shutdown_function": NEVER},
    ),
    logic=Logic(),
    broad=word_set("Exception Throwable RuntimeException Error \\Exception \\Throwable \\Error"),
    exits=frozenset((("exit",), ("die",))),
    nothing=re.compile(
        r"(?:\[\s*\]|\barray\(\s*\)|new\s+\\?ArrayIterator\(\[\]\)|new\s+\\?EmptyIterator(?:\(\))?)(?:\s+as\b.*)?\Z"
    ),
    repeating=word_set("array_map array_walk each map"),
    fails=word_set("fail"),
    custom=re.compile(r"(?:assert|verify|expect)[A-Z_]\w*\Z"),
    replacing=(re.compile(r"\buopz_set_return\(\s*[\"'](\w+)[\"']\s*,"),),
    quirks=Quirks(
        names=quirks.names, marks=quirks.marks, function=quirks.function, call=quirks.call, empty=quirks.empty
    ),
)
