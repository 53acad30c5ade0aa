"""Values written into FHIRPath, dotted paths and search parameters, so that none can change what they mean."""

import re
from typing import Final

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
