"""The words of Go, and the kinds of nodes that matter."""

import re

from assay.detectors.test_code.calls import Names
from assay.detectors.test_code.uniform import OPERATORS, Lexicon, quoted, words_in

FUNCTIONS = frozenset(("function_declaration", "method_declaration", "func_literal"))
CASES = frozenset(("expression_case", "default_case", "type_case", "communication_case"))
KINDS = (
    FUNCTIONS
    | CASES
    | {"call_expression", "argument_list", "block", "if_statement", "for_statement", "return_statement"}
    | {"break_statement", "continue_statement", "goto_statement", "defer_statement", "go_statement"}
    | {
        "short_var_declaration",
        "var_spec",
        "const_spec",
        "assignment_statement",
        "composite_literal",
        "literal_value",
        "inc_statement",
        "dec_statement",
    }
)
ARGUMENTS = ("argument_list",)

_PATTERN = re.compile(
    r"""(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z))*"""
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|`[^`]*`"""
    r"""|\w+(?:(?<=\d)\.\d*(?:[eE][-+]?\d+)?|(?<=\de)-\d+)?|""" + OPERATORS + r"""|.|\Z)""",
    re.DOTALL,
)
_PLAIN = re.compile(r"\s*+\.?\s*+\w++(?:\s*+\.\s*+\w++)*+\s*+\Z")
_NAME = re.compile(r"\w+")


def literal(text: str) -> str:
    """A string in double quotes, a raw one too where that changes nothing; a character as it is."""
    if text[0] == "`":
        content = text[1:-1]
        return (
            '"' + content.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'
        )
    return quoted(text) if text[0] == '"' and "\\" not in text else text


LEXICON = Lexicon(_PATTERN, literal, '"`')


def words_of(text: str) -> list[str]:
    """The words of a piece of code, simplified. The list may be shared and must not be changed."""
    return words_in(LEXICON, text)


def names_of(text: str) -> Names:
    """The names in a callee; none where it isn't a chain of names."""
    return tuple(_NAME.findall(text)) if len(text) < 400 and _PLAIN.match(text) else ()
