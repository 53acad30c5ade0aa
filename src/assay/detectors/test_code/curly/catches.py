"""Does a handler drop the failure that it caught?"""

import re

from assay.detectors.test_code.curly.tokens import mentions, tokens, uniform
from assay.detectors.test_code.tree import Node, Tree

_PASSES_ON = re.compile(
    r"\b(?:throw|fail|[aA]ssert\w*|verify\w*|panic|expect\w*|Should\w*|Fail|completeExceptionally|setFailure|tryFailure|setException|onError|fireExceptionCaught)\b"
)
_EMPTY_TALK = re.compile(
    r"\b(?:assertTrue\(true\)|assertFalse\(false\)|Assert\.(?:True|IsTrue)\(true\)|Assert\.Pass\([^)]{0,1000}\)"
    r"|assertNotNull\(\w+\)|Assert\.(?:NotNull|IsNotNull)\(\w+\))"
)
_TOUCHED = re.compile(r"\b(\w+)(?:=(?!=)|\+\+|\.\w+\()")
_TALKS = frozenset(
    {"System", "out", "err", "log", "logger", "LOG", "LOGGER", "Console", "Debug", "Trace", "Thread"}
)
_FARTHEST = 20_000


def drops(handler: str, caught: str, before: str, after: str) -> bool:
    """Is nothing of what was caught seen again?

    ``handler`` is the handler's body, ``caught`` the name of what it caught; ``before`` and ``after`` are the text
    around the whole statement. A handler that throws, asserts or returns what it caught passes the failure on. So
    does one that remembers it in something that is looked at later, or that other code uses, too.
    """
    said = [part for part in tokens(handler[:_FARTHEST]) if part[-1] != '"']
    text = _EMPTY_TALK.sub("", uniform(said))
    if _PASSES_ON.search(text):
        return False
    if re.search(rf"\breturn\b[^;]{{0,4000}}\b{re.escape(caught)}\b", text) and caught:
        return False
    touched = set(_TOUCHED.findall(text)) - _TALKS - {caught}
    return not any(mentions(after, name) or mentions(before, name, times=2) for name in touched)


def around(tree: Tree, node: Node) -> tuple[str, str]:
    """The text before and after a statement, as far as it is worth looking."""
    before = tree.text[max(0, node.start - _FARTHEST) : node.start]
    return before, tree.text[node.end : node.end + _FARTHEST]
