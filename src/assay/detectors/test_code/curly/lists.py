"""One spelling for lists of values: ``List.of(1, 2)``, ``vec![1, 2]`` and ``new[] { 1, 2 }`` are ``[1, 2]``."""

import re

from assay.detectors.test_code.curly.tokens import Tokens, arguments, closing, uniform

_MAKES_LIST = re.compile(
    r"(?:(?:java\.util\.)?(?:Arrays\.asList|List\.of|ImmutableList\.of|Lists\.newArrayList|Collections\.singletonList)"
    r"|newArrayList|listOf)\("
    r"|(?:vec!|&)?\[|&vec!\["
    r"|(?:new(?: ?[\w.]+(?:<[^()]*>)?)?(?:\[\])*(?:\(\))?)?\{"
)


def spelled(parts: Tokens) -> str:
    """The text of an expression, a list of values in its one spelling."""
    text = uniform(parts)
    found = _MAKES_LIST.match(text)
    if found is None:
        return text
    opening = _opening(parts, found[0][-1])
    if closing(parts, opening) != len(parts) - 1:
        return text
    return f"[{', '.join(uniform(one) for one in arguments(parts[opening + 1 : -1]))}]"


def _opening(parts: Tokens, bracket: str) -> int:
    """Where the bracket opens that holds the values; an empty pair before it belongs to the type."""
    at = parts.index(bracket)
    while parts[at : at + 2] == ["[", "]"] and bracket in parts[at + 1 :]:
        at = parts.index(bracket, at + 1)
    return at
