"""The words of JavaScript and TypeScript, and the kinds of nodes that matter."""

import re

from assay.detectors.test_code.uniform import OPERATORS, Lexicon, quoted, words_in
from assay.detectors.test_code.word_sets import word_set

FUNCTIONS = word_set(
    "arrow_function function_expression function_declaration generator_function "
    "generator_function_declaration method_definition"
)

ARGUMENTS = ("arguments", "template_string")

KINDS = FUNCTIONS | word_set(
    "call_expression arguments statement_block if_statement else_clause parenthesized_expression "
    "while_statement do_statement for_statement for_in_statement switch_case switch_default try_statement "
    "catch_clause finally_clause return_statement throw_statement break_statement continue_statement "
    "variable_declarator assignment_expression augmented_assignment_expression import_statement "
    "template_string regex await_expression yield_expression"
)

_PATTERN = re.compile(
    r"""(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z))*"""
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|[\w$@\#]+(?:(?<=\d)\.\d+)?|""" + OPERATORS + r"""|.|\Z)""",
    re.DOTALL,
)


def literal(text: str) -> str:
    """A string in double quotes, a template that substitutes nothing too; a regular expression as it is."""
    if text[0] in "\"'" or (text[0] == "`" and "${" not in text):
        return quoted(text)
    return text


LEXICON = Lexicon(_PATTERN, literal, "\"'`", frozenset(("template_string", "regex")))


def words_of(text: str) -> list[str]:
    """The words of a short piece of code that stands by itself."""
    return words_in(LEXICON, text)
