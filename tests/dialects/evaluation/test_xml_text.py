"""XML: encodings that it declares, and what a document type may declare itself."""

import pytest

from assay.dialects.evaluation.xml_text import DECLARATIONS, ENTITY_LIMIT, check_xml, encoding_of
from tests.builders import within


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("ISO-8859-1", "iso8859-1"),
        ("windows-1252", "cp1252"),
        ("macintosh", "mac-roman"),
        ("IBM850", "cp850"),
        ("Shift_JIS", "shift_jis"),
        # Not an encoding of single bytes, none at all, or one in which decoding is dear.
        ("UTF-16", "utf-8"),
        ("nonsense", "utf-8"),
        ("punycode", "utf-8"),
    ],
)
def test_the_encoding_is_the_one_that_is_declared(name: str, codec: str) -> None:
    assert encoding_of(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode()) == codec


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "<!ELEMENT a (#PCDATA)>",
        "<!ATTLIST a id ID #REQUIRED kind (x|y) #IMPLIED>",
        '<!NOTATION gif SYSTEM "image/gif">',
        '<!ENTITY version "1.2"><!ENTITY nbsp "&#160;">',
        f'<!ENTITY long "{"x" * ENTITY_LIMIT}">',
        "".join(f"<!ATTLIST a a{n} CDATA #IMPLIED>" for n in range(DECLARATIONS)),
    ],
    ids=lambda value: value[:40],
)
def test_what_a_document_may_declare(inside: str) -> None:
    """Common readers take all of it, and none of it stands for more than it says."""
    text = f"<!DOCTYPE a [{inside}]><a/>"
    assert check_xml(text) == text


def test_a_declared_entity_may_be_used() -> None:
    assert check_xml('<!DOCTYPE a [<!ENTITY v "1.2">]><a b="&v;">&v;</a>')


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<!ENTITY x "y"><!ENTITY z "&x;&x;">', "the entity z must be a short text, .* made of other entities"),
        ('<!ENTITY x "&#38;y;">', "the entity x must be a short text, .* made of other entities"),
        (f'<!ENTITY x "{"x" * (ENTITY_LIMIT + 1)}">', "the entity x must be a short text"),
        ('<!ENTITY x SYSTEM "file:///etc/passwd">', "the entity x must be a short text, not a file"),
        ('<!ENTITY % x "y">', "the entity x must be"),
        ('<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x;', "the entity x must be"),
        ('<!ATTLIST a b CDATA "c">', "b of a must not have a default"),
        ('<!ATTLIST a b CDATA #FIXED "c">', "b of a must not have a default"),
        (
            "".join(f"<!ATTLIST a a{n} CDATA #IMPLIED>" for n in range(DECLARATIONS + 1)),
            "more than 200 attributes",
        ),
    ],
    ids=lambda value: value[:40],
)
def test_what_it_may_not(inside: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        check_xml(f"<!DOCTYPE a [{inside}]><a/>")


def test_the_most_that_entities_may_stand_for_is_read_in_reasonable_time() -> None:
    most = f'<!DOCTYPE a [<!ENTITY x "{"x" * ENTITY_LIMIT}">]><a>{"&x;" * 300_000}</a>'
    with within(60):
        assert check_xml(most) == most
