"""Sets of words, written as text: long lists of names read better that way."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
