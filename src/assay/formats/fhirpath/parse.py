"""FHIRPath as a tree, what can be wrong with it, and values written into it so that none can change its meaning.

All of the text must be FHIRPath: on its own, fhirpathpy reads what it can and drops the rest.
"""

import importlib
import re
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from assay.core.errors import AssayError, MeasurementError, install_hint


class FhirPathError(AssayError):
    """An expression can't be evaluated on a resource, such as ``single()`` where there are two."""


class FhirPathSyntaxError(FhirPathError, ValueError):
    """A text isn't FHIRPath. A ``ValueError`` too: it is refused when a criterion is loaded."""


# These mean the same inside quotes and outside of them, and are never more than one value.
_HARMLESS: Final = re.compile(
    r"\w+|-?\d+(?:\.\d+)?|\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)?", re.ASCII
)
_ESCAPED: Final = re.compile(r"\\u([0-9a-f]{4})")
ID: Final = re.compile(r"(?!\.{1,256}$)[A-Za-z0-9.\-_]{1,256}")
"""The id of a resource. Those that servers give are longer at times than FHIR has it."""
_STEP: Final = re.compile(r"\w+", re.ASCII)


def in_fhirpath(value: str) -> str:
    r"""A value for a place between quotes. Outside of quotes, an escape is no FHIRPath, so it is refused there.

    Everything but letters, digits and underscores becomes ``\uXXXX``, as even a space would begin a new word
    outside of quotes.
    """
    if _HARMLESS.fullmatch(value):
        return value
    units = value.encode("utf-16-be", "surrogatepass")
    codes = (int.from_bytes(units[index : index + 2]) for index in range(0, len(units), 2))
    return "".join(chr(code) if _STEP.fullmatch(chr(code)) else f"\\u{code:04x}" for code in codes)


def readable(expression: str) -> str:
    """An expression to show: what was escaped for safety alone is written plainly."""

    def plain(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if character.isprintable() and character not in "'`\\" else match[0]

    return _ESCAPED.sub(plain, expression)


def in_dotted(value: str) -> str:
    """A value as one step of a dotted path. Raises ``ValueError``: there, nothing can be escaped."""
    if not _STEP.fullmatch(value):
        raise ValueError(
            f"{value!r} is not a single step of a dotted path; in a fhirpath, any value can be quoted"
        )
    return value


def in_search(value: str) -> str:
    """A value in a search parameter, where ``$ , | \\`` would mean something."""
    return re.sub(r"([$,|\\])", r"\\\1", value)


Node: TypeAlias = dict[str, Any]
MAX_LENGTH: Final = 10_000
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_CONTROL: Final = {"f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def library(module: str) -> Any:
    """A part of fhirpathpy, which takes its time to be imported. Raises ``MeasurementError`` if it is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MeasurementError(f"FHIRPath needs the package fhirpathpy: {install_hint('criteria')}") from error


def parse(expression: str) -> Node:
    """The tree of an expression. Raises ``FhirPathSyntaxError``."""
    if len(expression) > MAX_LENGTH:
        raise FhirPathSyntaxError(f"a FHIRPath must have at most {MAX_LENGTH} characters, got {len(expression)}")
    antlr, generated = library("antlr4"), "fhirpathpy.parser.generated.FHIRPath"
    errors = _error_listener(expression)
    lexer = library(f"{generated}Lexer").FHIRPathLexer(antlr.InputStream(expression))
    parser = library(f"{generated}Parser").FHIRPathParser(antlr.CommonTokenStream(lexer))
    for part in (lexer, parser):
        part.removeErrorListeners()
        part.addErrorListener(errors)
    listener = library("fhirpathpy.parser.ASTPathListener").ASTPathListener()
    try:
        antlr.ParseTreeWalker().walk(listener, parser.entireExpression())
    except RecursionError as error:
        raise FhirPathSyntaxError(f"the FHIRPath {_quote_expression(expression)} is nested too deeply") from error
    root: Node = listener.parentStack[0]["children"][0]["children"][0]
    return root


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    rest = [node]
    while rest:
        one = rest.pop()
        yield one
        rest += one.get("children", ())


def literal_text(written: str) -> str:
    """The text of a literal in quotes."""

    def one(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _CONTROL.get(match[2], match[2])

    decoded = _ESCAPE.sub(one, written[1:-1])
    return decoded.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _error_listener(expression: str) -> Any:
    base: Any = library("antlr4.error.ErrorListener").ErrorListener

    class Refusing(base):  # type: ignore[misc] # The library has no types.
        def syntaxError(self, *said: Any) -> None:  # noqa: N802 - antlr's name
            column, what = said[3], said[4].partition(" expecting ")[0]
            raise FhirPathSyntaxError(
                f"{_quote_expression(expression)} is not FHIRPath: {what} at character {column + 1}"
            )

    return Refusing()


def _quote_expression(expression: str) -> str:
    return repr(expression if len(expression) <= 200 else expression[:200] + "…")
