"""The kinds of nodes in which each language has its functions, conditions and assignments.

They are those that tests are read by, and here is what else source has.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from assay.detectors.test_code.engine.expressions.brackets import OPERATORS
from assay.detectors.test_code.engine.expressions.parts import Part
from assay.detectors.test_code.word_sets import word_set


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"{name}|\d[\w.]*|{OPERATORS}|&\.|\S")


_WORD = _words(r"[A-Za-z_$@\u0080-\uffff][\w$]*")


@dataclass(frozen=True, slots=True)
class _Own:
    """Kinds of nodes that reading tests doesn't need, or that are something else in source.

    ``choices`` are conditions before a question mark, ``blocks`` closures that no function's head stands before.
    ``bare_conditions`` has no parentheses around conditions. ``arrow_is_type``: an arrow says what a function
    returns. ``implicit``: the last expression of a function is its answer.
    """

    strings: str
    imports: str
    comments: str = "comment"
    functions: str = ""
    conditions: str = ""
    choices: str = ""
    assignments: str = ""
    loops: str = ""
    classes: str = ""
    blocks: str = ""
    others: str = ""
    word: re.Pattern[str] = _WORD
    bare_conditions: bool = False
    arrow_is_type: bool = False
    implicit: bool = False


_LITERALS = "string_literal character_literal"
_OWN = {
    "javascript": _Own(
        "string template_string regex",
        "import_statement",
        conditions="switch_statement",
        choices="ternary_expression",
        classes="class_declaration",
    ),
    "go": _Own(
        "interpreted_string_literal raw_string_literal",
        "import_spec",
        conditions="for_statement expression_switch_statement",
        loops="range_clause",
        blocks="defer_statement",
        bare_conditions=True,
    ),
    "java": _Own(_LITERALS, "import_declaration", "line_comment block_comment", choices="ternary_expression"),
    "rust": _Own(
        "string_literal raw_string_literal char_literal",
        "use_declaration",
        "line_comment block_comment",
        classes="macro_definition",
        blocks="async_block",
        word=_words(r"[A-Za-z_$][\w$]*(?:!(?=\s*[\[({]))?"),
        bare_conditions=True,
        arrow_is_type=True,
        implicit=True,
    ),
    "ruby": _Own(
        "string regex chained_string",
        "",
        choices="conditional",
        blocks="do_block block lambda",
        word=_words(r"[A-Za-z_$@][\w$]*[?!]?(?!=[^=~>])|\$[\"0]"),
        bare_conditions=True,
        implicit=True,
    ),
    "python": _Own(
        "string",
        "import_statement import_from_statement",
        functions="function_definition lambda",
        conditions="if_statement elif_clause while_statement if_clause match_statement return_statement "
        "conditional_expression generator_expression list_comprehension",
        assignments="assignment augmented_assignment named_expression",
        loops="for_statement for_in_clause",
        classes="class_definition",
        others="comparison_operator call delete_statement try_statement except_clause",
        bare_conditions=True,
    ),
    "csharp": _Own(
        f"{_LITERALS} verbatim_string_literal interpolated_string_expression",
        "using_directive",
        functions="operator_declaration",
        conditions="switch_expression",
        choices="conditional_expression",
    ),
    "kotlin": _Own(
        _LITERALS, "import_header", "line_comment multiline_comment", blocks="lambda_literal anonymous_initializer"
    ),
    "php": _Own(
        "string encapsed_string heredoc nowdoc",
        "namespace_use_declaration",
        conditions="match_expression",
        choices="conditional_expression",
        assignments="property_element",
    ),
    "swift": _Own(
        "line_string_literal multi_line_string_literal",
        "import_declaration",
        "comment multiline_comment",
        choices="ternary_expression",
        classes="protocol_declaration",
        blocks="lambda_literal",
        bare_conditions=True,
        arrow_is_type=True,
        implicit=True,
    ),
}


class SourceGrammar:
    """The kinds of nodes of a language, by what they are to the rules."""

    def __init__(self, language: str) -> None:
        self.own = own = _OWN[language]
        parts: dict[str, Part] = {}
        if language != "python":
            module = import_module(f"assay.detectors.test_code.languages.{language}")
            parts = module.LANGUAGE.grammar.parts

        def kinds(also: str, *wanted: Part) -> frozenset[str]:
            return word_set(also).union(kind for kind, part in parts.items() if part in wanted)

        self.strings, self.comments = word_set(own.strings), word_set(own.comments)
        self.imports, self.blocks = word_set(own.imports), word_set(own.blocks)
        self.choices = word_set(own.choices)
        self.functions = kinds(own.functions, Part.FUNCTION, Part.CLOSURE) - self.blocks
        asking = kinds("", Part.IF, Part.UNLESS, Part.LOOP, Part.SWITCH) - {"for_statement"}
        self.conditions = asking | self.choices | word_set(own.conditions)
        self.assignments = kinds(own.assignments, Part.BINDING, Part.ASSIGNMENT)
        self.loops = word_set(own.loops) or kinds("", Part.EACH)
        self.classes = kinds(own.classes, Part.CLASS)
        self.holders = self.functions | self.conditions | self.classes | self.blocks
        self.kinds = self.holders | self.assignments | self.strings | self.comments | self.loops | self.imports
        self.kinds |= word_set(own.others)


@lru_cache(maxsize=16)
def grammar_of(language: str) -> SourceGrammar:
    """The grammar of a language, with the declarations that its tests are read by."""
    return SourceGrammar(language)
