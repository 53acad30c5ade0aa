"""The kinds of nodes in which each language has its functions, conditions and assignments."""

import re
from dataclasses import dataclass

from assay.detectors.test_code.engine.words import OPERATORS
from assay.detectors.test_code.word_sets import word_set


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"{name}|\d[\w.]*|{OPERATORS}|&\.|\S")


_WORD = _words(r"[A-Za-z_$@\u0080-\uffff][\w$]*")


@dataclass(frozen=True, slots=True)
class Grammar:
    """``choices`` are conditions before a question mark; ``blocks`` is what else may stand around a statement.

    ``bare_conditions`` has no parentheses around conditions. ``arrow_is_type``: an arrow says what a function
    returns. ``implicit``: the last expression of a function is its answer.
    """

    functions: frozenset[str]
    conditions: frozenset[str]
    assignments: frozenset[str]
    strings: frozenset[str]
    comments: frozenset[str] = frozenset(("comment",))
    loops: frozenset[str] = frozenset()
    choices: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    word: re.Pattern[str] = _WORD
    bare_conditions: bool = False
    arrow_is_type: bool = False
    implicit: bool = False

    @property
    def kinds(self) -> frozenset[str]:
        named = self.functions | self.conditions | self.assignments | self.strings | self.comments | self.loops
        return named | self.choices | self.classes | self.others


GRAMMARS = {
    "javascript": Grammar(
        word_set(
            "arrow_function function_expression function_declaration generator_function "
            "generator_function_declaration method_definition"
        ),
        word_set("if_statement while_statement do_statement switch_statement ternary_expression"),
        word_set("variable_declarator assignment_expression augmented_assignment_expression"),
        word_set("string template_string regex"),
        loops=word_set("for_in_statement"),
        choices=word_set("ternary_expression"),
        classes=word_set("class_declaration"),
        others=word_set("import_statement"),
    ),
    "go": Grammar(
        word_set("function_declaration method_declaration func_literal"),
        word_set("if_statement for_statement expression_switch_statement"),
        word_set("short_var_declaration assignment_statement var_spec const_spec"),
        word_set("interpreted_string_literal raw_string_literal"),
        loops=word_set("range_clause"),
        others=word_set("import_spec defer_statement"),
        bare_conditions=True,
    ),
    "java": Grammar(
        word_set("method_declaration lambda_expression constructor_declaration"),
        word_set("if_statement while_statement do_statement switch_expression ternary_expression"),
        word_set("variable_declarator assignment_expression"),
        word_set("string_literal character_literal"),
        word_set("line_comment block_comment"),
        loops=word_set("enhanced_for_statement"),
        choices=word_set("ternary_expression"),
        classes=word_set("class_declaration record_declaration interface_declaration"),
        others=word_set("import_declaration static_initializer"),
        arrow_is_type=False,
    ),
    "rust": Grammar(
        word_set("function_item closure_expression"),
        word_set("if_expression while_expression match_expression"),
        word_set("let_declaration assignment_expression static_item const_item"),
        word_set("string_literal raw_string_literal char_literal"),
        word_set("line_comment block_comment"),
        loops=word_set("for_expression"),
        classes=word_set("macro_definition"),
        others=word_set("use_declaration"),
        word=_words(r"[A-Za-z_$][\w$]*(?:!(?=\s*[\[({]))?"),
        bare_conditions=True,
        arrow_is_type=True,
        implicit=True,
    ),
    "ruby": Grammar(
        word_set("method singleton_method"),
        word_set(
            "if unless while until case elsif conditional "
            "if_modifier unless_modifier while_modifier until_modifier"
        ),
        word_set("assignment operator_assignment"),
        word_set("string regex chained_string"),
        loops=word_set("for"),
        choices=word_set("conditional"),
        classes=word_set("class module"),
        others=word_set("do_block block"),
        word=_words(r"[A-Za-z_$@][\w$]*[?!]?(?!=[^=~>])|\$[\"0]"),
        bare_conditions=True,
        implicit=True,
    ),
    "csharp": Grammar(
        word_set(
            "method_declaration operator_declaration constructor_declaration local_function_statement "
            "lambda_expression"
        ),
        word_set(
            "if_statement while_statement do_statement switch_statement switch_expression conditional_expression"
        ),
        word_set("variable_declarator assignment_expression"),
        word_set("string_literal character_literal verbatim_string_literal interpolated_string_expression"),
        loops=word_set("foreach_statement"),
        choices=word_set("conditional_expression"),
        classes=word_set("class_declaration struct_declaration"),
        others=word_set("using_directive"),
    ),
    "kotlin": Grammar(
        word_set("function_declaration anonymous_function"),
        word_set("if_expression while_statement when_expression"),
        word_set("property_declaration assignment"),
        word_set("string_literal character_literal"),
        word_set("line_comment multiline_comment"),
        loops=word_set("for_statement"),
        classes=word_set("class_declaration object_declaration"),
        others=word_set("import_header anonymous_initializer"),
    ),
    "php": Grammar(
        word_set("method_declaration function_definition anonymous_function arrow_function"),
        word_set(
            "if_statement else_if_clause while_statement switch_statement match_expression conditional_expression"
        ),
        word_set("assignment_expression property_element"),
        word_set("string encapsed_string heredoc nowdoc"),
        loops=word_set("foreach_statement"),
        choices=word_set("conditional_expression"),
        classes=word_set("class_declaration trait_declaration"),
        others=word_set("namespace_use_declaration"),
    ),
    "swift": Grammar(
        word_set("function_declaration"),
        word_set("if_statement guard_statement while_statement switch_statement ternary_expression"),
        word_set("property_declaration assignment"),
        word_set("line_string_literal multi_line_string_literal"),
        word_set("comment multiline_comment"),
        loops=word_set("for_statement"),
        choices=word_set("ternary_expression"),
        classes=word_set("class_declaration protocol_declaration"),
        others=word_set("import_declaration lambda_literal"),
        bare_conditions=True,
        arrow_is_type=True,
        implicit=True,
    ),
}
