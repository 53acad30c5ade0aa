"""XML, by the names of elements and attributes without their namespaces.

``ClinicalDocument/id/@root`` goes down from the outermost element to an attribute, and ``**/given`` to the text of
all elements of that name. ``*`` is an element of any name, ``id[2]`` the second below its parent, and
``code[@code="8480-6"]`` one with that attribute; of several conditions, separated by commas, all must hold. A file
with a DOCTYPE is not read: it could define anything.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NoReturn
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from assay.formats.file_content.text import MAX_VALUES, FileFormatError, Finder

_NAME: Final = r"[^\W\d][\w.-]*"
_CONDITION: Final = rf'@({_NAME})=(?:"([^"]*)"|([^\[\]",=]*))'
_WHERE: Final = re.sub(r"\((?!\?)", "(?:", _CONDITION)
_STEP: Final = re.compile(
    rf"(?P<deep>\*\*/)?(?P<name>{_NAME}|\*)(?:\[(?:(?P<nth>[1-9][0-9]{{0,8}})"
    rf"|(?P<where>{_WHERE}(?:, *{_WHERE})*))\])?(?P<end>/|\Z)"
)
_ATTRIBUTE: Final = re.compile(rf"@({_NAME})")


@dataclass(frozen=True, slots=True)
class _XmlStep:
    name: str
    deep: bool
    nth: int | None
    where: tuple[tuple[str, str], ...]


class _WithoutDoctype(TreeBuilder):
    def doctype(self, *_: str | None) -> NoReturn:
        raise FileFormatError("the XML has a DOCTYPE, which is not allowed")


def check_path(path: str) -> None:
    """Refuse an invalid path. Raises ``ValueError``."""
    _parse_path(path)


def open_content(data: bytes) -> Finder:
    """How to find values in it. Raises ``FileFormatError``."""
    if data.count(b"<") > MAX_VALUES:
        raise FileFormatError(f"the file has more than {MAX_VALUES} values")
    parser = XMLParser(target=_WithoutDoctype())  # noqa: S314 - what could harm needs a DOCTYPE
    try:
        parser.feed(data)
        outermost = parser.close()
    except (ParseError, ValueError, LookupError) as error:
        raise FileFormatError("the file is not XML") from error
    document = Element("")
    document.append(outermost)

    def find(path: str) -> list[str]:
        steps, attribute = _parse_path(path)
        elements = [document]
        for step in steps:
            elements = list({id(one): one for above in elements for one in _below(above, step)}.values())
        if attribute is None:
            return ["".join(one.itertext()).strip() for one in elements]
        return [value for one in elements if (value := _attribute(one, attribute)) is not None]

    return find


def _parse_path(path: str) -> tuple[list[_XmlStep], str | None]:
    steps: list[_XmlStep] = []
    at = 0
    while found := _STEP.match(path, at):
        steps.append(
            _XmlStep(
                found["name"],
                found["deep"] is not None,
                int(found["nth"]) if found["nth"] else None,
                tuple(
                    (name, quoted or plain) for name, quoted, plain in re.findall(_CONDITION, found["where"] or "")
                ),
            )
        )
        at = found.end()
        if not found["end"]:
            return steps, None
    attribute = _ATTRIBUTE.fullmatch(path, at)
    if not steps or attribute is None:
        raise ValueError(f'a path into XML must be like a/b[2]/@c, **/b or b[@c="d"], got {path!r}')
    return steps, attribute[1]


def _below(above: Element, step: _XmlStep) -> Iterator[Element]:
    inside = (one for one in above.iter() if one is not above) if step.deep else iter(above)
    named = (one for one in inside if step.name in ("*", _local(one.tag)))
    found = [one for one in named if all(_attribute(one, name) == value for name, value in step.where)]
    yield from found if step.nth is None else found[step.nth - 1 : step.nth]


def _attribute(element: Element, name: str) -> str | None:
    return next((value for key, value in element.attrib.items() if _local(key) == name), None)


def _local(name: object) -> str:
    """A name without its namespace; a comment has none."""
    return name.rpartition("}")[2] if isinstance(name, str) else ""
