"""YAML from a stranger: only so large and so deep that reading it is cheap."""

import re

import yaml

_LARGEST = 200_000
_DEEPEST = 60
_INLINE = re.compile(r"(?:[-?:][ \t]{1,4}){40}")
# The loader in C is ten times as fast where it is there.
_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def load_yaml(text: str) -> list[object] | None:
    """The documents of a text; None where it is no YAML, or larger or deeper than any file of settings."""
    if len(text) > _LARGEST or _is_deep(text):
        return None
    try:
        return list(yaml.load_all(text, Loader=_LOADER))
    except (yaml.YAMLError, RecursionError, ValueError, TypeError, AttributeError, OverflowError):
        return None


def _is_deep(text: str) -> bool:
    depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth = depth + 1 if bracket[0] in "[{" else max(0, depth - 1)
        if depth > _DEEPEST:
            return True
    return _INLINE.search(text) is not None
