"""Reason codes in a sentence each, for pages and for their reference."""

import functools
from importlib.resources import files


@functools.cache
def reason_words() -> dict[str, str]:
    """The sentence for each code."""
    text = (files("assay.engine.explorer") / "reason_words.txt").read_text(encoding="utf-8")
    return {code: words for code, _, words in (line.partition(" ") for line in text.splitlines())}
