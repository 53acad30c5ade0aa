"""Macros that contain whole tests: they are removed around the tests, so that these are parsed like other code."""

import re

from assay.detectors.test_code.engine.expressions.parts import Grammar, Part
from assay.detectors.test_code.engine.reading import Reading, noted
from assay.detectors.test_code.languages.rust.written import written_out
from assay.detectors.test_code.tree import Node, ParsedText, parse_parts

_HOLDS_TESTS = re.compile(r"(?:\b\w{1,100}::){0,20}\b(?:proptest|quickcheck|rusty_fork_test)!\s*\{")
_MAKES_TESTS = re.compile(r"\bquickcheck!\s*\{")
_OTHER_BRACKETS = re.compile(r"assert\w*+!\s*+[{\[]")
_FAILURE = re.compile(r"return\s+Err\b")
_STR = re.compile(r"\bstr!(?=\s*\[)")
_TOKEN = re.compile(
    r"""//[^\n]* | /\*(?:[^*]|\*(?!/))*(?:\*/|\Z) | r\#+"(?:[^"]|"(?!\#))*(?:"\#+|\Z) | "(?:\\.|[^"\\])*(?:"|\Z)
    | '(?:\\.[^']*|[^'\\])' | (?P<open>[({\[]) | (?P<close>[)}\]])""",
    re.VERBOSE | re.DOTALL,
)
_SETTINGS = re.compile(r"\s*#!\[[^\n]*\]")
_STRATEGIES = re.compile(r"\bfn\s+\w+\s*\(")
_NOT_NEWLINE = re.compile(r"[^\n]")


def bare_parsed(text: str, grammar: Grammar) -> ParsedText:
    """A text, parsed without the macros around tests and without the strategies of their parameters."""
    text = written_out(text)
    # The grammar takes ``str!`` for a type, and then loses its way in the string that follows.
    parsed = _STR.sub("txt!", text) if "str![" in text else text
    tree = parse_parts(_with_parentheses(text), grammar, _laid_bare(parsed) if "!" in text else parsed)
    for node in tree.nodes:
        if node.kind == "return_expression" and _FAILURE.match(tree.text, node.start, node.end):
            node.part = Part.THROW
        elif node.kind == "let_declaration" and _is_unless(tree, node):
            node.part = Part.UNLESS
    return tree


def _is_unless(tree: ParsedText, node: Node) -> bool:
    """``let Some(x) = f() else { return };``."""
    last = node.children[-1] if node.children else None
    return (
        last is not None
        and last.kind == "block"
        and tree.text[last.start - 12 : last.start].rstrip().endswith("else")
    )


def _laid_bare(text: str) -> str:
    """The text without the macros around tests; offsets stay."""
    if not any(macro in text for macro in ("proptest!", "quickcheck!", "rusty_fork_test!")):
        return text
    pieces, at = [], 0
    while found := _HOLDS_TESTS.search(text, at):
        end = _closing(text, found.end() - 1)
        pieces += [text[at : found.start()], _blank(found[0]), _bare_functions(text[found.end() : end])]
        pieces.append(" " if end < len(text) else "")
        at = end + 1
    return "".join([*pieces, text[at:]]) if pieces else text


@noted
def regions(reading: Reading) -> list[tuple[int, int]]:
    """From where to where every function is a test."""
    text = reading.tree.text
    regions: list[tuple[int, int]] = []
    at = 0
    while found := _MAKES_TESTS.search(text, at) if "quickcheck!" in text else None:
        at = _closing(text, found.end() - 1)
        regions.append((found.end(), at))
    return regions


def _with_parentheses(text: str) -> str:
    """``assert_eq! { x, 3 }`` in the usual brackets."""
    if "!" not in text or not _OTHER_BRACKETS.search(text):
        return text
    pieces, at = [], 0
    for found in _OTHER_BRACKETS.finditer(text):
        end = _closing(text, found.end() - 1)
        if found.start() >= at and end < len(text):
            pieces += [text[at : found.end() - 1], "(", text[found.end() : end], ")"]
            at = end + 1
    return "".join([*pieces, text[at:]])


def _bare_functions(text: str) -> str:
    settings = _SETTINGS.match(text)
    pieces, at = [], 0
    if settings is not None:
        pieces, at = [_blank(settings[0])], settings.end()
    for found in _STRATEGIES.finditer(text):
        if found.start() < at:
            continue
        end = _closing(text, found.end() - 1)
        pieces += [text[at : found.end()], _blank(text[found.end() : end])]
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


def _blank(text: str) -> str:
    return _NOT_NEWLINE.sub(" ", text)


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at an offset closes; the end of the text where it never does."""
    depth = 0
    for found in _TOKEN.finditer(text, at):
        if found.lastgroup == "open":
            depth += 1
        elif found.lastgroup == "close":
            depth -= 1
            if depth == 0:
                return found.start()
    return len(text)
