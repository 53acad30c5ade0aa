"""Where others still import it from."""

from assay.code.words import word_set

__all__ = ["word_set"]
