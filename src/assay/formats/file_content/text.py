"""Plain text: ``content`` is all of it, ``line.3`` its third line and ``line.*`` every line."""

import codecs
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from assay.core.errors import AssayError
from assay.formats.field_rules.values import Plain

_PATH: Final = re.compile(r"content|line\.(\*|[1-9][0-9]{0,8})")
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
Finder: TypeAlias = Callable[[str], Sequence[Plain]]
MAX_VALUES = 4_000_000


class UnreadableError(AssayError):
    """The file is not what its format says. The message says why, and quotes no value."""


def decoded(data: bytes) -> str:
    """Bytes as text: UTF-16 where a mark says so, else UTF-8, else Latin-1, in which every byte is a character."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    if not _PATH.fullmatch(path):
        raise ValueError(f"a path into a text must be content, line.N with N from 1, or line.*, got {path!r}")


def opened(data: bytes) -> Finder:
    """How to find values in it."""
    text = decoded(data)
    lines = _LINE_END.split(text.removesuffix("\n").removesuffix("\r")) if text else []

    def find(path: str) -> list[str]:
        if path == "content":
            return [text]
        number = path.removeprefix("line.")
        if number == "*":
            return lines
        return [lines[int(number) - 1]] if int(number) <= len(lines) else []

    return find
