"""Python source as Python itself reads it."""

import ast
import warnings
from functools import lru_cache


@lru_cache(maxsize=8)
def parse_python(text: str) -> ast.Module | None:
    """A module, or None where this Python can't parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
