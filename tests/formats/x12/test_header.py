"""The ISA segment: where its separators are found, and what is said of one that is not as it should be."""

import pytest

from assay.formats.x12.model import NotX12Error, Separators, X12Mistake
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import isa, kinds, segments

BODY = "GS*HB*A*B*20240101*1200*1*X*005010X279A1~GE*0*1~IEA*1*000000001~"


def separators(text: str) -> Separators:
    return tokenize(text).interchanges[0].separators


@pytest.mark.parametrize(
    ("element", "component", "repetition", "terminator"),
    [
        ("*", ":", "^", "~"),
        ("|", ">", "!", "'"),
        ("\x1d", "\x1f", "\x1e", "\x1c"),
        ("*", ":", "^", "\n"),
        ("*", ":", "^", "\r"),
        ("+", "\\", "%", "\x15"),
        ("^", "*", ":", "~"),
        ("¦", "¤", "§", "¶"),
    ],
)
def test_any_separators_are_taken_from_their_places(
    element: str, component: str, repetition: str, terminator: str
) -> None:
    table = str.maketrans({"*": element, ":": component, "^": repetition, "~": terminator})
    text = (isa() + "ST*1:2^3:4~SE*2*~IEA*0*000000001~").translate(table)
    assert separators(text) == Separators(element, component, repetition, terminator)
    assert segments(text)[1] == ("ST", (f"1{component}2{repetition}3{component}4",))


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r", "\n\n", " \n\t", ""])
def test_line_breaks_after_terminators_mean_nothing(line_break: str) -> None:
    text = (isa() + BODY).replace("~", "~" + line_break)
    assert segments(text) == segments(isa() + BODY)
    assert tokenize(text).findings == ()


@pytest.mark.parametrize("terminator", ["\n", "\r", "\r\n"])
def test_a_line_break_can_be_the_terminator(terminator: str) -> None:
    text = (isa() + BODY).replace("~", terminator)
    assert [name for name, _ in segments(text)] == ["ISA", "GS", "GE", "IEA"]
    assert tokenize(text).findings == ()


def test_empty_lines_are_no_segments_where_a_line_break_is_the_terminator() -> None:
    text = (isa() + BODY).replace("~", "\n\n")
    assert segments(text) == segments(isa() + BODY)
    assert tokenize(text).findings == ()


@pytest.mark.parametrize(
    ("version", "isa11", "repetition"),
    [("00501", "^", "^"), ("00402", "^", "^"), ("00401", "^", None), ("00401", "U", None), ("00200", "|", None)],
)
def test_repetitions_came_with_version_00402(version: str, isa11: str, repetition: str | None) -> None:
    text = isa(version=version, repetition=isa11) + BODY
    assert separators(text).repetition == repetition
    assert kinds(tokenize(text)) == []


@pytest.mark.parametrize(
    ("text", "kind", "component", "repetition"),
    [
        (isa(repetition="U"), X12Mistake.SEPARATORS, ":", None),
        (isa(repetition="*"), X12Mistake.HEADER_WIDTH, None, None),
        (isa(repetition=":"), X12Mistake.SEPARATORS, ":", None),
        (isa(end="~~"), X12Mistake.SEPARATORS, None, "^"),
        (isa(end="1~"), X12Mistake.SEPARATORS, None, "^"),
    ],
    ids=["a letter", "the element separator", "the component separator", "the terminator", "a digit"],
)
def test_separators_that_can_not_be_used(
    text: str, kind: X12Mistake, component: str | None, repetition: str | None
) -> None:
    document = tokenize(text + BODY)
    declared = document.interchanges[0].separators
    assert kind in kinds(document)
    assert (declared.component, declared.repetition) == (component, repetition)
    assert [name for name, _ in segments(text + BODY)] == ["ISA", "GS", "GE", "IEA"]


