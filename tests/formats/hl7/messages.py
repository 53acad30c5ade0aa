"""One message, and a field of it as a tree of texts."""

from assay.formats.hl7.model import Message, Segment, split, value_of
from assay.formats.hl7.parse import parse

Tree = list[list[list[str]]]


def parse_message(data: bytes | str) -> Message:
    """The one message that a text holds."""
    [message] = parse(data).messages
    return message


def trees_of(segment: Segment) -> list[Tree]:
    """The repetitions of each field, their components, and the texts of their sub-components."""
    found = (segment.written(number) for number in range(1, len(segment.raw_fields) + 1))
    return [
        [
            [
                [value_of(leaf, encoding).text for leaf in split(component, encoding.subcomponent)]
                for component in split(repetition, encoding.component)
            ]
            for repetition in split(raw or "", encoding.repetition)
        ]
        for raw, encoding in found
    ]
