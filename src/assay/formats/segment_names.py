"""Names of segments in words. A segment that isn't listed is shown by its own name alone."""

import functools
from importlib.resources import files
from typing import Literal


@functools.cache
def segment_names(standard: Literal["hl7", "x12"]) -> dict[str, str]:
    """The words for each known segment of HL7 v2 or X12."""
    text = (files("assay.formats") / standard / "segment_names.txt").read_text(encoding="utf-8")
    return {name: words for name, _, words in (line.partition(" ") for line in text.splitlines())}
