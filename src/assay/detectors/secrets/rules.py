"""The tokens that are known by their shape, as ``tokens.toml`` lists them."""

import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files

_TABLE = files("assay.detectors.secrets").joinpath("tokens.toml")
_LEFT = r"(?<![A-Za-z0-9])"


@dataclass(frozen=True, slots=True)
class TokenRule:
    """One kind of token. ``hints`` are literals of which one is in every text that can match.

    ``public`` counts the characters at the front that are no secret. ``group`` is the part that is the secret.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    public: int = 0
    group: int = 0


def _rule(name: str, hints: str, pattern: str, public: int | None = None) -> TokenRule:
    words, found = tuple(hints.split()), re.compile(pattern)
    if found.groups:
        return TokenRule(name, words, found, public or 0, 1)
    if not pattern.startswith("(?<!"):
        found = re.compile(_LEFT + pattern)
    return TokenRule(name, words, found, len(words[0]) if public is None else public)


RULES: tuple[TokenRule, ...] = tuple(_rule(*row) for row in tomllib.loads(_TABLE.read_text("utf-8"))["tokens"])
"""Every token that is known by its own shape."""

HINTS: tuple[str, ...] = tuple(sorted({hint for rule in RULES for hint in rule.hints}))
"""What tokens begin with, or have in them."""