@pytest.mark.parametrize(
    ("header", "kind", "terminator"),
    [
        ("ISA*00**00**ZZ*SENDER*ZZ*RECEIVER*240101*1200*^*00501*000000001*0*T*:~", X12Mistake.HEADER_WIDTH, "~"),
        ("ISA*00**00**ZZ*SENDER*ZZ*RECEIVER*240101*1200*^*00501*000000001*0*T*:\n", X12Mistake.HEADER_WIDTH, "\n"),
        ("ISA*00**00**ZZ*SENDER*ZZ*RECEIVER*240101*1200*^*00501*1*0*T*>'", X12Mistake.HEADER_WIDTH, "'"),
        ("ISA*00*          *00*~", X12Mistake.HEADER_TRUNCATED, "~"),
        ("ISA*00*\n", X12Mistake.HEADER_TRUNCATED, "\n"),
        (isa().replace("*T*", "*T*T*"), X12Mistake.HEADER_WIDTH, "~"),
        (isa().replace("SENDER ", "SENDER WITH A NAME THAT IS TOO LONG "), X12Mistake.HEADER_WIDTH, "~"),
    ],
    ids=[
        "not padded",
        "not padded, lines",
        "other marks",
        "truncated",
        "truncated line",
        "one too many",
        "too wide",
    ],
)
def test_a_header_with_wrong_widths_is_still_read(header: str, kind: X12Mistake, terminator: str) -> None:
    text = header + BODY.replace("~", terminator)
    document = tokenize(text)
    assert kind in kinds(document)
    assert document.interchanges[0].separators.terminator == terminator
    assert [name for name, _ in segments(text)] == ["ISA", "GS", "GE", "IEA"]


def test_an_unpadded_header_without_a_group_behind_it() -> None:
    text = "ISA*00**00**ZZ*A*ZZ*B*240101*1200*^*00501*000000001*0*T*:~ST*270*1~SE*2*1~"
    assert [name for name, _ in segments(text)] == ["ISA", "ST", "SE"]
    assert separators(text) == Separators("*", ":", "^", "~")


@pytest.mark.parametrize(
    ("length", "kind"),
    [
        (4, X12Mistake.HEADER_TRUNCATED),
        (6, X12Mistake.HEADER_TRUNCATED),
        (7, X12Mistake.HEADER_TRUNCATED),
        (50, X12Mistake.HEADER_TRUNCATED),
        (104, X12Mistake.HEADER_WIDTH),
        (105, X12Mistake.HEADER_TRUNCATED),
    ],
)
def test_a_file_that_ends_inside_its_header(length: int, kind: X12Mistake) -> None:
    document = tokenize(isa()[:length])
    assert [segment.id for segment in document.interchanges[0].segments] == ["ISA"]
    assert {kind, X12Mistake.UNTERMINATED, X12Mistake.MISSING_TRAILER} <= set(kinds(document))


def test_a_file_wrapped_at_80_characters_is_put_together_again() -> None:
    whole = isa() + BODY
    wrapped = "\n".join(whole[at : at + 80] for at in range(0, len(whole), 80))
    assert segments(wrapped) == segments(whole)
    assert set(kinds(tokenize(wrapped))) == {X12Mistake.LINE_BREAK}


@pytest.mark.parametrize("text", ["ISA~", "ISA~00~", "ISA~00~\nGS~HB\n"])
def test_a_tilde_may_be_the_element_separator(text: str) -> None:
    document = tokenize(text)
    assert document.interchanges[0].separators.element == text[3]
    assert document.interchanges[0].separators.terminator != text[3]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        "",
        b"\x00\x01",
        "ISA",
        "ISABEL*00*",
        "the VISA-12-card",
        "GS*HB*A*B~ST*271*1~",
        "MSH|^~\\&|A|B",
        '{"ISA": 1}',
        "ISA 00 ",
        (isa() + BODY).encode("utf-16"),
    ],
)
def test_text_without_a_header_is_no_x12(data: bytes | str) -> None:
    with pytest.raises(NotX12Error, match="it has no ISA header"):
        tokenize(data)
