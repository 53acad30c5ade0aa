"""Write a document again as it was read.

Only line breaks inside segments are gone, which mean nothing.
"""

from assay.formats.x12.model import Document, Interchange, Segment


def render(document: Document) -> str:
    """The document's text, to be encoded as ``document.encoding``."""
    return document.leading + "".join(_interchange(interchange) for interchange in document.interchanges)


def segment_text(segment: Segment, mark: str) -> str:
    """A segment with its element separators, without its terminator."""
    return mark.join((segment.id, *segment.elements))


def _interchange(interchange: Interchange) -> str:
    separators = interchange.separators
    texts = [f"{segment.before}{segment_text(segment, separators.element)}" for segment in interchange.segments]
    end = separators.terminator if interchange.terminated else ""
    return separators.terminator.join(texts) + end + interchange.rest
