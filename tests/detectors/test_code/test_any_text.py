"""What every reader makes of any text: where a test stands, what is broken, and never an exception."""

import sys
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.detectors.test_code.languages import (
    CSHARP,
    GO,
    JAVA,
    JAVASCRIPT,
    RUBY,
    RUST,
    TSX,
    TYPESCRIPT,
    Language,
    rows,
)
from tests.detectors.test_code.tables.csharp import any_text as csharp
from tests.detectors.test_code.tables.go import any_text as go
from tests.detectors.test_code.tables.java import any_text as java
from tests.detectors.test_code.tables.javascript import any_text as javascript
from tests.detectors.test_code.tables.ruby import any_text as ruby
from tests.detectors.test_code.tables.rust import any_text as rust
from tests.sampling import examples, sampled

WRITTEN = {CSHARP: csharp, GO: go, JAVA: java, JAVASCRIPT: javascript, RUBY: ruby, RUST: rust}
ALL = {**WRITTEN, TSX: javascript, TYPESCRIPT: javascript}
LANGUAGES = pytest.mark.parametrize("language", ALL, ids=lambda language: language.name)


@LANGUAGES
def test_lines_and_the_languages_name(language: Language) -> None:
    text, lines = ALL[language].LINES
    code = language.read(text)
    assert code.language == language.name
    assert [(test.line, test.end_line, test.assertions[0].line) for test in code.tests] == [lines]


@LANGUAGES
def test_what_is_broken_is_a_problem(language: Language) -> None:
    assert language.read(ALL[language].BROKEN).problems


@LANGUAGES
@examples(300)
@given(st.data())
def test_no_text_raises(language: Language, data: st.DataObject) -> None:
    pieces = st.lists(st.sampled_from(ALL[language].PIECES)).map("".join)
    assert language.read(data.draw(st.one_of(st.text(), pieces))).language == language.name


@pytest.mark.parametrize(("language", "opening", "closing"), rows(WRITTEN, "DEEP"))
def test_nesting_without_end_raises_nothing(language: Language, opening: str, closing: str) -> None:
    inside = WRITTEN[language].DEEP_IN.partition("…")[0]
    deep = (opening or closing) * 3_000
    assert language.read(inside + deep).language == language.name
    assert language.read(deep).language == language.name


@pytest.mark.parametrize(("language", "opening", "closing"), sampled(rows(WRITTEN, "DEEP"), 3))
def test_deep_nesting_costs_no_more_than_its_length(language: Language, opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        text: str = WRITTEN[language].DEEP_IN.replace("…", opening * depth + "x" + closing * depth)
        return text

    # What is made at the first use of a language is no part of the cost.
    language.read(nested(500))
    # Six times as deep is six times as long; work that grew with its square would be 36 times as much.
    assert _calls_made(language, nested(3_000)) <= 8 * _calls_made(language, nested(500))


def _calls_made(language: Language, text: str) -> int:
    """How many functions are called to read a text: the work, and the same on every machine."""
    made = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    watching = sys.getprofile()
    sys.setprofile(count)
    try:
        language.read(text)
    finally:
        sys.setprofile(watching)
    return made
